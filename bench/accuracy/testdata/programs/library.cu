// Block and warp collectives of the library that comes with the compiler, one application after another.
// Build: nvcc -O3 -std=c++17 -arch=sm_90 -o library library.cu   Run: ./library
#include "measure.cuh"
#include <cub/cub.cuh>
template <int N, cub::BlockReduceAlgorithm A, int F> struct Reduce { using T = float; static __device__ __forceinline__ T run(T v, char *smem) {
  using R = cub::BlockReduce<float, N, A>; auto &s = *(typename R::TempStorage *)smem;
  v = R(s).Sum(v); if (F & 1) v += (float)threadIdx.x; if (F & 2) __syncthreads(); return v; } };
template <int N, cub::BlockScanAlgorithm A, int F> struct Scan { using T = float; static __device__ __forceinline__ T run(T v, char *smem) {
  using S = cub::BlockScan<float, N, A>; auto &s = *(typename S::TempStorage *)smem;
  S(s).InclusiveSum(v, v); if (F & 1) v += (float)threadIdx.x; if (F & 2) __syncthreads(); return v; } };
template <int F> struct WReduce { using T = float; static __device__ __forceinline__ T run(T v, char *smem) { using R = cub::WarpReduce<float>; v = R(((typename R::TempStorage *)smem)[threadIdx.x / 32]).Sum(v); if (F & 1) v += (float)threadIdx.x; return v; } };
template <int F> struct WScan { using T = float; static __device__ __forceinline__ T run(T v, char *smem) { using R = cub::WarpScan<float>; R(((typename R::TempStorage *)smem)[threadIdx.x / 32]).InclusiveSum(v, v); if (F & 1) v += (float)threadIdx.x; return v; } };
template <class B> void at(const char *n, int form, int th) { Slope s = slope<B, 2, 6>(th, 1.f); printf("%s,%d,%d,%.2f,%.2f\n", n, form, th, s.first_warp, s.block); fflush(stdout); }
#define FORMS(F) \
  at<WReduce<F>>("cub_warp_reduce_sum_f32", F, 32); at<WScan<F>>("cub_warp_inclusive_sum_f32", F, 32); \
  at<Reduce<64, cub::BLOCK_REDUCE_WARP_REDUCTIONS, F>>("cub_BLOCK_REDUCE_WARP_REDUCTIONS_f32", F, 64); \
  at<Reduce<256, cub::BLOCK_REDUCE_WARP_REDUCTIONS, F>>("cub_BLOCK_REDUCE_WARP_REDUCTIONS_f32", F, 256); \
  at<Reduce<1024, cub::BLOCK_REDUCE_WARP_REDUCTIONS, F>>("cub_BLOCK_REDUCE_WARP_REDUCTIONS_f32", F, 1024); \
  at<Reduce<256, cub::BLOCK_REDUCE_RAKING, F>>("cub_BLOCK_REDUCE_RAKING_f32", F, 256); \
  at<Reduce<1024, cub::BLOCK_REDUCE_RAKING, F>>("cub_BLOCK_REDUCE_RAKING_f32", F, 1024); \
  at<Reduce<256, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, F>>("cub_BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY_f32", F, 256); \
  at<Reduce<1024, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, F>>("cub_BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY_f32", F, 1024); \
  at<Scan<256, cub::BLOCK_SCAN_WARP_SCANS, F>>("cub_BLOCK_SCAN_WARP_SCANS_f32", F, 256); \
  at<Scan<1024, cub::BLOCK_SCAN_WARP_SCANS, F>>("cub_BLOCK_SCAN_WARP_SCANS_f32", F, 1024); \
  at<Scan<256, cub::BLOCK_SCAN_RAKING, F>>("cub_BLOCK_SCAN_RAKING_f32", F, 256); \
  at<Scan<1024, cub::BLOCK_SCAN_RAKING, F>>("cub_BLOCK_SCAN_RAKING_f32", F, 1024);
int main() { printf("kernel,form,threads,first_warp_cycles,block_cycles\n"); FORMS(0) FORMS(1) FORMS(2) FORMS(3) return 0; }
