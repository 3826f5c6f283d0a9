// What the instructions of bitonic_sort32_s32 cost by how many of them there are. Build: nvcc -O3 -std=c++17 -arch=sm_90 -o supply supply.cu   Run: ./supply > supply.csv
#include "measure.cuh"
using u32 = unsigned;
struct bitonic { using T = int; static __device__ __forceinline__ T run(T v, char *) { u32 l = threadIdx.x & 31;
  _Pragma("unroll") for (int k = 2; k <= 32; k <<= 1) { _Pragma("unroll") for (int j = k / 2; j; j >>= 1) { int o = __shfl_xor_sync(FULL, v, j); bool up = ((l & k) == 0) == ((l & j) == 0); v = up ? min(v, o) : max(v, o); } } v += (int)l * 7 & 5; return v; } };
// Minima alone: the integer pipe and nothing else, in chains of four.
struct minima { using T = int; static __device__ __forceinline__ T run(T v, char *) { int a = v, b = v ^ 1, c = v ^ 2, d = v ^ 3;
  _Pragma("unroll") for (int i = 0; i < 12; i++) { a = min(a ^ (i + 1), b); b = min(b ^ (i + 2), c); c = min(c ^ (i + 3), d); d = min(d ^ (i + 4), a); } return a ^ b ^ c ^ d; } };
struct fmas { using T = float; static __device__ __forceinline__ T run(T v, char *) { float a = v, b = v + 1, c = v + 2, d = v + 3;
  _Pragma("unroll") for (int i = 0; i < 24; i++) { a = fmaf(a, b, c); b = fmaf(b, c, d); c = fmaf(c, d, a); d = fmaf(d, a, b); } return a + b + c + d; } };
// A loop of some applications, whose code stays where it is.
template <class B, int N> __global__ void __launch_bounds__(1024) looped(long long *t, typename B::T *sink, typename B::T seed, int turns) {
  typename B::T v = seed + (typename B::T)threadIdx.x; long long a = 0, b = 0;
#pragma unroll 1
  for (int rep = 0; rep < 3; rep++) { __syncthreads(); a = now();
#pragma unroll 1
    for (int i = 0; i < turns; i++) {
#pragma unroll
      for (int r = 0; r < N; r++) v = B::run(v, nullptr);
    }
    b = now(); __syncthreads(); }
  if ((threadIdx.x & 31) == 0) { t[threadIdx.x / 32] = a; t[32 + threadIdx.x / 32] = b; } sink[threadIdx.x] = v; }
template <class F> double median(F f) { std::vector<double> v; for (int i = 0; i < 15; i++) v.push_back(f()); std::sort(v.begin(), v.end()); return v[7]; }
template <class B, int N> void straight(const char *n, int threads) { using T = typename B::T; static long long *t = nullptr; static T *s = nullptr; if (!t) { CK(cudaMallocHost(&t, 512)); CK(cudaMalloc(&s, 8192)); } int w = threads / 32;
  double c = median([&] { timed<B, N><<<1, threads, 40960>>>(t, t + 32, s, (T)1); CK(cudaDeviceSynchronize()); long long lo = t[0], hi = t[32]; for (int k = 1; k < w; k++) { lo = std::min(lo, t[k]); hi = std::max(hi, t[32 + k]); } return double(hi - lo); });
  printf("straight,%s,%d,%d,%.0f\n", n, N, threads, c); }
template <class B, int N> void loop(const char *n, int threads) { using T = typename B::T; static long long *t = nullptr; static T *s = nullptr; if (!t) { CK(cudaMallocHost(&t, 512)); CK(cudaMalloc(&s, 8192)); } int w = threads / 32; double c[2];
  for (int k = 0; k < 2; k++) c[k] = median([&] { looped<B, N><<<1, threads>>>(t, s, (T)1, k ? 96 / N : 48 / N); CK(cudaDeviceSynchronize()); long long lo = t[0], hi = t[32]; for (int k = 1; k < w; k++) { lo = std::min(lo, t[k]); hi = std::max(hi, t[32 + k]); } return double(hi - lo); });
  printf("loop,%s,%d,%d,%.2f\n", n, N, threads, (c[1] - c[0]) / 48); }
template <class B> void all(const char *n) { for (int th : {32, 128, 256, 512, 1024}) {
  straight<B, 1>(n, th); straight<B, 2>(n, th); straight<B, 3>(n, th); straight<B, 4>(n, th); straight<B, 5>(n, th); straight<B, 6>(n, th); straight<B, 8>(n, th); straight<B, 12>(n, th); straight<B, 16>(n, th); straight<B, 24>(n, th);
  loop<B, 1>(n, th); loop<B, 2>(n, th); loop<B, 3>(n, th); loop<B, 4>(n, th); loop<B, 6>(n, th); loop<B, 12>(n, th); } }
int main() { printf("# NVIDIA H200 cc 9.0: supply.cu. straight: cycles of the block for so many applications in a row; loop: cycles for one, in a loop of so many\nkind,what,applications,threads,cycles\n"); all<bitonic>("bitonic"); all<minima>("minima"); all<fmas>("fmas"); return 0; }
