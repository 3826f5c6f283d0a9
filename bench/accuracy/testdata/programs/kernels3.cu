// A third set of kernels. Build: nvcc -O3 -std=c++17 -arch=sm_90 -o kernels3 kernels3.cu   Run: ./kernels3 > kernels3.csv
#include "measure.cuh"
#include <cuda_fp16.h>
using u32 = unsigned; using u64 = unsigned long long;
__device__ __forceinline__ u32 lane() { return threadIdx.x & 31; }
#define BODY(name, type, ...) struct name { using T = type; static __device__ __forceinline__ T run(T v, char *smem) { __VA_ARGS__; return v; } };
BODY(int_division_u32, u32, { u32 d = (lane() | 1) + (v & 7); v = v / d + v % d + 12345u; })
BODY(float_division_f32, float, { v = (v + 3.f) / (v + 1.5f); })
BODY(sqrt_rsqrt_f32, float, { v = sqrtf(v + 2.f) + rsqrtf(v + 1.f); })
BODY(sin_cos_fast_f32, float, { v = __sinf(v) + __cosf(v) + 1.f; })
BODY(exp_log_f32, float, { v = expf(v * 0.1f) + logf(v + 2.f); })
BODY(poly_horner_f64, double, { double p = 0.5; _Pragma("unroll") for (int i = 0; i < 8; i++) p = fma(p, v, 0.25 * i); v = p * 1e-3; })
BODY(hash_u64, u64, { v ^= v >> 33; v *= 0xff51afd7ed558ccdull; v ^= v >> 29; v += lane(); })
BODY(popc_clz_mix_u32, u32, { v = __popc(v) * 2654435761u + __clz(v | 1) + __brev(v); })
BODY(prmt_bytes_u32, u32, { v = __byte_perm(v, v * 3, 0x2143) ^ __funnelshift_l(v, v + 1, 7); })
BODY(half2_fma_f32, float, { __half2 h = __floats2half2_rn(v, v + 1.f); _Pragma("unroll") for (int i = 0; i < 6; i++) h = __hfma2(h, h, __float2half2_rn(0.25f)); v = __low2float(h) * 0.01f + __high2float(h) * 0.01f; })
BODY(warp_max_scan_s32, int, { u32 l = lane(); _Pragma("unroll") for (int d = 1; d < 32; d <<= 1) { int o = __shfl_up_sync(FULL, v, d); if (l >= d) v = max(v, o); } v ^= (int)l; })
BODY(ballot_rank_u32, u32, { u32 b = __ballot_sync(FULL, v & 1); v = v * 5 + __popc(b & ((1u << lane()) - 1)) + 1; })
BODY(any_all_loop_u32, u32, { for (int i = 0; i < 4; i++) { if (__any_sync(FULL, (v & 15) == 3)) v = v * 3 + 1; if (__all_sync(FULL, v > 1000000000u)) v >>= 3; } v += 7; })
BODY(segmented16_sum_f32, float, { _Pragma("unroll") for (int o = 8; o; o >>= 1) v += __shfl_xor_sync(FULL, v, o, 16); v *= 0.0625f; })
BODY(fft8_shfl_f32, float, { float im = v * 0.5f; _Pragma("unroll") for (int o = 4; o; o >>= 1) { float r = __shfl_xor_sync(FULL, v, o), i = __shfl_xor_sync(FULL, im, o); bool up = lane() & o; v = up ? r - v : v + r; im = up ? i - im : im + i; } v = v * 0.125f + im * 0.125f; })
BODY(divergent_branch_f32, float, { if (lane() & 1) { v = v * 1.5f + 1.f; v = v * v; } else { v = v - 2.f; v = fabsf(v) + 3.f; } v *= 0.01f; })
BODY(divergent_loop_u32, u32, { u32 n = lane() & 7; for (u32 i = 0; i < n; i++) v = v * 1664525u + 1013904223u; v &= 0xffffff; })
BODY(switch_four_ways_s32, int, { switch (lane() & 3) { case 0: v += 3; break; case 1: v = v * 5 ^ 1; break; case 2: v = (v >> 1) + 77; break; default: v = ~v & 0xffff; } v += 1; })
BODY(shared_histogram_u32, u32, { u32 *h = (u32 *)smem; atomicAdd(&h[v & 63], 1u); __syncthreads(); v = v * 3 + h[threadIdx.x & 63]; __syncthreads(); })
BODY(shared_float4_f32, float, { float4 *s = (float4 *)smem; s[threadIdx.x] = make_float4(v, v + 1, v + 2, v + 3); __syncthreads(); float4 a = s[(threadIdx.x + 1) % blockDim.x]; v = (a.x + a.y) * 0.1f + (a.z + a.w) * 0.1f; __syncthreads(); })
BODY(shared_stencil_f32, float, { float *s = (float *)smem; s[threadIdx.x + 1] = v; __syncthreads(); v = 0.25f * s[threadIdx.x] + 0.5f * s[threadIdx.x + 1] + 0.25f * s[threadIdx.x + 2]; __syncthreads(); })
BODY(block_scan_hillis_f32, float, { float *s = (float *)smem; u32 t = threadIdx.x; s[t] = v; __syncthreads(); for (u32 o = 1; o < blockDim.x; o <<= 1) { float x = t >= o ? s[t - o] : 0.f; __syncthreads(); s[t] += x; __syncthreads(); } v = s[t] * 0.001f; __syncthreads(); })
BODY(block_count_or_u32, u32, { v += __syncthreads_count(v & 1) + __syncthreads_or(v & 2); })
BODY(matmul_row_8x8_f32, float, { float *s = (float *)smem; s[threadIdx.x] = v; __syncthreads(); float a = 0; u32 r = threadIdx.x & ~7u; u32 c = threadIdx.x & 7; _Pragma("unroll") for (int k = 0; k < 8; k++) a += s[r + k] * s[(r & ~63u) + k * 8 + c]; v = a * 1e-3f; __syncthreads(); })
BODY(bitonic_block_s32, int, { int *s = (int *)smem; u32 t = threadIdx.x; s[t] = v; __syncthreads(); for (u32 k = 2; k <= 64; k <<= 1) for (u32 j = k >> 1; j; j >>= 1) { u32 o = t ^ j; int a = s[t], b = s[o]; __syncthreads(); bool up = ((t & k) == 0) == (t < o); s[t] = up ? min(a, b) : max(a, b); __syncthreads(); } v = s[t] ^ (int)(t * 7); __syncthreads(); })
BODY(redux_mix_u32, u32, { v = __reduce_add_sync(FULL, v & 0xffff) + __reduce_max_sync(FULL, v) + (__reduce_xor_sync(FULL, v) & 255) + lane(); })
BODY(match_all_u32, u32, { int p; u32 m = __match_all_sync(FULL, v >> 28, &p); v = v * 9 + m + p; })
BODY(shfl_table_f32, float, { int i = (int)(fabsf(v) * 8.f) & 31; v = __shfl_sync(FULL, v, i) * 0.5f + (float)lane() * 0.01f; })
template <class B> void at(const char *n, std::initializer_list<int> threads, typename B::T seed = (typename B::T)1) { for (int th : threads) { Slope s = slope<B, 2, 6>(th, seed); printf("%s,%d,%.2f,%.2f\n", n, th, s.first_warp, s.block); fflush(stdout); } }
#define AT(k, ...) at<k>(#k, {__VA_ARGS__})
int main() {
  cudaDeviceProp p; CK(cudaGetDeviceProperties(&p, 0)); printf("# %s cc %d.%d third set\nkernel,threads,first_warp_cycles,block_cycles\n", p.name, p.major, p.minor);
  AT(int_division_u32, 32, 1024); AT(float_division_f32, 32, 1024); AT(sqrt_rsqrt_f32, 32, 1024); AT(sin_cos_fast_f32, 32, 1024); AT(exp_log_f32, 32, 1024); AT(poly_horner_f64, 32, 1024); AT(hash_u64, 32, 1024); AT(popc_clz_mix_u32, 32, 1024); AT(prmt_bytes_u32, 32, 1024); AT(half2_fma_f32, 32, 1024);
  AT(warp_max_scan_s32, 32, 1024); AT(ballot_rank_u32, 32, 1024); AT(any_all_loop_u32, 32, 1024); AT(segmented16_sum_f32, 32, 1024); AT(fft8_shfl_f32, 32, 1024); AT(divergent_branch_f32, 32, 1024); AT(divergent_loop_u32, 32, 1024); AT(switch_four_ways_s32, 32, 1024);
  AT(shared_histogram_u32, 32, 256, 1024); AT(shared_float4_f32, 32, 256, 1024); AT(shared_stencil_f32, 32, 256, 1024); AT(block_scan_hillis_f32, 64, 256, 1024); AT(block_count_or_u32, 64, 1024); AT(matmul_row_8x8_f32, 64, 256, 1024); AT(bitonic_block_s32, 64, 256, 1024); AT(redux_mix_u32, 32, 1024); AT(match_all_u32, 32, 1024); AT(shfl_table_f32, 32, 1024);
  return 0; }
