// Loads that hit the first level, by the pattern of their lanes: cycles between two
// loads of a full multiprocessor (32 warps of 32 lanes, one block).
// nvcc -arch=sm_90 -O3 strides.cu -o strides && ./strides > strides.csv
#include <cstdio>
#include <cstdint>
#include <cuda_runtime.h>

template <typename T> __device__ __forceinline__ void load(T &v, const T *p);
template <> __device__ __forceinline__ void load(uint32_t &v, const uint32_t *p) {
  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p));
}
template <> __device__ __forceinline__ void load(uint2 &v, const uint2 *p) {
  asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(p));
}
template <> __device__ __forceinline__ void load(uint4 &v, const uint4 *p) {
  asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
}
__device__ uint32_t sum(uint32_t v) { return v; }
__device__ uint32_t sum(uint2 v) { return v.x + v.y; }
__device__ uint32_t sum(uint4 v) { return v.x + v.y + v.z + v.w; }

// Lane l loads element l / row * far + l % row * near.
template <typename T> __global__ void loads(const T *data, int row, int far, int near, int zero, int turns, long long *cycles, uint32_t *out) {
  int l = threadIdx.x % 32;
  // zero is 0, which the compiler does not know: no load is the same as another.
  const T *p[4];
  T v[4];
  uint32_t s = 0;
  for (int k = 0; k < 4; k++) {
    p[k] = data + l / row * far + l % row * near + k * zero;
    load(v[k], p[k]);
    s += sum(v[k]);
  }
  __syncthreads();
  long long begin = clock64();
  for (int i = 0; i < turns; i++) {
#pragma unroll
    for (int k = 0; k < 4; k++) load(v[k], p[k]);
#pragma unroll
    for (int k = 0; k < 4; k++) {
      s += sum(v[k]);
      p[k] += zero;
    }
  }
  __syncthreads();
  long long end = clock64();
  out[threadIdx.x] = s;
  if (threadIdx.x == 0) *cycles = end - begin;
}

template <typename T> void measure(const char *name, const void *data, int row, int far, int near, long long *cycles, uint32_t *out) {
  long long few = 0, many = 0;
  for (int i = 0; i < 3; i++) {
    loads<<<1, 1024>>>((const T *)data, row, far, near, 0, 64, cycles, out);
    cudaDeviceSynchronize();
    few = *cycles;
    loads<<<1, 1024>>>((const T *)data, row, far, near, 0, 320, cycles, out);
    cudaDeviceSynchronize();
    many = *cycles;
  }
  printf("%s,%d,%d,%d,%.3f\n", name, row, far, near, double(many - few) / (256 * 4 * 32));
}

int main() {
  void *data;
  cudaMalloc(&data, 16 << 20);
  cudaMemset(data, 0, 16 << 20);
  long long *cycles;
  uint32_t *out;
  cudaMallocManaged(&cycles, 8);
  cudaMallocManaged(&out, 4096);
  printf("element,lanes_a_row,elements_between_rows,elements_between_lanes,cycles_a_load\n");
  int strides[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 16, 17, 20, 24, 28, 31, 32, 33, 36, 40, 48, 63, 64, 65, 96, 127, 128, 129, 160, 192, 256, 257, 512, 513, 1024, 1025};
  for (int s : strides) measure<uint32_t>("4 bytes", data, 32, 0, s, cycles, out);
  for (int s : {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 32, 33, 64, 65}) measure<uint2>("8 bytes", data, 32, 0, s, cycles, out);
  for (int s : {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 32, 33}) measure<uint4>("16 bytes", data, 32, 0, s, cycles, out);
  for (int row : {1, 2, 4, 8, 16})
    for (int far : {1024, 1025, 1032, 1040, 1056, 4096, 4098, 4112}) measure<uint32_t>("4 bytes", data, row, far, 1, cycles, out);
  return cudaGetLastError() != cudaSuccess;
}
