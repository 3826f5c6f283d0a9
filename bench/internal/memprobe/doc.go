// Package memprobe has the kernels that probe a device's memory and the dispatch of its
// blocks, as streams of records: streams through the levels, chains of loads, strides,
// atomics, fences, blocks that spin. They are those of the recording programs memory.cu
// and footprint.cu (bench/accuracy/testdata/programs). They compute nothing and need no
// memory of the host, whatever the addresses.
package memprobe
