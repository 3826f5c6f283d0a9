// Further measurements: how instructions follow each other. Build: nvcc -O3 -std=c++17 -arch=sm_90 -o further further.cu   Run: ./further
#include "measure.cuh"
#include <string>
using u32 = unsigned; using u64 = unsigned long long;
#define OP(name, type, ...) struct name { using T = type; static __device__ __forceinline__ T step(T x, char *smem) { __VA_ARGS__; return x; } };
#define ZF "f"(__int_as_float(blockDim.x >> 20))
#define ZI "r"(blockDim.x >> 20)
#define SM ((u32)__cvta_generic_to_shared(smem))
OP(lds_fadd, u32, asm volatile("{ .reg .f32 f; ld.volatile.shared.f32 f, [%0]; add.f32 f, f, %1; mov.b32 %0, f; }" : "+r"(x) : ZF : "memory"))
OP(lds_ffma_c, u32, asm volatile("{ .reg .f32 f; ld.volatile.shared.f32 f, [%0]; fma.rn.f32 f, %1, %1, f; mov.b32 %0, f; }" : "+r"(x) : ZF : "memory"))
OP(lds_lop, u32, asm volatile("{ .reg .u32 q; ld.volatile.shared.u32 q, [%0]; xor.b32 %0, q, %1; }" : "+r"(x) : ZI : "memory"))
OP(lds_shfl, u32, asm volatile("{ .reg .u32 q; ld.volatile.shared.u32 q, [%0]; shfl.sync.down.b32 %0, q, 1, 31, 0xffffffff; }" : "+r"(x) :: "memory"))
OP(lds_fadd_bar, u32, asm volatile("{ .reg .f32 f; ld.volatile.shared.f32 f, [%0]; add.f32 f, f, %1; mov.b32 %0, f; bar.sync 0; }" : "+r"(x) : ZF : "memory"))
OP(lds_lop_bar, u32, asm volatile("{ .reg .u32 q; ld.volatile.shared.u32 q, [%0]; xor.b32 %0, q, %1; bar.sync 0; }" : "+r"(x) : ZI : "memory"))
OP(sts_bar, u32, { u32 a = SM + threadIdx.x * 4; asm volatile("st.volatile.shared.u32 [%1], %0; bar.sync 0;" : "+r"(x) : "r"(a) : "memory"); })
OP(sts_lds_fadd, float, { u32 a = SM + threadIdx.x * 4; asm volatile("st.volatile.shared.f32 [%1], %0; ld.volatile.shared.f32 %0, [%1]; add.f32 %0, %0, %2;" : "+f"(x) : "r"(a), ZF : "memory"); })
OP(sts_lds_shfl, u32, { u32 a = SM + threadIdx.x * 4; asm volatile("st.volatile.shared.u32 [%1], %0; ld.volatile.shared.u32 %0, [%1]; shfl.sync.down.b32 %0, %0, 1, 31, 0xffffffff;" : "+r"(x) : "r"(a) : "memory"); })
OP(sts_bar_shfl, u32, { u32 a = SM + threadIdx.x * 4; asm volatile("st.volatile.shared.u32 [%1], %0; bar.sync 0; shfl.sync.down.b32 %0, %0, 1, 31, 0xffffffff;" : "+r"(x) : "r"(a) : "memory"); })
OP(shfl_bar, u32, asm volatile("shfl.sync.down.b32 %0, %0, 1, 31, 0xffffffff; bar.sync 0;" : "+r"(x) :: "memory"))
OP(fadd_bar, float, asm volatile("add.f32 %0, %0, %1; bar.sync 0;" : "+f"(x) : ZF : "memory"))
OP(fadd4_bar, float, asm volatile("add.f32 %0, %0, %1; add.f32 %0, %0, %1; add.f32 %0, %0, %1; add.f32 %0, %0, %1; bar.sync 0;" : "+f"(x) : ZF : "memory"))
OP(shfl_ffma, float, asm volatile("{ .reg .f32 q; shfl.sync.down.b32 q, %0, 1, 31, 0xffffffff; fma.rn.f32 %0, q, %1, %1; }" : "+f"(x) : ZF))
OP(shfl_own_fadd, float, asm volatile("shfl.sync.down.b32 %0, %0, 1, 31, 0xffffffff; add.f32 %0, %0, %1;" : "+f"(x) : ZF))
OP(s2r_lane, u32, asm volatile("{ .reg .u32 q; mov.u32 q, %%laneid; add.u32 %0, %0, q; }" : "+r"(x)))
OP(s2r_ctarank, u32, asm volatile("{ .reg .u32 q; mov.u32 q, %%cluster_ctarank; add.u32 %0, %0, q; }" : "+r"(x)))
OP(s2r_ctaid, u32, asm volatile("{ .reg .u32 q; mov.u32 q, %%ctaid.y; add.u32 %0, %0, q; }" : "+r"(x)))
OP(s2r_smid, u32, asm volatile("{ .reg .u32 q; mov.u32 q, %%smid; add.u32 %0, %0, q; }" : "+r"(x)))
OP(s2r_lanemask, u32, asm volatile("{ .reg .u32 q; mov.u32 q, %%lanemask_lt; add.u32 %0, %0, q; }" : "+r"(x)))
OP(clock32, u32, asm volatile("{ .reg .u32 q; mov.u32 q, %%clock; add.u32 %0, %0, q; }" : "+r"(x)))
OP(hfma, u32, asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(x) : ZI))
OP(imad_wide, u64, asm volatile("{ .reg .u32 a, b; mov.b64 {a, b}, %0; mad.wide.u32 %0, a, %1, %0; }" : "+l"(x) : ZI))
OP(cvt_f2i_i2f, float, asm volatile("{ .reg .s32 q; cvt.rzi.s32.f32 q, %0; cvt.rn.f32.s32 %0, q; }" : "+f"(x)))
OP(fsetp_fsel, float, asm volatile("{ .reg .pred p; setp.gt.f32 p, %0, %1; selp.f32 %0, %1, %0, p; }" : "+f"(x) : ZF))
OP(dsetp_sel, double, asm volatile("{ .reg .pred p; setp.gt.f64 p, %0, %1; selp.f64 %0, %1, %0, p; }" : "+d"(x) : "d"(__longlong_as_double(blockDim.x))))
OP(setp_pbra_add, u32, asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, %1; @p add.u32 %0, %0, %1; }" : "+r"(x) : ZI))
OP(mufu_fadd, float, asm volatile("ex2.approx.ftz.f32 %0, %0; add.f32 %0, %0, %1;" : "+f"(x) : ZF))
OP(mufu_rcp, float, asm volatile("rcp.approx.ftz.f32 %0, %0;" : "+f"(x)))
OP(imax, u32, asm volatile("max.u32 %0, %0, %1; xor.b32 %0, %0, %1;" : "+r"(x) : ZI))
OP(shl_chain, u32, asm volatile("shl.b32 %0, %0, %1;" : "+r"(x) : ZI))
OP(prmt, u32, asm volatile("prmt.b32 %0, %0, %1, 0x2103;" : "+r"(x) : ZI))
OP(elect, u32, asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, %0, 1, p; }" : "+r"(x)))
OP(bar_named, u32, asm volatile("bar.sync 1;" ::: "memory"))
OP(bar_named_count, u32, asm volatile("bar.sync 1, %0;" :: "r"(blockDim.x) : "memory"))
OP(bar_arrive_sync, u32, { if (blockDim.x > 32) { if (threadIdx.x < 32) asm volatile("bar.sync 1, %0;" :: "r"(blockDim.x) : "memory"); else asm volatile("bar.arrive 1, %0;" :: "r"(blockDim.x) : "memory"); } asm volatile("bar.sync 0;" ::: "memory"); })
OP(membar_cta, u32, asm volatile("fence.acq_rel.cta;" ::: "memory"))
OP(membar_gpu, u32, asm volatile("fence.acq_rel.gpu;" ::: "memory"))
template <int WAY> struct atoms_way { using T = u32; static __device__ __forceinline__ T step(T x, char *smem) { u32 a = SM + (threadIdx.x & 31) / WAY * 4; asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(x) : "r"(a) : "memory"); return x; } };
template <int WAY> struct atoms_bank { using T = u32; static __device__ __forceinline__ T step(T x, char *smem) { u32 a = SM + ((threadIdx.x & 31) / WAY + (threadIdx.x & 31) % WAY * 32) * 4; asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(x) : "r"(a) : "memory"); return x; } };
template <int WAY> struct atoms_cas { using T = u32; static __device__ __forceinline__ T step(T x, char *smem) { u32 a = SM + (threadIdx.x & 31) / WAY * 4; asm volatile("atom.shared.cas.b32 %0, [%1], %0, 5;" : "+r"(x) : "r"(a) : "memory"); return x; } };
template <int WAY> struct atoms_exch { using T = u32; static __device__ __forceinline__ T step(T x, char *smem) { u32 a = SM + (threadIdx.x & 31) / WAY * 4; asm volatile("atom.shared.exch.b32 %0, [%1], %0;" : "+r"(x) : "r"(a) : "memory"); return x; } };
template <int WAY> struct reds_way { using T = u32; static __device__ __forceinline__ T step(T x, char *smem) { u32 a = SM + (threadIdx.x & 31) / WAY * 4; asm volatile("red.shared.add.u32 [%1], %0;" : "+r"(x) : "r"(a) : "memory"); return x; } };
template <int BYTES> struct sts_wide { using T = u32; static __device__ __forceinline__ T step(T x, char *smem) { u32 a = SM + threadIdx.x * BYTES; if (BYTES == 8) asm volatile("st.volatile.shared.v2.u32 [%1], {%0, %0};" : "+r"(x) : "r"(a) : "memory"); else asm volatile("st.volatile.shared.v4.u32 [%1], {%0, %0, %0, %0};" : "+r"(x) : "r"(a) : "memory"); return x; } };
// a forward branch over twelve additions that all lanes take, none takes, half of them take
template <int MODE> struct fwd { using T = float; static __device__ __forceinline__ T step(T x, char *) {
  u32 k = MODE == 0 ? blockDim.x >> 20 : MODE == 1 ? blockDim.x : threadIdx.x & 16; float c = __int_as_float(blockDim.x >> 20);
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p bra L1; add.f32 %0,%0,%2; add.f32 %0,%0,%2; add.f32 %0,%0,%2; add.f32 %0,%0,%2; add.f32 %0,%0,%2; add.f32 %0,%0,%2; add.f32 %0,%0,%2; add.f32 %0,%0,%2; add.f32 %0,%0,%2; add.f32 %0,%0,%2; add.f32 %0,%0,%2; add.f32 %0,%0,%2; L1: }" : "+f"(x) : "r"(k), "f"(c)); return x; } };
template <int MODE> struct ifelse { using T = float; static __device__ __forceinline__ T step(T x, char *) {
  u32 k = MODE == 0 ? blockDim.x >> 20 : MODE == 1 ? blockDim.x : threadIdx.x & 16; float c = __int_as_float(blockDim.x >> 20);
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p bra L1; add.f32 %0,%0,%2; add.f32 %0,%0,%2; add.f32 %0,%0,%2; add.f32 %0,%0,%2; add.f32 %0,%0,%2; add.f32 %0,%0,%2; add.f32 %0,%0,%2; add.f32 %0,%0,%2; add.f32 %0,%0,%2; add.f32 %0,%0,%2; add.f32 %0,%0,%2; add.f32 %0,%0,%2; bra L2; L1: mul.f32 %0,%0,%2; mul.f32 %0,%0,%2; mul.f32 %0,%0,%2; mul.f32 %0,%0,%2; mul.f32 %0,%0,%2; mul.f32 %0,%0,%2; mul.f32 %0,%0,%2; mul.f32 %0,%0,%2; L2: }" : "+f"(x) : "r"(k), "f"(c)); return x; } };
template <class Op> struct Once { using T = typename Op::T; static __device__ __forceinline__ T run(T v, char *s) { return Op::step(v, s); } };
// a loop of N turns around the step: the slope over N
template <class Op> __global__ void __launch_bounds__(1024) loop(long long *t0, long long *t1, typename Op::T *sink, typename Op::T seed, int n) {
  extern __shared__ __align__(16) char smem[]; using T = typename Op::T; T v = seed == (T)0 ? (T)0 : seed + (T)threadIdx.x; for (int i = threadIdx.x; i < 2048; i += blockDim.x) ((int *)smem)[i] = 0; long long a = 0, b = 0;
#pragma unroll 1
  for (int rep = 0; rep < 3; rep++) { __syncthreads(); a = now();
#pragma unroll 1
    for (int r = 0; r < n; r++) v = Op::step(v, smem);
    b = now(); __syncthreads(); }
  if ((threadIdx.x & 31) == 0) { t0[threadIdx.x / 32] = a; t1[threadIdx.x / 32] = b; } sink[threadIdx.x] = v; }
OP(fadd1, float, asm volatile("add.f32 %0, %0, %1;" : "+f"(x) : ZF))
OP(fadd4, float, asm volatile("add.f32 %0,%0,%1; add.f32 %0,%0,%1; add.f32 %0,%0,%1; add.f32 %0,%0,%1;" : "+f"(x) : ZF))
OP(fadd8, float, asm volatile("add.f32 %0,%0,%1; add.f32 %0,%0,%1; add.f32 %0,%0,%1; add.f32 %0,%0,%1; add.f32 %0,%0,%1; add.f32 %0,%0,%1; add.f32 %0,%0,%1; add.f32 %0,%0,%1;" : "+f"(x) : ZF))
OP(barl, u32, asm volatile("bar.sync 0;" ::: "memory"))
template <class Op> void lp(const char *n, typename Op::T seed = 1) { using T = typename Op::T; for (int w : {1, 4, 8, 16, 32}) { long long *t; T *sink; CK(cudaMallocHost(&t, 64 * 8)); CK(cudaMalloc(&sink, 1024 * sizeof(T))); std::vector<double> d[2], f[2];
  for (int trial = 0; trial < 11; trial++) for (int k = 0; k < 2; k++) { loop<Op><<<1, w * 32, 40960>>>(t, t + 32, sink, seed, k ? 96 : 32); CK(cudaGetLastError()); CK(cudaDeviceSynchronize()); long long lo = t[0], hi = t[32]; for (int i = 1; i < w; i++) { lo = std::min(lo, t[i]); hi = std::max(hi, t[32 + i]); } d[k].push_back(double(hi - lo)); f[k].push_back(double(t[32] - t[0])); }
  for (int k = 0; k < 2; k++) { std::sort(d[k].begin(), d[k].end()); std::sort(f[k].begin(), f[k].end()); } printf("loop,%s,%d,%.3f,%.3f\n", n, w, (f[1][5] - f[0][5]) / 64, (d[1][5] - d[0][5]) / 64); CK(cudaFreeHost(t)); CK(cudaFree(sink)); } }
template <class Op> void lat(const char *n, typename Op::T seed = 1, std::vector<int> warps = {1}) { for (int w : warps) { Slope s = slope<Once<Op>, 32, 96>(w * 32, seed); printf("latency,%s,%d,%.3f,%.3f\n", n, w, s.first_warp, s.block); } }
__global__ void chase(u64 *p, int n, long long *out, int mode) { u64 q = (u64)p; long long a = 0, b = 0; for (int rep = 0; rep < 2; rep++) { a = now(); if (mode) for (int i = 0; i < n; i++) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(q) :: "memory"); else for (int i = 0; i < n; i++) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(q) :: "memory"); if (q == 0) out[1] = 1; b = now(); } out[0] = (b - a) / n; }
static double chase_run(size_t bytes, size_t stride, int mode, int lim) { size_t n = bytes / stride; std::vector<u64> h(bytes / 8); u64 *d; CK(cudaMalloc(&d, bytes)); for (size_t i = 0; i < n; i++) h[i * stride / 8] = (u64)d + ((i + 1) % n) * stride; CK(cudaMemcpy(d, h.data(), bytes, cudaMemcpyHostToDevice)); long long *o; CK(cudaMallocHost(&o, 16)); chase<<<1, 1>>>(d, (int)std::min<size_t>(n, lim), o, mode); CK(cudaDeviceSynchronize()); double r = (double)o[0]; CK(cudaFree(d)); CK(cudaFreeHost(o)); return r; }
// one warp or more: loads of 4 bytes a lane at a stride, from data in L1 or L2, dependent through the address
template <int CA> __global__ void gl(const u32 *p, int stride, int n, long long *t0, long long *t1, u32 *sink) { u32 x = 0; long long a = 0, b = 0; const u32 *q = p + (size_t)threadIdx.x * stride; for (int rep = 0; rep < 3; rep++) { __syncthreads(); a = now();
#pragma unroll 16
    for (int i = 0; i < n; i++) { u32 y; if (CA) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(y) : "l"(q + x) : "memory"); else asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(y) : "l"(q + x) : "memory"); x = y; }
    b = now(); } if ((threadIdx.x & 31) == 0) { t0[threadIdx.x / 32] = a; t1[threadIdx.x / 32] = b; } sink[threadIdx.x] = x; }
template <int CA> void glr(int stride, int w) { u32 *p, *sink; long long *t; size_t bytes = (size_t)w * 32 * stride * 4 + 64; CK(cudaMalloc(&p, bytes)); CK(cudaMemset(p, 0, bytes)); CK(cudaMalloc(&sink, 4096)); CK(cudaMallocHost(&t, 64 * 8)); double r[2]; for (int k = 0; k < 2; k++) { std::vector<double> d; for (int tr = 0; tr < 7; tr++) { gl<CA><<<1, w * 32>>>(p, stride, k ? 96 : 32, t, t + 32, sink); CK(cudaDeviceSynchronize()); long long lo = t[0], hi = t[32]; for (int i = 1; i < w; i++) { lo = std::min(lo, t[i]); hi = std::max(hi, t[32 + i]); } d.push_back(double(hi - lo)); } std::sort(d.begin(), d.end()); r[k] = d[3]; } printf("ldg,%s_stride%d,%d,%.2f,\n", CA ? "l1" : "l2", stride, w, (r[1] - r[0]) / 64); CK(cudaFree(p)); CK(cudaFree(sink)); CK(cudaFreeHost(t)); }
int main() {
#define L(op) lat<op>(#op)
#define LZ(op) lat<op>(#op, 0)
#define LW(op) lat<op>(#op, 0, {1, 2, 4, 8, 16, 32})
  printf("kind,step,warps,cycles,block_cycles\n");
  LZ(lds_fadd); LZ(lds_ffma_c); LZ(lds_lop); LZ(lds_shfl); LW(lds_fadd_bar); LW(lds_lop_bar); LW(sts_bar); LZ(sts_lds_fadd); LZ(sts_lds_shfl); LW(sts_bar_shfl); LW(shfl_bar); LW(fadd_bar); LW(fadd4_bar); LZ(shfl_ffma); LZ(shfl_own_fadd);
  LW(s2r_lane); LW(s2r_ctarank); LZ(s2r_ctaid); LZ(s2r_smid); LZ(s2r_lanemask); L(clock32); L(hfma); L(imad_wide); L(cvt_f2i_i2f); L(fsetp_fsel); L(dsetp_sel); L(setp_pbra_add); L(mufu_fadd); L(mufu_rcp); L(imax); L(shl_chain); L(prmt); L(elect);
  LW(bar_named); LW(bar_named_count); LW(bar_arrive_sync); L(membar_cta); L(membar_gpu);
  lat<atoms_way<1>>("atoms_way1"); lat<atoms_way<2>>("atoms_way2"); lat<atoms_way<4>>("atoms_way4"); lat<atoms_way<8>>("atoms_way8"); lat<atoms_way<16>>("atoms_way16"); lat<atoms_bank<2>>("atoms_bank2"); lat<atoms_bank<4>>("atoms_bank4"); lat<atoms_bank<32>>("atoms_bank32"); lat<atoms_cas<1>>("atoms_cas1"); lat<atoms_cas<4>>("atoms_cas4"); lat<atoms_exch<1>>("atoms_exch1"); lat<atoms_exch<4>>("atoms_exch4"); lat<reds_way<1>>("reds_way1"); lat<reds_way<4>>("reds_way4"); lat<atoms_way<4>>("atoms_way4", 1, {4, 32}); lat<atoms_way<16>>("atoms_way16", 1, {4, 32}); lat<sts_wide<8>>("sts64"); lat<sts_wide<16>>("sts128"); lat<sts_wide<16>>("sts128", 1, {4, 32});
  lat<fwd<0>>("fwd_not_taken", 1, {1, 8, 32}); lat<fwd<1>>("fwd_taken", 1, {1, 8, 32}); lat<fwd<2>>("fwd_divergent", 1, {1, 8, 32}); lat<ifelse<0>>("ifelse_not_taken", 1, {1, 32}); lat<ifelse<1>>("ifelse_taken", 1, {1, 32}); lat<ifelse<2>>("ifelse_divergent", 1, {1, 32});
  lp<fadd1>("fadd1"); lp<fadd4>("fadd4"); lp<fadd8>("fadd8"); lp<barl>("bar");
  for (int w : {1, 4, 32}) for (int s : {0, 1, 2, 8, 32}) { glr<1>(s, w); glr<0>(s, w); }
  printf("chase,l1,1,%.1f,\nchase,l2_8m,1,%.1f,\nchase,l2_16m,1,%.1f,\nchase,dram_4g,1,%.1f,\n", chase_run(16384, 64, 1, 100000), chase_run(8 << 20, 256, 0, 100000), chase_run(16 << 20, 256, 0, 100000), chase_run(size_t(4) << 30, 4096 + 128, 0, 1000000));
  return 0;
}
