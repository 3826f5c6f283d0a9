// Silentloop finds loops of warpsim kernels with turns that pass no call of the
// thread, by itself or as a tool of go vet:
//
//	silentloop ./...
//	silentloop -fix ./...
//	go vet -vettool=$(which silentloop) ./...
//
// See the document of package silentloop for what it finds.
package main

import (
	"golang.org/x/tools/go/analysis/singlechecker"

	"example.com/warpsim/intrinsics/silentloop"
)

func main() { singlechecker.Main(silentloop.Analyzer) }
