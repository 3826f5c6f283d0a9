// Build: nvcc -O3 -std=c++17 -arch=sm_90 -o queue queue.cu   Run: ./queue > queue.csv
// How many reductions a multiprocessor takes before the stores behind them wait: W warps of every block reduce R times,
// meet, and warp 0 stores the clock again and again, each time into the register that the store before read.
#include "cases.cuh"
static const int K = 20;
// pattern 0: 32 sectors of 8 lines, others of each turn and warp; 1: one word; 2: one line of consecutive words; 3: 32 lines
template <class V> __global__ void queue(V *bins, int pattern, int lanes, int turns, long long *out) { int l = threadIdx.x & 31, w = threadIdx.x / 32; long long a = now();
#pragma unroll 1
  for (int r = 0; r < turns; r++) { int i = pattern == 0 ? ((l * 8) + ((w + r) & 7)) & 255 : pattern == 1 ? 0 : pattern == 2 ? l + 32 * ((w + r) & 7) : l * 32 + ((w + r) & 31); if (l < lanes) atomicAdd(&bins[i], (V)1); }
  long long b = now(); __syncthreads(); if (threadIdx.x == 0) { long long *o = out + (size_t)blockIdx.x * K * 16; o[0] = a; o[16] = b; asm volatile("" ::: "memory");
    long long t = now();
#pragma unroll 1
    for (int k = 2; k < K; k++) { asm volatile("st.global.u64 [%1], %0; mov.u64 %0, %%clock64;" : "+l"(t) : "l"(o + k * 16) : "memory"); } } }
template <class V> void one(const char *type, V *bins, int blocks, int warps, int pattern, int lanes, int turns, long long *out, V *wide) {
  std::vector<long long> h((size_t)blocks * K * 16); std::vector<std::vector<double>> d(K);
  for (int t = 0; t < 6; t++) { queue<V><<<blocks, warps * 32>>>(bins, pattern, lanes, turns, out); CK(cudaDeviceSynchronize()); CK(cudaMemcpy(h.data(), out, h.size() * 8, cudaMemcpyDeviceToHost)); if (!t) continue;
    for (int k = 1; k < K; k++) { std::vector<double> v; for (int b = 0; b < blocks; b++) v.push_back(double(h[((size_t)b * K + k) * 16] - h[((size_t)b * K) * 16])); d[k].push_back(median(v)); } }
  printf("%s,%d,%d,%d,%d,%d,", type, blocks, warps, pattern, lanes, turns); for (int k = 1; k < K; k++) printf(" %.0f", median(d[k])); printf("\n"); fflush(stdout); }
int main() { unsigned *bins; float *f; CK(cudaMalloc(&bins, 1 << 20)); CK(cudaMemset(bins, 0, 1 << 20)); CK(cudaMalloc(&f, 1 << 20)); CK(cudaMemset(f, 0, 1 << 20)); long long *out; CK(cudaMalloc(&out, (size_t)K * 16 * 8 * 1056));
  printf("type,blocks,warps,pattern,lanes,turns,cycles from the begin to the end of the reductions and to each store\n");
  for (int blocks : {1, 132}) for (int pattern : {0, 1, 2, 3}) for (int lanes : {32, 8, 1}) for (int w : {1, 2, 4, 8, 16, 24, 28, 30, 31, 32}) for (int turns : {1, 2, 4, 16}) { if (pattern == 1 && lanes == 8) continue; if (turns > 1 && w > 16 && w != 32) continue; one<unsigned>("u32", bins, blocks, w, pattern, lanes, turns, out, bins); if (pattern < 2) one<float>("f32", f, blocks, w, pattern, lanes, turns, out, f); }
  for (int blocks : {264, 528, 1056}) for (int w : {1, 2, 4, 8}) for (int turns : {1, 2, 4}) one<unsigned>("u32", bins, blocks, w, 0, 32, turns, out, bins);
  return 0; }
