// How warps share shared memory: per-warp clocks. Build: nvcc -O3 -std=c++17 -arch=sm_90 -o share share.cu   Run: ./share
#include "measure.cuh"
#include <string>
using u32 = unsigned;
#define BODY(name, type, ...) struct name { using T = type; static __device__ __forceinline__ T run(T v, char *smem) { __VA_ARGS__; return v; } };
__device__ __forceinline__ u32 lane() { return threadIdx.x & 31; }
BODY(mailbox, float, { volatile float *s = (volatile float *)smem; s[threadIdx.x] = v; __syncwarp(); v += s[(threadIdx.x & ~31u) + 7]; __syncwarp(); })
BODY(sts_lds, float, { u32 a = (u32)__cvta_generic_to_shared(smem) + threadIdx.x * 4; asm volatile("st.volatile.shared.f32 [%1], %0; ld.volatile.shared.f32 %0, [%1];" : "+f"(v) : "r"(a) : "memory"); })
BODY(sts_lds_fadd, float, { u32 a = (u32)__cvta_generic_to_shared(smem) + threadIdx.x * 4; asm volatile("st.volatile.shared.f32 [%1], %0; ld.volatile.shared.f32 %0, [%1]; add.f32 %0, %0, %0;" : "+f"(v) : "r"(a) : "memory"); })
BODY(sts_shfl, float, { u32 a = (u32)__cvta_generic_to_shared(smem) + threadIdx.x * 4; asm volatile("st.volatile.shared.f32 [%1], %0; shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;" : "+f"(v) : "r"(a) : "memory"); })
BODY(lds_shfl, u32, asm volatile("{ .reg .u32 q; ld.volatile.shared.u32 q, [%0]; shfl.sync.bfly.b32 %0, q, 1, 31, 0xffffffff; }" : "+r"(v) :: "memory"))
BODY(wht, float, { for (int o = 1; o < 32; o <<= 1) { float x = __shfl_xor_sync(FULL, v, o); v = (threadIdx.x & o) == 0 ? v + x : x - v; } })
BODY(down, float, { for (int o = 16; o; o >>= 1) v += __shfl_down_sync(FULL, v, o); })
BODY(downmul, float, { for (int o = 16; o; o >>= 1) { float x = __shfl_down_sync(FULL, v, o); float y; asm volatile("mul.f32 %0, %1, %1;" : "=f"(y) : "f"(v)); v = y + x; } })
BODY(downmax, float, { for (int o = 16; o; o >>= 1) { float x = __shfl_down_sync(FULL, v, o); float y; asm volatile("max.f32 %0, %1, %2;" : "=f"(y) : "f"(v), "f"(__int_as_float(blockDim.x))); v = y + x; } })
BODY(scan, float, { u32 l = lane(); for (int d = 1; d < 32; d <<= 1) { float n = __shfl_up_sync(FULL, v, d); if (l >= d) v += n; } })
// only warps of one sub-partition work when SEL is 1
template <class B, int R, int SEL> __global__ void __launch_bounds__(1024) tk(long long *t0, long long *t1, typename B::T *sink, typename B::T seed) {
  extern __shared__ __align__(16) char smem[]; using T = typename B::T; T v = seed == (T)0 ? (T)0 : seed + (T)threadIdx.x;
  for (int i = threadIdx.x; i < 8192 / 4; i += blockDim.x) ((int *)smem)[i] = 0; long long a = 0, b = 0;
  if (SEL && (threadIdx.x / 32) % 4) { for (int rep = 0; rep < 3; rep++) { __syncthreads(); __syncthreads(); } return; }
#pragma unroll 1
  for (int rep = 0; rep < 3; rep++) { __syncthreads(); a = now();
#pragma unroll
    for (int r = 0; r < R; r++) v = B::run(v, smem);
    b = now(); __syncthreads(); }
  if ((threadIdx.x & 31) == 0) { t0[threadIdx.x / 32] = a; t1[threadIdx.x / 32] = b; } sink[threadIdx.x] = v; }
template <class B, int R, int SEL> void go(const char *n, int warps, typename B::T seed) { using T = typename B::T; long long *t; T *sink; CK(cudaMallocHost(&t, 64 * 8)); CK(cudaMalloc(&sink, 1024 * sizeof(T)));
  for (int i = 0; i < 64; i++) t[i] = 0;
  std::vector<std::vector<long long>> A(32), Bv(32);
  for (int trial = 0; trial < 9; trial++) { tk<B, R, SEL><<<1, warps * 32, 40960>>>(t, t + 32, sink, seed); CK(cudaDeviceSynchronize()); long long lo = 1ll << 62; for (int w = 0; w < warps; w++) if (t[w]) lo = std::min(lo, t[w]); for (int w = 0; w < warps; w++) { A[w].push_back(t[w] - lo); Bv[w].push_back(t[32 + w] - lo); } }
  printf("clocks,%s,%d,%d,%d", n, R, SEL, warps); for (int w = 0; w < warps; w++) { if (!t[w]) continue; std::sort(A[w].begin(), A[w].end()); std::sort(Bv[w].begin(), Bv[w].end()); printf(",%lld:%lld", A[w][4], Bv[w][4]); } printf("\n"); CK(cudaFreeHost(t)); CK(cudaFree(sink)); }
#define G(B, seed) for (int w : {1, 2, 4, 5, 8, 12, 16, 32}) { go<B, 2, 0>(#B, w, seed); go<B, 8, 0>(#B, w, seed); go<B, 40, 0>(#B, w, seed); } for (int w : {5, 9, 13, 29}) { go<B, 8, 1>(#B, w, seed); go<B, 40, 1>(#B, w, seed); }
int main() { G(mailbox, 1.f) G(sts_lds, 1.f) G(sts_lds_fadd, 1.f) G(sts_shfl, 1.f) G(lds_shfl, 0) G(wht, 1.f) G(down, 1.f) G(downmul, 1.f) G(downmax, 1.f) G(scan, 1.f) return 0; }
