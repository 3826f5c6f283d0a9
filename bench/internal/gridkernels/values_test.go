package gridkernels

import (
	"context"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
)

// TestValues runs each kernel at small shapes and holds what it writes against
// plain Go, races and undefined values included.
func TestValues(t *testing.T) {
	p, err := device.Lookup("h200")
	if err != nil {
		t.Fatal(err)
	}
	in, err := NewInputs(1 << 17)
	if err != nil {
		t.Fatal(err)
	}
	shapes := map[string][]Case{
		"transpose_naive_f32":          {{N: 128, Blocks: 16, Threads: 256}},
		"transpose_tile_conflicts_f32": {{N: 128, Blocks: 16, Threads: 256}},
		"transpose_tile_padded_f32":    {{N: 128, Blocks: 16, Threads: 256}},
		"softmax_row_block_256_f32":    {{N: 8 * 256, Blocks: 8, Threads: 128}},
		"softmax_row_block_1024_f32":   {{N: 5 * 1024, Blocks: 5, Threads: 256}},
		"layernorm_row_warp_256_f32":   {{N: 12 * 256, Blocks: 2, Threads: 256}},
		"layernorm_row_warp_1024_f32":  {{N: 12 * 1024, Blocks: 2, Threads: 256}},
		"spmv_row_warp_f32":            {{N: 1024, Blocks: 128, Threads: 256}},
		"gemm_tile16_f32":              {{N: 64, Blocks: 16, Threads: 256}},
	}
	for _, k := range Kernels() {
		cases := shapes[k]
		if cases == nil {
			cases = []Case{{N: 1 << 14, Blocks: 64, Threads: 256}, {N: 3000, Blocks: 24, Threads: 128}}
		}
		for _, c := range cases {
			c.Kernel = k
			e, err := warp.New(warp.Config{Device: p, Sanitize: true, ValuesOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			g, err := in.Prepare(e, c)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // each launch starts over
				g.Reset()
				if _, err := e.Run(context.Background(), g.Launch, g.Kernel); err != nil {
					t.Fatalf("%+v: %v", c, err)
				}
				if err := g.Check(); err != nil {
					t.Errorf("%+v: %v", c, err)
				}
			}
		}
	}
}

func TestBadCases(t *testing.T) {
	p, err := device.Lookup("h200")
	if err != nil {
		t.Fatal(err)
	}
	e, err := warp.New(warp.Config{Device: p})
	if err != nil {
		t.Fatal(err)
	}
	in, err := NewInputs(1024)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []Case{
		{"no_kernel", 32, 1, 32}, {"copy_f32", 0, 1, 32}, {"copy_f32", 32, 0, 32}, {"copy_f32", 32, 1, 31},
		{"copy_f32", 2048, 64, 32}, {"gemm_tile16_f32", 17, 1, 256}, {"transpose_naive_f32", 32, 1, 128},
		{"softmax_row_block_256_f32", 100, 3, 128},
	} {
		if _, err := in.Prepare(e, c); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
	if _, err := NewInputs(0); err == nil {
		t.Error("inputs of no items are accepted")
	}
}
