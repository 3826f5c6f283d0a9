GO ?= go
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME ?= 10s
FUZZMINIMIZE ?= 10x

.PHONY: build test bench conformance accuracy fuzz lint nested

build:
	$(GO) build ./...

test:
	$(GO) test ./...

bench:
	$(GO) test -run '^$$' -bench . ./bench

conformance:
	$(GO) run ./bench/conformance

accuracy:
	$(GO) run ./bench/accuracy

# Every fuzz target of every package, FUZZTIME each: go test fuzzes one at a time. With
# its default of a minute for making one input smaller it would hardly fuzz targets that
# run kernels.
fuzz:
	@set -e; for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "== $$pkg $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime $(FUZZMINIMIZE) $$pkg; \
		done; \
	done

lint:
	@out=$$(gofmt -l $$(git ls-files --cached --others --exclude-standard '*.go' | grep -v '/testdata/')); \
		if [ -n "$$out" ]; then echo "gofmt -w is due for:"; echo "$$out"; exit 1; fi
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

# Modules of their own below this one, which go's ./... leaves out: what is heavy
# or optional.
nested:
	@set -e; for mod in $$(git ls-files '*/go.mod' | grep -v '/testdata/'); do \
		echo "-- $${mod%/go.mod}"; \
		(cd "$${mod%/go.mod}" && $(GO) vet ./... && $(GO) run $(STATICCHECK) ./... && $(GO) test ./...); \
	done
