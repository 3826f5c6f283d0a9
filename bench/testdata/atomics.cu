// Block reductions that end in shared atomics, and by shuffles only: cycles for one application.
// Build beside measure.cuh: nvcc -O3 -std=c++17 -arch=sm_90 -o atomics atomics.cu
#include "measure.cuh"
template <class T> __device__ __forceinline__ T down(T v) {
#pragma unroll
  for (int o = 16; o; o >>= 1) v += __shfl_down_sync(FULL, v, o); return v; }
// shuffles inside warps; the first warp stores its result, the others add theirs to it by a shared atomic each
template <class U> struct block_atomics { using T = U; static __device__ __forceinline__ T run(T v, char *smem) { T *s = (T*)smem; v = down(v); bool l = (threadIdx.x & 31) == 0; if (threadIdx.x == 0) s[0] = v; __syncthreads(); if (threadIdx.x >= 32 && l) atomicAdd(s, v); __syncthreads(); v = s[0]; __syncthreads(); return (T)threadIdx.x - v; } };
template <class U> struct hybrid { using T = U; static __device__ __forceinline__ T run(T v, char *smem) { T *s = (T*)smem; unsigned l = threadIdx.x & 31, w = threadIdx.x / 32, nw = blockDim.x / 32; v = down(v); if (l == 0) s[w] = v; __syncthreads(); v = l < nw ? s[l] : (T)0; if (w == 0) v = down(v); if (threadIdx.x == 0) s[32] = v; __syncthreads(); v = s[32]; return (T)threadIdx.x - v; } };
template <class B> void at(const char *n) { for (int th : {32, 64, 128, 256, 512, 1024}) { Slope s = slope<B, 1, 3>(th, (typename B::T)1); printf("%s,%d,%.2f,%.2f\n", n, th, s.first_warp, s.block); } }
int main() { at<block_atomics<int>>("block_atomics_s32"); at<block_atomics<float>>("block_atomics_f32"); at<block_atomics<double>>("block_atomics_f64"); at<hybrid<int>>("block_hybrid_s32"); at<hybrid<float>>("block_hybrid_f32"); at<hybrid<double>>("block_hybrid_f64"); }
