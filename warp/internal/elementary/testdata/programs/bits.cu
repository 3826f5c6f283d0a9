// Bits of functions for a sample of arguments (h200.csv.gz).
// Build: nvcc -O3 -std=c++17 -arch=sm_90 -o bits bits.cu   Run: ./bits > bits.csv
#include <cstdio>
#include <cmath>
#include <cstring>
#include <vector>
__global__ void f(const float *x, unsigned *o, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float v = x[i], r[12];
  r[0] = expf(v); r[1] = exp2f(v); r[2] = logf(v); r[3] = log2f(v); r[4] = sinf(v); r[5] = cosf(v); r[6] = sqrtf(v); r[7] = rsqrtf(v); r[8] = 1.f / v; r[9] = tanhf(v); r[10] = erff(v); r[11] = __expf(v); for (int k = 0; k < 12; k++) o[i * 12 + k] = __float_as_uint(r[k]); }
int main() { std::vector<float> x; unsigned s = 1; for (float z : {0.f, -0.f, 1.f, -1.f, 0.5f, 2.f, 1e-40f, -1e-40f, 1e30f, -1e30f, 88.f, 89.f, -104.f, 3.14159274f, 1e5f, 123456.789f}) x.push_back(z); unsigned inf = 0x7f800000, ninf = 0xff800000, nan = 0x7fc00000; float t; memcpy(&t, &inf, 4); x.push_back(t); memcpy(&t, &ninf, 4); x.push_back(t); memcpy(&t, &nan, 4); x.push_back(t);
  while (x.size() < 4096) { s = s * 1664525u + 1013904223u; float u = (int)(s >> 8) / 16777216.f; int e = (int)(s & 31) - 16; float v = ldexpf(u * 2 - 1, e); x.push_back(v); }
  float *d; unsigned *o; int n = x.size(); cudaMalloc(&d, n * 4); cudaMalloc(&o, n * 48); cudaMemcpy(d, x.data(), n * 4, cudaMemcpyHostToDevice); f<<<(n + 255) / 256, 256>>>(d, o, n); std::vector<unsigned> h(n * 12); cudaMemcpy(h.data(), o, n * 48, cudaMemcpyDeviceToHost);
  printf("x,exp,exp2,log,log2,sin,cos,sqrt,rsqrt,rcp,tanh,erf,exp_fast\n"); for (int i = 0; i < n; i++) { unsigned b; memcpy(&b, &x[i], 4); printf("%08x", b); for (int k = 0; k < 12; k++) printf(",%08x", h[i * 12 + k]); printf("\n"); } }
