// Where whole grids lose time: begins of blocks by multiprocessor, cold with and without dirty lines, how many
// reductions a multiprocessor posts, fences and tickets, instruction supply at a kernel's start.
// Build: nvcc -O3 -std=c++17 -arch=sm_90 -o ways ways.cu
// Run:   ./ways > ways.csv     (a minute or two)
#include "cases.cuh"
#define T threadIdx.x
#define L (threadIdx.x & 31)
#define W (threadIdx.x / 32)
__global__ void copy_f32(const float *x, float *y, int n, Span *s) { enter(s); int i = blockIdx.x * blockDim.x + T; if (i < n) y[i] = x[i]; leave(s); }
__global__ void saxpy_f32(const float *x, float *y, int n, Span *s) { enter(s); int i = blockIdx.x * blockDim.x + T; if (i < n) y[i] = 1.5f * x[i] + y[i]; leave(s); }
__global__ void read_f32(const float *x, float *y, int n, Span *s) { enter(s); int i = blockIdx.x * blockDim.x + T; float v = x[i]; if (v == 12345.f) y[i] = v; leave(s); }
__global__ void write_f32(const float *x, float *y, int n, Span *s) { enter(s); int i = blockIdx.x * blockDim.x + T; y[i] = 1.f; leave(s); }
__global__ void histogram_global_u32(const int *x, unsigned *bins, int n, Span *s) { enter(s); for (int i = blockIdx.x * blockDim.x + T; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[(x[i] >> 16) & 255], 1u); __syncthreads(); leave(s); }
// reads 256 MB: the second level is full of clean lines of others
__global__ void rinse(const float4 *p, size_t n, float *out) { float a = 0; for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) a += p[i].x; if (a == 12345.f) *out = a; }
// W warps, each R reductions whose lanes lie on `lines` lines, `words` apart; clock after each
__global__ void posts(unsigned *p, int lines, long long *out, int reps) { __shared__ long long t[32][33]; int l = L; unsigned *a = p + (size_t)blockIdx.x * 32768 + W * 1024 + (l % lines) * 32 + l / lines; __syncthreads(); t[W][0] = clock64();
  for (int r = 0; r < reps; r++) { asm volatile("red.global.add.u32 [%0], %1;" :: "l"(a), "r"(1) : "memory"); long long c = clock64(); if (l == 0) t[W][r + 1] = c; } __syncthreads(); if (l == 0) for (int r = 0; r <= reps; r++) out[(blockIdx.x * 32 + W) * 33 + r] = t[W][r]; }
// the same with stores
__global__ void stores(unsigned *p, int lines, long long *out, int reps) { __shared__ long long t[32][33]; int l = L; unsigned *a = p + (size_t)blockIdx.x * 32768 + W * 1024 + (l % lines) * 32 + l / lines; __syncthreads(); t[W][0] = clock64();
  for (int r = 0; r < reps; r++) { asm volatile("st.global.u32 [%0], %1;" :: "l"(a), "r"(r) : "memory"); long long c = clock64(); if (l == 0) t[W][r + 1] = c; } __syncthreads(); if (l == 0) for (int r = 0; r <= reps; r++) out[(blockIdx.x * 32 + W) * 33 + r] = t[W][r]; }
__device__ unsigned ticket;
// one thread a block: store, fence, ticket, load of another block's word; clock between
__global__ void last(float *part, long long *out, int steps) { if (T) return; long long c[5]; c[0] = clock64(); if (steps & 1) { asm volatile("st.global.f32 [%0], %1;" :: "l"(part + blockIdx.x), "f"(1.f) : "memory"); } c[1] = clock64(); if (steps & 2) __threadfence(); c[2] = clock64(); unsigned v = 0; if (steps & 4) v = atomicInc(&ticket, gridDim.x - 1); c[3] = clock64() + (v >> 31); float f = 0; if (steps & 8) f = ((volatile float *)part)[(blockIdx.x + 7) % gridDim.x]; c[4] = clock64() + (f == 12345.f); for (int i = 0; i < 5; i++) out[blockIdx.x * 5 + i] = c[i]; }
int main() {
  Bench B; size_t N = 1 << 25; float *x = floats(N), *y = floats(N, 11, 97); int *ix = ints(N); unsigned *bins; CK(cudaMalloc(&bins, 4096)); CK(cudaMemset(bins, 0, 4096)); float *sink; CK(cudaMalloc(&sink, 4));
  printf("what,how,key,value,more\n");
  struct C { const char *k; int n, t; std::function<void(Span *)> f; }; std::vector<C> cs;
  for (int n : {1 << 14, 1 << 17, 1 << 20}) for (int t : {128, 1024}) { int b = n / t;
    cs.push_back({"copy", n, t, [=](Span *s) { copy_f32<<<b, t>>>(x, y, n, s); }}); cs.push_back({"saxpy", n, t, [=](Span *s) { saxpy_f32<<<b, t>>>(x, y, n, s); }}); cs.push_back({"saxpy_shifted", n, t, [=](Span *s) { saxpy_f32<<<b, t>>>(x, y + 123 * 1024, n, s); }});
    cs.push_back({"read", n, t, [=](Span *s) { read_f32<<<b, t>>>(x, y, n, s); }}); cs.push_back({"write", n, t, [=](Span *s) { write_f32<<<b, t>>>(x, y, n, s); }}); if (n < 1 << 20) cs.push_back({"histogram", n, t, [=](Span *s) { histogram_global_u32<<<b, t>>>(ix, bins, n, s); }}); }
  for (auto &c : cs) for (int mode = 0; mode < 3; mode++) { int b = c.n / c.t; std::vector<double> ns_, cy; std::vector<Span> h(b); unsigned long long lo = 0;
    for (int r = 0; r < 8; r++) { if (mode == 1) wipe<<<264, 256>>>(B.junk, B.junk_n); if (mode == 2) rinse<<<264, 256>>>(B.junk, B.junk_n, sink); CK(cudaDeviceSynchronize()); c.f(B.spans); CK(cudaDeviceSynchronize()); CK(cudaMemcpy(h.data(), B.spans, b * sizeof(Span), cudaMemcpyDeviceToHost)); lo = ~0ull; unsigned long long hi = 0; std::vector<double> d; for (auto &s : h) { lo = std::min(lo, s.begin); hi = std::max(hi, s.end); d.push_back(double(s.c1 - s.c0)); } if (r) { ns_.push_back(double(hi - lo)); cy.push_back(median(d)); } }
    const char *m[] = {"warm", "dirty", "clean"}; printf("span,%s;n=%d;threads=%d,%s,%.0f,%.0f\n", c.k, c.n, c.t, m[mode], median(ns_), median(cy));
    if (b <= 1024) for (int i = 0; i < b; i++) printf("block,%s;n=%d;threads=%d;%s,block=%d;sm=%u,%llu,%lld;%llu\n", c.k, c.n, c.t, m[mode], i, h[i].sm, h[i].begin - lo, h[i].c1 - h[i].c0, h[i].end - h[i].begin); }
  long long *out; CK(cudaMalloc(&out, 132 * 32 * 33 * 8)); std::vector<long long> ho(132 * 32 * 33); unsigned *big; CK(cudaMalloc(&big, 256 << 20)); CK(cudaMemset(big, 0, 256 << 20));
  for (int kind = 0; kind < 2; kind++) for (int blocks : {1, 132}) for (int warps : {1, 4, 8, 32}) for (int lines : {1, 4, 8, 32}) { for (int r = 0; r < 3; r++) { if (kind) stores<<<blocks, warps * 32>>>(big, lines, out, 32); else posts<<<blocks, warps * 32>>>(big, lines, out, 32); CK(cudaDeviceSynchronize()); } CK(cudaMemcpy(ho.data(), out, 132 * 32 * 33 * 8, cudaMemcpyDeviceToHost)); long long z = ho[0]; for (int w = 0; w < warps; w++) z = std::min(z, ho[w * 33]); for (int w : {0, warps - 1}) { printf("%s,blocks=%d;warps=%d;lines=%d;warp=%d,", kind ? "stores" : "posts", blocks, warps, lines, w); for (int r = 0; r <= 32; r++) printf("%lld ", ho[w * 33 + r] - z); printf(",\n"); if (warps == 1) break; } }
  for (int blocks : {1, 132, 1056}) for (int steps = 1; steps < 16; steps++) { std::vector<double> v[4]; for (int r = 0; r < 5; r++) { last<<<blocks, 128>>>(x, out, steps); CK(cudaDeviceSynchronize()); CK(cudaMemcpy(ho.data(), out, blocks * 40, cudaMemcpyDeviceToHost)); if (r) for (int b = 0; b < blocks; b++) for (int i = 0; i < 4; i++) v[i].push_back(double(ho[b * 5 + i + 1] - ho[b * 5 + i])); } printf("last,blocks=%d;%s%s%s%s,store fence ticket load,%.0f %.0f %.0f %.0f,", blocks, steps & 1 ? "store " : "", steps & 2 ? "fence " : "", steps & 4 ? "ticket " : "", steps & 8 ? "load" : "", median(v[0]), median(v[1]), median(v[2]), median(v[3])); for (int i = 0; i < 4; i++) { std::sort(v[i].begin(), v[i].end()); printf("%.0f..%.0f ", v[i].front(), v[i].back()); } printf("\n"); }
  return 0; }
