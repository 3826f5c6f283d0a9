package device

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Examples that NVIDIA gives in words.
func TestOccupancyOfTheVendorsExamples(t *testing.T) {
	for _, c := range []struct {
		device, source                              string
		threads, registers, shared, blocks, percent int
	}{
		// CUDA C++ Best Practices Guide, register pressure, for compute capability 7.0.
		{"v100", "37 registers, blocks of 128 threads: 75 %, 12 blocks", 128, 37, 0, 12, 75},
		{"v100", "37 registers, blocks of 320 threads: 63 %, 4 blocks", 320, 37, 0, 4, 63},
		{"v100", "at most 32 registers for 100 %", 1024, 32, 0, 2, 100},
		{"v100", "at most 32 registers for 100 %", 1024, 33, 0, 1, 50},
		// CUDA C++ Programming Guide, multiprocessor level, for compute capability 6.x.
		{"p100", "64 registers, blocks of 512 threads: 2 blocks", 512, 64, 0, 2, 50},
		{"p100", "65 registers, blocks of 512 threads: 1 block", 512, 65, 0, 1, 25},
		// The same guide's table of technical specifications: the most blocks of a warp,
		// and the most shared memory of a block.
		{"t4", "16 resident blocks, 32 warps", 32, 0, 0, 16, 50},
		{"a100", "32 resident blocks, 64 warps", 32, 0, 0, 32, 50},
		{"rtx3080", "16 resident blocks, 48 warps", 32, 0, 0, 16, 33},
		{"rtx4090", "24 resident blocks, 48 warps", 32, 0, 0, 24, 50},
		{"h100", "32 resident blocks, 64 warps", 32, 0, 0, 32, 50},
		{"b200", "32 resident blocks, 64 warps", 32, 0, 0, 32, 50},
		{"a100", "163 KB of shared memory in one block of 164 KB", 64, 0, 163 << 10, 1, 3},
		{"rtx4090", "99 KB of shared memory in one block of 100 KB", 64, 0, 99 << 10, 1, 4},
		{"h200", "227 KB of shared memory in one block of 228 KB", 64, 0, 227 << 10, 1, 3},
		{"rtx4090", "1,536 threads", 768, 40, 0, 2, 100},
	} {
		p, err := Lookup(c.device)
		require.NoError(t, err)
		o, err := p.Occupancy(Demand{Threads: c.threads, Registers: c.registers, Shared: c.shared})
		require.NoError(t, err, "%s: %s", c.device, c.source)
		assert.Equal(t, c.blocks, o.Blocks, "%s: %s", c.device, c.source)
		assert.InDelta(t, c.percent, 100*o.Share(), 0.51, "%s: %s", c.device, c.source)
	}
}

// How many wavefronts a SIMD of each generation holds by registers of a thread, as
// AMD's compiler says (LLVM, AMDGPU tests, occupancy-levels.ll and review D138443).
func TestOccupancyOfAMDsCompiler(t *testing.T) {
	registers := []int{24, 28, 32, 36, 40, 44, 48, 56, 64, 72, 80, 84, 88, 96, 100, 112, 128, 144, 168, 200, 256}
	for _, c := range []struct {
		devices []string
		waves   []int
	}{
		{[]string{"mi50", "mi100"}, // gfx900
			[]int{10, 9, 8, 7, 6, 5, 5, 4, 4, 3, 3, 3, 2, 2, 2, 2, 2, 1, 1, 1, 1}},
		{[]string{"mi250x", "mi300x", "mi355x"}, // gfx950; gfx90a and gfx940 have the same bounds
			[]int{8, 8, 8, 8, 8, 8, 8, 8, 8, 7, 6, 5, 5, 5, 4, 4, 4, 3, 3, 2, 2}},
		{[]string{"rx5700xt"}, // gfx1010
			[]int{20, 20, 20, 20, 20, 20, 20, 18, 16, 14, 12, 11, 11, 10, 9, 9, 8, 7, 6, 5, 4}},
		{[]string{"rx5700xt-wave64"},
			[]int{20, 18, 16, 14, 12, 11, 10, 9, 8, 7, 6, 6, 5, 5, 5, 4, 4, 3, 3, 2, 2}},
		{[]string{"rx6900xt"}, // gfx1030
			[]int{16, 16, 16, 16, 16, 16, 16, 16, 16, 12, 12, 10, 10, 10, 9, 9, 8, 7, 5, 4, 4}},
		{[]string{"rx6900xt-wave64"},
			[]int{16, 16, 16, 12, 12, 10, 10, 9, 8, 7, 6, 5, 5, 5, 4, 4, 4, 3, 3, 2, 2}},
		{[]string{"rx7900xt", "rx9070xt"}, // gfx1100, gfx1200
			[]int{16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 12, 12, 10, 10, 9, 7, 5}},
		{[]string{"rx7900xt-wave64", "rx9070xt-wave64"},
			[]int{16, 16, 16, 16, 16, 16, 16, 12, 10, 10, 9, 9, 8, 8, 7, 6, 5, 5, 4, 3, 2}},
	} {
		for _, name := range c.devices {
			p, err := Lookup(name)
			require.NoError(t, err)
			for i, n := range registers {
				o, err := p.Occupancy(Demand{Threads: p.Lanes, Registers: n})
				require.NoError(t, err)
				// Blocks of one wavefront, but for how many blocks a compute unit takes.
				waves := min(o.Bounds[Registers].Blocks, o.Bounds[Warps].Blocks) / p.Timing.SubPartitions
				assert.Equal(t, c.waves[i], waves, "%s: %d registers", name, n)
			}
		}
	}
}
