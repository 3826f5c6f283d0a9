// Package intrinsics runs kernels that are written per lane, as CUDA, HIP and
// MUSA kernels are: ordinary Go for one thread, which meets the other threads at
// the functions that the vendors' languages have.
package intrinsics
