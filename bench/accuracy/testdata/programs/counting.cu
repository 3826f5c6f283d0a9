// Counting and compaction by global atomics: one for each item, one for each warp, one for each block.
// Build: nvcc -O3 -std=c++17 -arch=sm_90 -o counting counting.cu   Run: ./counting > counting.csv
#include "cases.cuh"
#define T threadIdx.x
#define L (threadIdx.x & 31)
#define W (threadIdx.x / 32)
// how many items are multiples of 4: a quarter of them
__global__ void count_plain_u32(const int *x, unsigned *count, int n, Span *s) { enter(s); for (int i = blockIdx.x * blockDim.x + T; i < n; i += gridDim.x * blockDim.x) if ((x[i] & 3) == 0) atomicAdd(count, 1u); __syncthreads(); leave(s); }
// the same reduction an item as inline assembly: the assembler combines it over the warp all the same
__global__ void count_raw_u32(const int *x, unsigned *count, int n, Span *s) { enter(s); for (int i = blockIdx.x * blockDim.x + T; i < n; i += gridDim.x * blockDim.x) if ((x[i] & 3) == 0) asm volatile("red.global.add.u32 [%0], %1;" :: "l"(count), "r"(1) : "memory"); __syncthreads(); leave(s); }
__global__ void count_raw_f32(const int *x, float *count, int n, Span *s) { enter(s); for (int i = blockIdx.x * blockDim.x + T; i < n; i += gridDim.x * blockDim.x) if ((x[i] & 3) == 0) asm volatile("red.global.add.f32 [%0], %1;" :: "l"(count), "f"(1.f) : "memory"); __syncthreads(); leave(s); }
__global__ void count_warp_u32(const int *x, unsigned *count, int n, Span *s) { enter(s); for (int i = blockIdx.x * blockDim.x + T; i < n; i += gridDim.x * blockDim.x) { unsigned b = __ballot_sync(FULL, (x[i] & 3) == 0); if (L == 0) atomicAdd(count, (unsigned)__popc(b)); } __syncthreads(); leave(s); }
__global__ void count_private_u32(const int *x, unsigned *count, int n, Span *s) { enter(s); unsigned c = 0; for (int i = blockIdx.x * blockDim.x + T; i < n; i += gridDim.x * blockDim.x) c += (x[i] & 3) == 0; c = __reduce_add_sync(FULL, c); if (L == 0) atomicAdd(count, c); __syncthreads(); leave(s); }
// compaction: the place of an item is what the atomic returns
__global__ void compact_plain_s32(const int *x, int *y, unsigned *count, int n, Span *s) { enter(s); int i = blockIdx.x * blockDim.x + T; if (i < n) { int v = x[i]; if ((v & 3) == 0) { unsigned at; asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(at) : "l"(count), "r"(1) : "memory"); y[at] = v; } } __syncthreads(); leave(s); }
__global__ void compact_warp_s32(const int *x, int *y, unsigned *count, int n, Span *s) { enter(s); int i = blockIdx.x * blockDim.x + T; int v = i < n ? x[i] : 1; bool keep = (v & 3) == 0; unsigned b = __ballot_sync(FULL, keep); unsigned at = 0; if (L == 0 && b) at = atomicAdd(count, (unsigned)__popc(b)); at = __shfl_sync(FULL, at, 0); if (keep) y[at + __popc(b & ((1u << L) - 1))] = v; __syncthreads(); leave(s); }
int main() {
  Bench B; size_t N = 1 << 25; int *ix = ints(N), *iy = ints(N); unsigned *count; CK(cudaMalloc(&count, 4));
#define STRIDED(k, p) for (int n : {1 << 14, 1 << 17, 1 << 20, 1 << 22}) for (int t : {128, 256, 1024}) for (int per : {1, 2}) { int b = std::min((n + t - 1) / t, 132 * per * (1024 / t)); B.add(#k, n, b, t, (n + b * t - 1) / (b * t), [=](Span *s) { k<<<b, t>>>(ix, p, n, s); }); }
#define ONE(k) for (int n : {1 << 14, 1 << 17, 1 << 20, 1 << 22}) for (int t : {128, 256, 1024}) { int b = n / t; B.add(#k, n, b, t, 1, [=](Span *s) { cudaMemsetAsync(count, 0, 4); k<<<b, t>>>(ix, iy, count, n, s); }); }
  STRIDED(count_plain_u32, count) STRIDED(count_raw_u32, count) STRIDED(count_raw_f32, (float *)count) STRIDED(count_warp_u32, count) STRIDED(count_private_u32, count)
  ONE(compact_plain_s32) ONE(compact_warp_s32)
  B.run(); return 0;
}
