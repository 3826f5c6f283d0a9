// The timing code of the grids itself, and single reads of special registers and constants, between clock readings.
#include "cases.cuh"
#define T threadIdx.x
static const int K = 12;
__device__ __forceinline__ void put(long long *c, long long *out, int n) { if (T == 0) for (int i = 0; i < n; i++) out[(size_t)blockIdx.x * K + i] = c[i]; }
// as copy_f32, with readings after the timing code, the index, the load and the store
__global__ void enter_copy(const float *x, float *y, int n, Span *s, long long *out) { long long c[K]; enter(s); c[0] = now(); int i = blockIdx.x * blockDim.x + T; if (i < n) { c[1] = now(); float v = x[i]; if (v == 12345.f) *y = 1; c[2] = now(); y[i] = v; } c[3] = now(); leave(s); c[4] = now(); put(c, out, 5); }
__global__ void enter_hist(const int *x, unsigned *bins, int n, Span *s, long long *out) { long long c[K]; enter(s); c[0] = now(); for (int i = blockIdx.x * blockDim.x + T; i < n; i += gridDim.x * blockDim.x) { c[1] = now(); int v = x[i]; if (v == 12345) *bins = 1; c[2] = now(); atomicAdd(&bins[(v >> 16) & 255], 1u); c[3] = now(); } c[4] = now(); __syncthreads(); c[5] = now(); leave(s); c[6] = now(); put(c, out, 7); }
#define REG(name, reg) __global__ void reg_##name(long long *out, unsigned *o) { long long c[K]; unsigned v, w, u; c[0] = now(); asm volatile("mov.u32 %0, %%" reg ";" : "=r"(v)); if (v == 0xfffffff0u) *o = v; c[1] = now(); asm volatile("mov.u32 %0, %%" reg ";" : "=r"(w)); if (w == 0xfffffff0u) *o = w; c[2] = now(); asm volatile("mov.u32 %0, %%" reg ";" : "=r"(u)); asm volatile("mov.u32 %0, %%" reg ";" : "=r"(w)); if (u + w == 0xfffffff0u) *o = w; c[3] = now(); put(c, out, 4); }
REG(ctaidx, "ctaid.x") REG(ctaidy, "ctaid.y") REG(ctaidz, "ctaid.z") REG(tidx, "tid.x") REG(tidy, "tid.y") REG(smid, "smid") REG(laneid, "laneid") REG(warpid, "warpid") REG(nsmid, "nsmid")
// constants: of the arguments, of the launch and of module variables, first and second time
__device__ unsigned some, other[64];
struct Big { unsigned v[1000]; };
__global__ void bank0(long long *out, unsigned *o, __grid_constant__ const Big b, int z) { long long c[K]; c[0] = now(); unsigned v = b.v[0 + z]; if (v == 77) *o = v; c[1] = now(); v = b.v[1 + z]; if (v == 77) *o = v; c[2] = now(); v = b.v[16 + z]; if (v == 77) *o = v; c[3] = now(); v = b.v[32 + z]; if (v == 77) *o = v; c[4] = now(); v = b.v[128 + z]; if (v == 77) *o = v; c[5] = now(); v = b.v[256 + z]; if (v == 77) *o = v; c[6] = now(); v = b.v[320 + z]; if (v == 77) *o = v; c[7] = now(); v = b.v[900 + z]; if (v == 77) *o = v; c[8] = now(); put(c, out, 9); }
__global__ void bank4(long long *out, unsigned *o) { long long c[K]; c[0] = now(); unsigned *p = &some; asm volatile("" : "+l"(p)); if (p == nullptr) *o = 1; c[1] = now(); unsigned v = atomicAdd(p, 1u); if (v == 0xfffffff0u) *o = v; c[2] = now(); v = atomicAdd(p + 8, 1u); if (v == 0xfffffff0u) *o = v; c[3] = now(); __threadfence(); c[4] = now(); __threadfence(); c[5] = now(); v = atomicAdd(p, 1u); if (v == 0xfffffff0u) *o = v; c[6] = now(); *o = 1; __threadfence(); c[7] = now(); v = atomicAdd(p, 1u); if (v == 0xfffffff0u) *o = v; c[8] = now(); put(c, out, 9); }
template <class F> void row(const char *name, int stages, int blocks, int threads, F launch, long long *out, float4 *junk, size_t njunk) {
  std::vector<long long> h((size_t)blocks * K);
  for (int cold = 0; cold < 2; cold++) { std::vector<std::vector<double>> d(stages);
    for (int t = 0; t < 9; t++) { if (cold) wipe<<<1056, 256>>>(junk, njunk); launch(); CK(cudaDeviceSynchronize()); CK(cudaMemcpy(h.data(), out, h.size() * 8, cudaMemcpyDeviceToHost)); if (t < 2) continue;
      for (int k = 0; k + 1 < stages; k++) { std::vector<double> v; for (int b = 0; b < blocks; b++) v.push_back(double(h[(size_t)b * K + k + 1] - h[(size_t)b * K + k])); d[k].push_back(median(v)); }
      std::vector<double> v; for (int b = 0; b < blocks; b++) v.push_back(double(h[(size_t)b * K + stages - 1] - h[(size_t)b * K])); d[stages - 1].push_back(median(v)); }
    printf("%s,%d,%d,%s", name, blocks, threads, cold ? "cold" : "warm"); for (auto &v : d) printf(",%.1f", median(v)); printf("\n"); fflush(stdout); } }
int main() { const size_t NJ = 1 << 24; float4 *junk; CK(cudaMalloc(&junk, NJ * 16)); size_t N = 1 << 22; float *x = floats(N), *y = floats(N, 11, 97); int *ix = ints(N); unsigned *bins; CK(cudaMalloc(&bins, 4096)); CK(cudaMemset(bins, 0, 4096)); long long *out; CK(cudaMalloc(&out, (size_t)K * 8 * 4096)); Span *s; CK(cudaMalloc(&s, 4096 * sizeof(Span))); Big b; memset(&b, 0, sizeof b);
  printf("kernel,blocks,threads,state,cycles of each stage (median block) and of all\n");
  for (int th : {32, 128, 256, 1024}) for (int bl : {1, 16, 128, 512, 1024}) { if (th * bl > 1 << 18) continue; int n = th * bl;
#define ROW(k, st, ...) row(#k, st, bl, th, [&] { k<<<bl, th>>>(__VA_ARGS__); }, out, junk, NJ);
    ROW(enter_copy, 5, x, y, n, s, out) ROW(enter_hist, 7, ix, bins, n, s, out) ROW(bank0, 9, out, bins, b, 0) ROW(bank4, 9, out, bins)
    if (bl == 1 || bl == 128) { ROW(reg_ctaidx, 4, out, bins) ROW(reg_ctaidy, 4, out, bins) ROW(reg_ctaidz, 4, out, bins) ROW(reg_tidx, 4, out, bins) ROW(reg_tidy, 4, out, bins) ROW(reg_smid, 4, out, bins) ROW(reg_laneid, 4, out, bins) ROW(reg_warpid, 4, out, bins) ROW(reg_nsmid, 4, out, bins) } }
  return 0; }
