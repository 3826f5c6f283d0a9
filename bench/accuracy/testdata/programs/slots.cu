// How many issue cycles instructions take: an exchange and N instructions on the same value a step. Build: nvcc -O3 -std=c++17 -arch=sm_90 -o slots slots.cu   Run: ./slots
#include "measure.cuh"
#include <string>
using u32 = unsigned;
// KIND 0: fma.f32 (FMA pipe), 1: max.f32 (ALU), 2: empty instruction, 3: max into a value the chain needs
template <int KIND> __device__ __forceinline__ void op(float &y, float v) {
  if (KIND == 0) asm volatile("fma.rn.f32 %0, %1, %1, %0;" : "+f"(y) : "f"(v));
  if (KIND == 1) asm volatile("max.f32 %0, %0, %1;" : "+f"(y) : "f"(v));
  if (KIND == 2) asm volatile("bar.warp.sync 0xffffffff;" ::: "memory"); }
template <int SRC, int KIND, int N, int R> __global__ void __launch_bounds__(1024) tk(long long *t0, long long *t1, float *sink, float seed, int one) {
  extern __shared__ __align__(16) char smem[]; float y[6]; for (int i = 0; i < 6; i++) y[i] = seed + i + threadIdx.x; float v = seed + threadIdx.x;
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) ((int *)smem)[i] = 0; long long a = 0, b = 0; u32 ad = (u32)__cvta_generic_to_shared(smem) + threadIdx.x * 4;
  if (one && (threadIdx.x / 32) % 4) { for (int rep = 0; rep < 3; rep++) { __syncthreads(); __syncthreads(); } return; }
#pragma unroll 1
  for (int rep = 0; rep < 3; rep++) { __syncthreads(); a = now();
#pragma unroll
    for (int r = 0; r < R; r++) {
      float q;
      if (SRC == 0) asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;" : "=f"(q) : "f"(v));
      if (SRC == 1) asm volatile("{ .reg .u32 t; add.u32 t, %1, %2; ld.volatile.shared.f32 %0, [t]; }" : "=f"(q) : "r"(__float_as_uint(v) & 1024), "r"(ad) : "memory");
      if (SRC == 2) asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(q) : "f"(v));
#pragma unroll
      for (int k = 0; k < N; k++) op<KIND>(y[k], v);
      v = q + v; }
    b = now(); __syncthreads(); }
  if ((threadIdx.x & 31) == 0) { t0[threadIdx.x / 32] = a; t1[threadIdx.x / 32] = b; } float s = v; for (int i = 0; i < 6; i++) s += y[i]; sink[threadIdx.x] = s; }
template <int SRC, int KIND, int N> void go(int warps, int one) { long long *t; float *sink; CK(cudaMallocHost(&t, 64 * 8)); CK(cudaMalloc(&sink, 4096)); double m[2], f[2];
  for (int k = 0; k < 2; k++) { std::vector<double> d, e; for (int trial = 0; trial < 9; trial++) { for (int i = 0; i < 64; i++) t[i] = 0; if (k) tk<SRC, KIND, N, 40><<<1, warps * 32, 40960>>>(t, t + 32, sink, 1.f, one); else tk<SRC, KIND, N, 8><<<1, warps * 32, 40960>>>(t, t + 32, sink, 1.f, one); CK(cudaDeviceSynchronize()); long long lo = 1ll << 62, hi = 0; for (int w = 0; w < warps; w++) if (t[w]) { lo = std::min(lo, t[w]); hi = std::max(hi, t[32 + w]); } d.push_back(double(hi - lo)); e.push_back(double(t[32] - t[0])); } std::sort(d.begin(), d.end()); std::sort(e.begin(), e.end()); m[k] = d[4]; f[k] = e[4]; }
  printf("slots,%s_%s%d%s,%d,%.3f,%.3f\n", SRC == 0 ? "shfl" : SRC == 1 ? "lds" : "mufu", KIND == 0 ? "ffma" : KIND == 1 ? "fmnmx" : "nop", N, one ? "/one" : "", warps, (f[1] - f[0]) / 32, (m[1] - m[0]) / 32); CK(cudaFreeHost(t)); CK(cudaFree(sink)); }
template <int SRC, int KIND> void all() { for (int w : {1, 5, 13, 21, 29}) { go<SRC, KIND, 0>(w, 1); go<SRC, KIND, 1>(w, 1); go<SRC, KIND, 2>(w, 1); go<SRC, KIND, 3>(w, 1); go<SRC, KIND, 4>(w, 1); } for (int w : {8, 16, 24, 32}) { go<SRC, KIND, 0>(w, 0); go<SRC, KIND, 1>(w, 0); go<SRC, KIND, 2>(w, 0); go<SRC, KIND, 4>(w, 0); } }
int main() { all<0, 0>(); all<0, 1>(); all<0, 2>(); all<1, 0>(); all<1, 1>(); all<2, 0>(); return 0; }
