// Whole-grid timing: every block notes when it began and ended, and where.
#pragma once
#include "measure.cuh"
#include <cstring>
#include <functional>
#include <string>
struct Span { unsigned long long begin, end; long long c0, c1; unsigned sm; };
__device__ __forceinline__ unsigned long long ns() { unsigned long long t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t) :: "memory"); return t; }
__device__ __forceinline__ unsigned smid() { unsigned s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }
__device__ __forceinline__ unsigned block_id() { return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z); }
__device__ __forceinline__ void enter(Span *s) { if (s && threadIdx.x == 0 && threadIdx.y == 0) { Span &x = s[block_id()]; x.begin = ns(); x.c0 = now(); x.sm = smid(); } }
__device__ __forceinline__ void leave(Span *s) { if (s && threadIdx.x == 0 && threadIdx.y == 0) { Span &x = s[block_id()]; x.c1 = now(); x.end = ns(); } }
inline double median(std::vector<double> v) { std::sort(v.begin(), v.end()); return v[v.size() / 2]; }
// Overwrites the second-level cache (50 MB) so that what follows comes from DRAM.
__global__ void wipe(float4 *p, size_t n) { for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) p[i] = make_float4(1, 2, 3, 4); }
// Time of one launch by events, over `k` launches behind one another: duration and the gap between launches.
inline double back_to_back_us(const std::function<void()> &launch, int k = 20, int tries = 11) {
  cudaEvent_t a, b; CK(cudaEventCreate(&a)); CK(cudaEventCreate(&b)); std::vector<double> us;
  for (int t = 0; t < tries + 2; t++) { CK(cudaEventRecord(a)); for (int i = 0; i < k; i++) launch(); CK(cudaEventRecord(b)); CK(cudaEventSynchronize(b)); float ms; CK(cudaEventElapsedTime(&ms, a, b)); if (t > 1) us.push_back(ms * 1e3 / k); }
  CK(cudaGetLastError()); return median(us); }
// SM clock in GHz while `launch` runs, from cycle counter against timer of its blocks.
inline double ghz(const std::vector<Span> &s) { double c = 0, t = 0; for (auto &x : s) { c += double(x.c1 - x.c0); t += double(x.end - x.begin); } return c / t; }
