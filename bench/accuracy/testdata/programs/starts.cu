// First touches at a block's start, and how long memory behind the second level takes, line by line.
// Build: nvcc -O3 -std=c++17 -arch=sm_90 -o starts starts.cu   Run: ./starts > starts.csv   (under a minute)
#include "span.cuh"
static char *junk; static const size_t JUNK = (size_t)256 << 20; static float *sink; static long long *dout; static std::vector<long long> h;
__global__ void rinse(const float4 *p, size_t n, float *out) { float a = 0; for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) a += p[i].x; if (a == 12345.f) *out = a; }
static void state(int mode) { if (mode == 1) wipe<<<264, 256>>>((float4 *)junk, JUNK / 16); if (mode == 2) rinse<<<264, 256>>>((const float4 *)junk, JUNK / 16, sink); CK(cudaDeviceSynchronize()); }
static void fetch(int n) { CK(cudaDeviceSynchronize()); CK(cudaGetLastError()); h.resize(n); CK(cudaMemcpy(h.data(), dout, n * 8, cudaMemcpyDeviceToHost)); }
// A: every load timed, one after the other, on the multiprocessor of block `who`
__global__ void each(const char *p, size_t step, int n, int who, long long *out) { if (blockIdx.x != who || threadIdx.x) return; unsigned x = 0; for (int i = 0; i < n; i++) { long long a = now(); unsigned v; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p + i * step + (x & 1)) : "memory"); x = v & 1; asm volatile("" :: "r"(x) : "memory"); long long b = now() + x; out[i] = b - a; } out[n] = smid(); }
// C: pairs of loads at a distance, both under way at once
__global__ void pairs(const char *p, size_t step, size_t apart, int n, long long *out) { unsigned x = 0; for (int i = 0; i < n; i++) { const char *q = p + i * step + x; unsigned v, w; long long a = now(); asm volatile("ld.global.cg.u32 %0, [%2]; ld.global.cg.u32 %1, [%3];" : "=r"(v), "=r"(w) : "l"(q), "l"(q + apart) : "memory"); x = (v | w) & 1; asm volatile("" :: "r"(x) : "memory"); long long b = now() + x; out[i] = b - a; } }
// B1: the body of a copy, four times over in a loop that is not unrolled: what is new the first time
__global__ void copies(const float *x, float *y, int off, int n, long long *out) { long long t[5];
#pragma unroll 1
  for (int r = 0; r < 4; r++) { long long a = now(); int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { float v; asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(x + i + (size_t)r * off) : "memory"); y[i + (size_t)r * off] = v; } long long b = now(); if (threadIdx.x == 0) out[blockIdx.x * 4 + r] = b - a; } }
// B2: straight code, a clock reading every 16 instructions
template <int N> __global__ void supply(float x, long long *out, float *o) { float a = x, b = x + 1; long long c[N + 1]; c[0] = now();
#pragma unroll
  for (int k = 0; k < N; k++) {
#pragma unroll
    for (int i = 0; i < 8; i++) asm volatile("fma.rn.f32 %0, %0, %2, %1; fma.rn.f32 %1, %1, %2, %0;" : "+f"(a), "+f"(b) : "f"(x));
    c[k + 1] = now(); }
  if (threadIdx.x == 0) for (int k = 0; k < N; k++) out[blockIdx.x * N + k] = c[k + 1] - c[k]; if (a + b == 123.f) *o = a; }
// B3: a store, a fence, a ticket and a load of another block's word, three times over
__device__ unsigned ticket;
__global__ void again(volatile float *part, long long *out) { if (threadIdx.x) return;
#pragma unroll 1
  for (int r = 0; r < 3; r++) { long long c[5]; c[0] = now(); part[blockIdx.x] = r; c[1] = now(); __threadfence(); c[2] = now(); unsigned v = atomicInc(&ticket, gridDim.x - 1); c[3] = now() + (v >> 31); float f = part[(blockIdx.x + 7) % gridDim.x]; c[4] = now() + (f == 12345.f); for (int i = 0; i < 4; i++) out[blockIdx.x * 12 + r * 4 + i] = c[i + 1] - c[i]; } }
// B4: special registers and constants, first and second time; w warps a block
__constant__ unsigned table[8192];
__global__ void special(long long *out, int zero) { long long c[9]; unsigned v; c[0] = now(); asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(v)); c[1] = now() + (v >> 31); asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(v)); c[2] = now() + (v >> 31); asm volatile("mov.u32 %0, %%ctaid.y;" : "=r"(v)); c[3] = now() + (v >> 31);
  v = table[zero + (v >> 31)]; c[4] = now() + (v >> 31); v = table[zero + 1 + (v >> 31)]; c[5] = now() + (v >> 31); v = table[zero + 16 + (v >> 31)]; c[6] = now() + (v >> 31); v = table[zero + 64 + (v >> 31)]; c[7] = now() + (v >> 31); v = table[zero + 2048 + (v >> 31)]; c[8] = now() + (v >> 31);
  if ((threadIdx.x & 31) == 0) for (int i = 0; i < 8; i++) out[(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 8 + i] = c[i + 1] - c[i]; }
static void quant(std::vector<double> v) { std::sort(v.begin(), v.end()); for (int q : {0, 5, 10, 25, 50, 75, 90, 95, 100}) printf(" %.0f", v[std::min<size_t>(v.size() - 1, v.size() * q / 100)]); }
int main() {
  CK(cudaMalloc(&junk, JUNK)); CK(cudaMalloc(&sink, 64)); CK(cudaMalloc(&dout, 1 << 22)); char *buf; size_t CAP = (size_t)1 << 30; CK(cudaMalloc(&buf, CAP)); CK(cudaMemset(buf, 0, CAP)); const char *m[] = {"warm", "dirty", "clean"};
  for (int mode = 0; mode < 3; mode++) for (int who : {0, 1, 40, 101}) for (size_t step : {(size_t)128, (size_t)1024, (size_t)4096, (size_t)(65536 + 128)}) { const int n = 256; each<<<132, 32>>>(buf, step, n, who, dout); for (int r = 0; r < 3; r++) { state(mode); each<<<132, 32>>>(buf, step, n, who, dout); } fetch(n + 1); printf("each,%s;sm=%lld;step=%zu,quantiles 0 5 10 25 50 75 90 95 100,", m[mode], h[n], step); quant(std::vector<double>(h.begin(), h.begin() + n)); printf(",first 96:"); for (int i = 0; i < 96; i++) printf(" %lld", h[i]); printf("\n"); fflush(stdout); }
  for (size_t apart = 32; apart < CAP / 2; apart *= 2) { std::vector<double> v; for (int r = 0; r < 3; r++) { state(2); pairs<<<1, 1>>>(buf, (3 << 20) + 4096 + 128, apart, 96, dout); fetch(96); for (int i = 1; i < 96; i++) v.push_back(h[i]); } printf("pairs,clean;apart=%zu,quantiles,", apart); quant(v); printf("\n"); fflush(stdout); }
  for (int mode = 0; mode < 3; mode++) for (int blocks : {1, 128, 1024}) for (int th : {32, 128}) for (int off : {0, 32, 1 << 18, 1 << 22}) { std::vector<double> v[4]; for (int t = 0; t < 4; t++) { state(mode); copies<<<blocks, th>>>((float *)buf, (float *)(buf + (512 << 20)), off, 1 << 20, dout); fetch(blocks * 4); if (t) for (int b = 0; b < blocks; b++) for (int r = 0; r < 4; r++) v[r].push_back(h[b * 4 + r]); } printf("copies,%s;blocks=%d;threads=%d;off=%d,median of turn 0 1 2 3,%.0f %.0f %.0f %.0f\n", m[mode], blocks, th, off, median(v[0]), median(v[1]), median(v[2]), median(v[3])); fflush(stdout); }
  for (int mode = 0; mode < 3; mode += 2) for (int blocks : {1, 132}) for (int th : {32, 128, 512}) { std::vector<double> v[64]; for (int t = 0; t < 4; t++) { state(mode); supply<64><<<blocks, th>>>(0.5f, dout, sink); fetch(blocks * 64); if (t) for (int b = 0; b < blocks; b++) for (int k = 0; k < 64; k++) v[k].push_back(h[b * 64 + k]); } printf("supply,%s;blocks=%d;threads=%d,cycles of 16 instructions and a clock,", m[mode], blocks, th); for (int k = 0; k < 64; k++) printf(" %.0f", median(v[k])); printf("\n"); fflush(stdout); }
  for (int blocks : {1, 132, 1056}) { std::vector<double> v[12]; for (int t = 0; t < 4; t++) { state(0); again<<<blocks, 32>>>((float *)buf, dout); fetch(blocks * 12); if (t) for (int b = 0; b < blocks; b++) for (int k = 0; k < 12; k++) v[k].push_back(h[b * 12 + k]); } printf("again,blocks=%d,store fence ticket load of turn 0 1 2,", blocks); for (int k = 0; k < 12; k++) printf(" %.0f", median(v[k])); printf("\n"); fflush(stdout); }
  for (int blocks : {1, 132, 528}) for (int th : {32, 128, 512, 1024}) { if (blocks == 528 && th > 512) continue; int w = th / 32; std::vector<double> v[8]; for (int t = 0; t < 4; t++) { state(0); special<<<blocks, th>>>(dout, 0); fetch(blocks * w * 8); if (t) for (int b = 0; b < blocks * w; b++) for (int k = 0; k < 8; k++) v[k].push_back(h[b * 8 + k]); } printf("special,blocks=%d;threads=%d,ctaid.x again ctaid.y const+0 +4 +64 +256 +8192 bytes,", blocks, th); for (int k = 0; k < 8; k++) printf(" %.0f (%.0f..%.0f)", median(v[k]), *std::min_element(v[k].begin(), v[k].end()), *std::max_element(v[k].begin(), v[k].end())); printf("\n"); fflush(stdout); }
  return 0; }
