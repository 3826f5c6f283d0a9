// Where a block's time goes: clock readings between the stages of small kernels, in warm and in wiped memory.
// Build: nvcc -O3 -std=c++17 -arch=sm_90 -o stages stages.cu   Run: ./stages > stages.csv
#include "cases.cuh"
#define T threadIdx.x
#define L (threadIdx.x & 31)
#define W (threadIdx.x / 32)
static const int K = 12;  // clock readings a block at most
__device__ __forceinline__ void put(long long *c, long long *out, int n) { if (T == 0) for (int i = 0; i < n; i++) out[(size_t)blockIdx.x * K + i] = c[i]; }
// index, bound, load, store: each between two readings
__global__ void stage_copy(const float *x, float *y, int n, long long *out) { long long c[K]; c[0] = now(); c[1] = now(); int i = blockIdx.x * blockDim.x + T; if (i == 0x7fffffff) *y = 1; c[2] = now(); if (i >= n) return; c[3] = now(); float v = x[i]; if (v == 12345.f) *y = 1; c[4] = now(); y[i] = v; c[5] = now(); y[i + n] = v; c[6] = now(); float w = x[i + n]; if (w == 12345.f) *y = 1; c[7] = now(); unsigned z = blockIdx.z; if (z == 77) *y = 1; c[8] = now(); put(c, out, 9); }
// two loads, two stores and a load, as in saxpy
__global__ void stage_saxpy(const float *x, float *y, int n, long long *out) { long long c[K]; c[0] = now(); int i = blockIdx.x * blockDim.x + T; if (i < n) { float a = x[i], b = y[i]; c[1] = now(); y[i] = 1.5f * a + b; } c[2] = now(); c[3] = now(); put(c, out, 4); }
// the copy of the grids, readings only at both ends
__global__ void stage_plain(const float *x, float *y, int n, long long *out) { long long c[K]; c[0] = now(); int i = blockIdx.x * blockDim.x + T; if (i < n) y[i] = x[i]; c[1] = now(); put(c, out, 2); }
// a sum of a block through shared memory: load, tree of the warp, first barrier, second tree, one atomic
__global__ void stage_sum(const float *x, float *y, int n, long long *out) { __shared__ float m[33]; long long c[K]; c[0] = now(); int i = blockIdx.x * blockDim.x + T; float v = i < n ? x[i] : 0.f; if (v == 12345.f) *y = 1; c[1] = now(); v = warp_sum(v); if (v == 12345.f) *y = 1; c[2] = now(); if (L == 0) m[W] = v; c[3] = now(); __syncthreads(); c[4] = now(); v = T < blockDim.x / 32 ? m[L] : 0.f; if (W == 0) v = warp_sum(v); if (v == 12345.f) *y = 1; c[5] = now(); if (T == 0) atomicAdd(y, v); c[6] = now(); put(c, out, 7); }
// what the last block does: store, fence, ticket, barrier, load
__device__ unsigned ticket2;
__global__ void stage_last(const float *x, float *y, int n, long long *out) { __shared__ unsigned last; long long c[K]; c[0] = now(); int i = blockIdx.x * blockDim.x + T; float v = i < n ? x[i] : 0.f; if (v == 12345.f) *y = 1; c[1] = now(); if (T == 0) { y[blockIdx.x] = v; c[2] = now(); __threadfence(); c[3] = now(); unsigned k = atomicInc(&ticket2, gridDim.x - 1); last = k == gridDim.x - 1; c[4] = now(); } c[5] = now(); __syncthreads(); c[6] = now(); if (last) v += ((volatile float *)y)[T % gridDim.x]; if (v == 12345.f) *y = 1; c[7] = now(); put(c, out, 8); }
// an atomic a lane, by data, without a result
__global__ void stage_bins(const int *x, unsigned *bins, int n, long long *out) { long long c[K]; c[0] = now(); int i = blockIdx.x * blockDim.x + T; int v = i < n ? x[i] : 0; if (v == 12345) *bins = 1; c[1] = now(); atomicAdd(&bins[(v >> 16) & 255], 1u); c[2] = now(); __syncthreads(); c[3] = now(); put(c, out, 4); }
template <class F> void row(const char *name, int stages, int blocks, int threads, F launch, long long *out, float4 *junk, size_t njunk) {
  std::vector<long long> h((size_t)blocks * K);
  for (int cold = 0; cold < 2; cold++) { std::vector<std::vector<double>> d(stages);
    for (int t = 0; t < 9; t++) { if (cold) wipe<<<1056, 256>>>(junk, njunk); launch(); CK(cudaDeviceSynchronize()); CK(cudaMemcpy(h.data(), out, h.size() * 8, cudaMemcpyDeviceToHost)); if (t < 2) continue;
      for (int k = 0; k + 1 < stages; k++) { std::vector<double> v; for (int b = 0; b < blocks; b++) v.push_back(double(h[(size_t)b * K + k + 1] - h[(size_t)b * K + k])); d[k].push_back(median(v)); }
      std::vector<double> v; for (int b = 0; b < blocks; b++) v.push_back(double(h[(size_t)b * K + stages - 1] - h[(size_t)b * K])); d[stages - 1].push_back(median(v)); }
    printf("%s,%d,%d,%s", name, blocks, threads, cold ? "cold" : "warm"); for (auto &v : d) printf(",%.1f", median(v)); printf("\n"); fflush(stdout); } }
int main() { const size_t NJ = 1 << 24; float4 *junk; CK(cudaMalloc(&junk, NJ * 16)); size_t N = 1 << 22; float *x = floats(N), *y = floats(N, 11, 97); int *ix = ints(N); unsigned *bins; CK(cudaMalloc(&bins, 4096)); CK(cudaMemset(bins, 0, 4096)); long long *out; CK(cudaMalloc(&out, (size_t)K * 8 * 4096));
  printf("# %s\nkernel,blocks,threads,state,cycles of each stage (median block) and of all\n", "NVIDIA H200 (compute capability 9.0, driver 580, CUDA 13.0), SM clock 1.98 GHz; programs/stages.cu");
  for (int th : {32, 128, 256, 1024}) for (int b : {1, 16, 128, 512, 1024}) { if (th * b > 1 << 18) continue; int n = th * b;
#define ROW(k, s, a, c) row(#k, s, b, th, [&] { k<<<b, th>>>(a, c, n, out); }, out, junk, NJ);
    ROW(stage_plain, 2, x, y) ROW(stage_copy, 9, x, y) ROW(stage_saxpy, 4, x, y) ROW(stage_sum, 7, x, y) ROW(stage_last, 8, x, y) ROW(stage_bins, 4, ix, bins) }
  return 0; }
