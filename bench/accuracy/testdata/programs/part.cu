#include <cstdio>
// UNIT applications in a row; each: a chain of K dependent FADDs of the lanes below `lim`, behind a branch (the volatile
// shared store keeps the compiler from predicating), then all lanes go on from v.
template <int K, int UNIT> __global__ void part(float *out, long long *t, int lim, float c) {
  __shared__ volatile float s[1024];
  float v = threadIdx.x; long long a = 0, b = 0;
  for (int r = 0; r < 3; r++) {
    __syncthreads();
    a = clock64();
#pragma unroll
    for (int u = 0; u < UNIT; u++) {
      if ((int)(threadIdx.x & 31) < lim) {
#pragma unroll
        for (int k = 0; k < K; k++) v = v * c + 1.0f;
        s[threadIdx.x] = v;
      }
      __syncwarp();
      v += c;
    }
    b = clock64();
  }
  out[threadIdx.x] = v; if (threadIdx.x % 32 == 0) t[threadIdx.x / 32] = b - a;
}
template <int K> void go(int threads, int lim) {
  float *o; long long *t, h[32], g[32];
  cudaMalloc(&o, 4096); cudaMalloc(&t, 256);
  part<K, 2><<<1, threads>>>(o, t, lim, 1.f); cudaMemcpy(h, t, 256, cudaMemcpyDefault);
  part<K, 8><<<1, threads>>>(o, t, lim, 1.f); cudaMemcpy(g, t, 256, cudaMemcpyDefault);
  printf("part,%d,%d,%d,%.2f\n", K, threads, lim, (g[0] - h[0]) / 6.0);
}
int main() { // lim 32: all lanes take it, 0: none, 1 and 16: they part
  int lims[] = {0, 1, 16, 32}, ths[] = {32, 128, 256};
  for (int th : ths) for (int l : lims) { go<8>(th, l); go<16>(th, l); go<32>(th, l); }
}
