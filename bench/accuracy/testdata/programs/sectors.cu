// Loads and stores past the first level by sectors a request, by multiprocessors: cycles of a block and what all move in a cycle.
// Build: nvcc -O3 -std=c++17 -arch=sm_90 -o sectors sectors.cu   Run: ./sectors > sectors.csv
#include "span.cuh"
static const int R = 16;
// every warp touches 32/sectors lines a turn, `sectors` sectors of each, `lanes` lanes a sector; lines are a permutation of the footprint
template <int STORE> __global__ void touch(char *p, unsigned lines, int sectors, int lanes, long long *out, unsigned *sink) {
  unsigned l = threadIdx.x & 31, w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, v = 0; unsigned g = l / lanes, perline = sectors, line = g / perline, sector = g % perline, nl = 32 / lanes / perline; if (nl == 0) nl = 1;
  __syncthreads(); long long a = now(); unsigned q[R];
#pragma unroll
  for (int r = 0; r < R; r++) { unsigned k = ((w * R + r) * nl + line) * 2654435761u; k = (k >> 7) % lines; char *x = p + (size_t)k * 128 + sector * 32 + (l % lanes) * 4; if (STORE) asm volatile("st.global.u32 [%0], %1;" :: "l"(x), "r"(l) : "memory"); else asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(q[r]) : "l"(x) : "memory"); }
  if (!STORE) for (int r = 0; r < R; r++) v += q[r]; else __threadfence();
  if (v == 12345) *sink = v; long long b = now(); __syncthreads(); long long c = now(); if (threadIdx.x == 0) { out[blockIdx.x * 2] = b - a; out[blockIdx.x * 2 + 1] = c - a; } }
int main() { char *buf; size_t CAP = 64 << 20; CK(cudaMalloc(&buf, CAP)); CK(cudaMemset(buf, 0, CAP)); long long *out; CK(cudaMalloc(&out, 16 * 1056)); unsigned *sink; CK(cudaMalloc(&sink, 64));
  printf("what,blocks,threads,kilobytes,sectors a line,lanes a sector,cycles of warp 0,cycles of a block (medians of blocks),slowest block\n");
  for (int store = 0; store < 2; store++) for (int blocks : {1, 16, 66, 132}) for (int th : {32, 256, 1024}) for (int kb : {512, 16384}) for (int sectors : {1, 2, 4}) for (int lanes : {1, 2, 8}) { std::vector<double> m0, m1, mx; if (sectors * lanes > 32) continue;
    for (int t = 0; t < 9; t++) { if (store) touch<1><<<blocks, th>>>(buf, kb * 8, sectors, lanes, out, sink); else touch<0><<<blocks, th>>>(buf, kb * 8, sectors, lanes, out, sink); CK(cudaDeviceSynchronize()); std::vector<long long> h(blocks * 2); CK(cudaMemcpy(h.data(), out, h.size() * 8, cudaMemcpyDeviceToHost)); if (t < 2) continue; std::vector<double> a, b; for (int i = 0; i < blocks; i++) { a.push_back(h[2 * i]); b.push_back(h[2 * i + 1]); } m0.push_back(median(a)); m1.push_back(median(b)); mx.push_back(*std::max_element(b.begin(), b.end())); }
    printf("%s,%d,%d,%d,%d,%d,%.0f,%.0f,%.0f\n", store ? "store" : "load", blocks, th, kb, sectors, lanes, median(m0), median(m1), median(mx)); fflush(stdout); }
  return 0; }
