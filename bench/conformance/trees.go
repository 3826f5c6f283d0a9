package main

import (
	"fmt"
	"math"
)

// The float algorithms that were recorded.
const (
	treeDown      = "reduce_down"       // v += shfl_down(v, d), d from 16 to 1
	treeXorFall   = "reduce_xor_16to1"  // v += shfl_xor(v, d), d from 16 to 1
	treeXorRise   = "reduce_xor_1to16"  // v += shfl_xor(v, d), d from 1 to 16
	treeScan      = "scan_up_inclusive" // v += shfl_up(v, d) where lane >= d, d from 1 to 16
	groupReduce   = "cg_reduce"
	groupScan     = "cg_inclusive_scan"
	groupScanExcl = "cg_exclusive_scan"
)

func checkTree(l layer, r *record) ([]result, error) {
	bits := 0
	switch r.text("type") {
	case "f32":
		bits = 32
	case "f64":
		bits = 64
	default:
		r.fail("type", fmt.Sprintf("%q is neither f32 nor f64", r.text("type")))
		return nil, nil
	}
	algorithm := r.text("algorithm")
	switch algorithm {
	case treeDown, treeXorFall, treeXorRise, treeScan, groupReduce, groupScan, groupScanExcl:
	default:
		r.fail("algorithm", fmt.Sprintf("%q is not known", algorithm))
	}
	in, want := r.hexes("input_bits_of_lane_0_to_31", bits), r.hexes("output_bits_of_lane_0_to_31", bits)
	if r.err != nil {
		return nil, nil
	}
	got, err := l.tree(algorithm, bits, in)
	if err != nil {
		return nil, err
	}
	return []result{{"output_bits_of_lane_0_to_31", floats(want, bits), floats(got, bits)}}, nil
}

// floats writes bit patterns, every NaN the same: which NaN an addition gives is
// not defined.
func floats(values []uint64, bits int) string {
	out := make([]string, len(values))
	for i, v := range values {
		nan := math.IsNaN(math.Float64frombits(v))
		if bits == 32 {
			f := math.Float32frombits(uint32(v))
			nan = f != f
		}
		if out[i] = fmt.Sprintf("%0*x", bits/4, v); nan {
			out[i] = "nan"
		}
	}
	return spaced(out, "%s")
}

func fromBits(bits []uint64) []float64 {
	out := make([]float64, len(bits))
	for i, b := range bits {
		out[i] = math.Float64frombits(b)
	}
	return out
}

func toBits(row []float64) []uint64 {
	out := make([]uint64, len(row))
	for i, v := range row {
		out[i] = math.Float64bits(v)
	}
	return out
}

func fromBits32(bits []uint64) []float32 {
	out := make([]float32, len(bits))
	for i, b := range bits {
		out[i] = math.Float32frombits(uint32(b))
	}
	return out
}

func toBits32(row []float32) []uint64 {
	out := make([]uint64, len(row))
	for i, v := range row {
		out[i] = uint64(math.Float32bits(v))
	}
	return out
}
