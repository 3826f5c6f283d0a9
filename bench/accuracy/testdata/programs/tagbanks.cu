// Loads that hit the first level: each lane its own line, in a bank of its own. The
// lines' numbers differ in five bits. Cycles between two loads of a full multiprocessor.
// nvcc -arch=sm_90 -O3 tagbanks.cu -o tagbanks && ./tagbanks > tagbanks.csv
#include <cstdio>
#include <cstdint>
#include <cuda_runtime.h>

__device__ __forceinline__ void load(uint32_t &v, const uint32_t *p) {
  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p));
}

// Lane l loads word l of line base + the lines whose bits are set in l.
struct Bits { int at[5]; };
__global__ void hashed(const uint32_t *data, Bits b, int zero, int turns, long long *cycles, uint32_t *out) {
  int l = threadIdx.x % 32;
  int line = 0;
  for (int i = 0; i < 5; i++) line |= (l >> i & 1) << b.at[i];
  const uint32_t *p[4];
  uint32_t v[4], s = 0;
  for (int k = 0; k < 4; k++) { p[k] = data + line * 32 + l + k * zero; load(v[k], p[k]); s += v[k]; }
  __syncthreads();
  long long begin = clock64();
  for (int i = 0; i < turns; i++) {
#pragma unroll
    for (int k = 0; k < 4; k++) load(v[k], p[k]);
#pragma unroll
    for (int k = 0; k < 4; k++) { s += v[k]; p[k] += zero; }
  }
  __syncthreads();
  long long end = clock64();
  out[threadIdx.x] = s;
  if (threadIdx.x == 0) *cycles = end - begin;
}

int main() {
  void *data;
  cudaMalloc(&data, 64 << 20);
  cudaMemset(data, 0, 64 << 20);
  long long *cycles;
  uint32_t *out;
  cudaMallocManaged(&cycles, 8);
  cudaMallocManaged(&out, 4096);
  printf("bits,cycles_a_load\n");
  const int most = 14;
  for (int m = 0; m < 1 << most; m++) {
    if (__builtin_popcount(m) != 5) continue;
    Bits b;
    int n = 0;
    for (int i = 0; i < most; i++) if (m >> i & 1) b.at[n++] = i;
    long long c[2];
    for (int i = 0; i < 2; i++) {
      hashed<<<1, 1024>>>((const uint32_t *)data, b, 0, i ? 160 : 32, cycles, out);
      cudaDeviceSynchronize();
      c[i] = *cycles;
    }
    printf("%d %d %d %d %d,%.2f\n", b.at[0], b.at[1], b.at[2], b.at[3], b.at[4], double(c[1] - c[0]) / (128 * 4 * 32));
  }
  return cudaGetLastError() != cudaSuccess;
}
