// More latencies and intervals: special functions, conversions, halves, wide products, predicates of matches and barriers.
// Build: nvcc -O3 -std=c++17 -arch=sm_90 -o functions functions.cu   Run: ./functions > functions.csv
#include "measure.cuh"
#include <string>
using u32 = unsigned; using u64 = unsigned long long;
__device__ u32 K1 = 3, K2 = 5; __device__ float F1 = 1.5f, F2 = 0.25f; __device__ double D1 = 1.5;

// N dependent steps of Op, ILP independent chains side by side
template <class Op, int ILP> struct Chain { using T = typename Op::T; static __device__ __forceinline__ T run(T v, char *smem) {
  static_assert(ILP == 1, ""); return Op::step(v, smem); } };

#define OP(name, type, ...) struct name { using T = type; static __device__ __forceinline__ T step(T x, char *smem) { __VA_ARGS__; return x; } };
__device__ __forceinline__ u32 lane() { return threadIdx.x & 31; }
OP(ex2, float, asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x)))
OP(rcp, float, asm volatile("rcp.approx.ftz.f32 %0, %0;" : "+f"(x)))
OP(rsq, float, asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(x)))
OP(sqrt_, float, asm volatile("sqrt.approx.ftz.f32 %0, %0;" : "+f"(x)))
OP(lg2, float, asm volatile("lg2.approx.ftz.f32 %0, %0;" : "+f"(x)))
OP(sin_, float, asm volatile("sin.approx.ftz.f32 %0, %0;" : "+f"(x)))
OP(cos_, float, asm volatile("cos.approx.ftz.f32 %0, %0;" : "+f"(x)))
OP(tanh_, float, asm volatile("tanh.approx.f32 %0, %0;" : "+f"(x)))
OP(f2i_i2f, float, asm volatile("{ .reg .s32 q; cvt.rzi.s32.f32 q, %0; cvt.rn.f32.s32 %0, q; }" : "+f"(x)))
OP(f2i_iadd_shl, u32, asm volatile("{ .reg .f32 q; mov.b32 q, %0; cvt.rzi.ftz.u32.f32 %0, q; add.u32 %0, %0, 1; }" : "+r"(x)))
OP(i2f_rp, u32, asm volatile("{ .reg .f32 q; cvt.rp.f32.u32 q, %0; mov.b32 %0, q; }" : "+r"(x)))
OP(i2f_rn, u32, asm volatile("{ .reg .f32 q; cvt.rn.f32.u32 q, %0; mov.b32 %0, q; }" : "+r"(x)))
OP(frnd, float, asm volatile("cvt.rni.f32.f32 %0, %0; add.f32 %0, %0, %1;" : "+f"(x) : "f"(__int_as_float(blockDim.x))))
OP(f2d_d2f, float, asm volatile("{ .reg .f64 q; cvt.f64.f32 q, %0; cvt.rn.f32.f64 %0, q; }" : "+f"(x)))
OP(i2d_d2i, u32, asm volatile("{ .reg .f64 q; cvt.rn.f64.u32 q, %0; cvt.rzi.u32.f64 %0, q; }" : "+r"(x)))
OP(h2f_f2h, u32, asm volatile("{ .reg .f16 h; .reg .f32 q; .reg .b16 a, b; mov.b32 {a, b}, %0; mov.b16 h, a; cvt.f32.f16 q, h; cvt.rn.f16.f32 h, q; mov.b16 a, h; mov.b32 %0, {a, a}; }" : "+r"(x)))
OP(hfma2, u32, asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(x) : "r"(blockDim.x)))
OP(hadd2, u32, asm volatile("add.f16x2 %0, %0, %1;" : "+r"(x) : "r"(blockDim.x)))
OP(hmul2, u32, asm volatile("mul.f16x2 %0, %0, %1;" : "+r"(x) : "r"(blockDim.x)))
OP(bfma2, u32, asm volatile("fma.rn.bf16x2 %0, %0, %1, %1;" : "+r"(x) : "r"(blockDim.x)))
OP(imad_wide, u64, asm volatile("{ .reg .u32 a, b; mov.b64 {a, b}, %0; mad.wide.u32 %0, a, %1, %0; }" : "+l"(x) : "r"(blockDim.x)))
OP(mul_hi, u32, asm volatile("mul.hi.u32 %0, %0, %1; add.u32 %0, %0, %1;" : "+r"(x) : "r"(blockDim.x)))
OP(mul64, u64, asm volatile("mul.lo.u64 %0, %0, %1;" : "+l"(x) : "l"((u64)blockDim.x * 0x100000001ull)))
OP(add64, u64, asm volatile("add.u64 %0, %0, %1;" : "+l"(x) : "l"((u64)blockDim.x * 0x100000001ull)))
OP(prmt, u32, asm volatile("prmt.b32 %0, %0, %1, %2;" : "+r"(x) : "r"(blockDim.x), "r"(threadIdx.x)))
OP(shf, u32, asm volatile("shf.l.wrap.b32 %0, %0, %1, %2;" : "+r"(x) : "r"(blockDim.x), "r"(threadIdx.x)))
OP(lop3, u32, asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(x) : "r"(blockDim.x), "r"(threadIdx.x)))
OP(bfe_bfi, u32, asm volatile("{ .reg .u32 q; bfe.u32 q, %0, 3, 9; bfi.b32 %0, q, %0, 5, 7; }" : "+r"(x)))
OP(match_all_mask, u32, asm volatile("{ .reg .u32 q; match.all.sync.b32 q, %0, 0xffffffff; add.u32 %0, %0, q; }" : "+r"(x)))
OP(match_all_pred, u32, asm volatile("{ .reg .u32 q; .reg .pred p; match.all.sync.b32 q|p, %0, 0xffffffff; selp.u32 %0, 1, 2, p; }" : "+r"(x)))
OP(match_all_both, u32, asm volatile("{ .reg .u32 q; .reg .pred p; match.all.sync.b32 q|p, %0, 0xffffffff; selp.u32 %0, q, 2, p; }" : "+r"(x)))
OP(bar_red_popc, u32, asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; bar.red.popc.u32 %0, 0, p; }" : "+r"(x) :: "memory"))
OP(bar_red_or, u32, asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %0, 0; bar.red.or.pred q, 0, p; selp.u32 %0, 1, 2, q; }" : "+r"(x) :: "memory"))
OP(bar_red_two, u32, asm volatile("{ .reg .pred p, q; .reg .u32 c; setp.ne.u32 p, %0, 0; bar.red.popc.u32 c, 0, p; bar.red.or.pred q, 0, p; selp.u32 %0, c, 2, q; }" : "+r"(x) :: "memory"))
OP(r2p_sel, u32, asm volatile("{ .reg .pred p, q; .reg .u32 a; and.b32 a, %0, 1; setp.ne.u32 p, a, 0; and.b32 a, %0, 2; setp.ne.u32 q, a, 0; selp.u32 a, 1, 2, p; selp.u32 %0, a, 5, q; }" : "+r"(x)))
OP(div_f32, float, x = x / 1.5f + 1.f;)
OP(div_approx, float, asm volatile("div.approx.f32 %0, %0, %1;" : "+f"(x) : "f"(__int_as_float(blockDim.x))))
OP(sqrt_rn, float, x = sqrtf(x) + 1.f;)
OP(drcp, double, asm volatile("rcp.approx.ftz.f64 %0, %0;" : "+d"(x)))
OP(dsetp_sel, double, asm volatile("{ .reg .pred p; setp.gt.f64 p, %0, %1; selp.f64 %0, %1, %0, p; }" : "+d"(x) : "d"((double)__longlong_as_double(blockDim.x))))
template <class Op> struct Once { using T = typename Op::T; static __device__ __forceinline__ T run(T v, char *s) { return Op::step(v, s); } };
// eight independent chains: the interval at which one instruction follows another
template <class Op> struct Eight { using T = u32; static __device__ __forceinline__ T run(T v, char *s) { return v; } };
template <class Op, int R> __global__ void __launch_bounds__(1024) indep(long long *t0, long long *t1, typename Op::T *sink, typename Op::T seed) {
  extern __shared__ __align__(16) char smem[]; using T = typename Op::T; T v[8]; for (int i = 0; i < 8; i++) v[i] = seed == (T)0 ? (T)0 : seed + (T)(threadIdx.x * 8 + i);
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) ((int *)smem)[i] = 0;
  long long a = 0, b = 0;
#pragma unroll 1
  for (int rep = 0; rep < 3; rep++) { __syncthreads(); a = now();
#pragma unroll
    for (int r = 0; r < R; r++) { _Pragma("unroll") for (int i = 0; i < 8; i++) v[i] = Op::step(v[i], smem); }
    b = now(); __syncthreads(); }
  if ((threadIdx.x & 31) == 0) { t0[threadIdx.x / 32] = a; t1[threadIdx.x / 32] = b; }
  T s = v[0]; for (int i = 1; i < 8; i++) s += v[i]; sink[threadIdx.x] = s;
}
template <class Op> double interval(int warps, typename Op::T seed) {
  using T = typename Op::T; long long *t; T *sink; CK(cudaMallocHost(&t, 64 * 8)); CK(cudaMalloc(&sink, 1024 * sizeof(T))); std::vector<double> d[2];
  for (int trial = 0; trial < 11; trial++) for (int k = 0; k < 2; k++) {
    if (k == 0) indep<Op, 8><<<1, warps * 32, 40960>>>(t, t + 32, sink, seed); else indep<Op, 24><<<1, warps * 32, 40960>>>(t, t + 32, sink, seed);
    CK(cudaGetLastError()); CK(cudaDeviceSynchronize()); long long lo = t[0], hi = t[32]; for (int w = 1; w < warps; w++) { lo = std::min(lo, t[w]); hi = std::max(hi, t[32 + w]); } d[k].push_back(double(hi - lo)); }
  for (int k = 0; k < 2; k++) std::sort(d[k].begin(), d[k].end()); CK(cudaFreeHost(t)); CK(cudaFree(sink));
  return (d[1][5] - d[0][5]) / (16 * 8);
}
template <class Op> void lat(const char *n, typename Op::T seed = 1, std::vector<int> threads = {32}) { for (int th : threads) { Slope s = slope<Once<Op>, 32, 96>(th, seed); printf("latency,%s,%d,%.3f,%.3f\n", n, th / 32, s.first_warp, s.block); } }
template <class Op> void thr(const char *n, typename Op::T seed = 1) { for (int w : {1, 2, 4, 8, 16, 32}) printf("interval,%s,%d,%.3f,\n", n, w, interval<Op>(w, seed)); }


int main() {
  cudaDeviceProp p; CK(cudaGetDeviceProperties(&p, 0)); printf("# %s cc %d.%d; functions.cu\nkind,step,warps,cycles,block_cycles\n", p.name, p.major, p.minor);
#define B(op, seed) lat<op>(#op, seed); thr<op>(#op, seed);
  B(ex2, 0.5f)
  B(rcp, 0.5f)
  B(rsq, 0.5f)
  B(sqrt_, 0.5f)
  B(lg2, 0.5f)
  B(sin_, 0.5f)
  B(cos_, 0.5f)
  B(tanh_, 0.5f)
  B(f2i_i2f, 0.5f)
  B(f2i_iadd_shl, 1)
  B(i2f_rp, 1)
  B(i2f_rn, 1)
  B(frnd, 0.5f)
  B(f2d_d2f, 0.5f)
  B(i2d_d2i, 1)
  B(h2f_f2h, 1)
  B(hfma2, 1)
  B(hadd2, 1)
  B(hmul2, 1)
  B(bfma2, 1)
  B(imad_wide, 1)
  B(mul_hi, 1)
  B(mul64, 1)
  B(add64, 1)
  B(prmt, 1)
  B(shf, 1)
  B(lop3, 1)
  B(bfe_bfi, 1)
  B(match_all_mask, 1)
  B(match_all_pred, 1)
  B(match_all_both, 1)
  B(bar_red_popc, 1)
  B(bar_red_or, 1)
  B(bar_red_two, 1)
  B(r2p_sel, 1)
  B(div_f32, 0.5f)
  B(div_approx, 0.5f)
  B(sqrt_rn, 0.5f)
  B(drcp, 0.5)
  B(dsetp_sel, 0.5)
  return 0; }
