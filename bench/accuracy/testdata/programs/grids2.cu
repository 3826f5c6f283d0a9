// A second set of whole grids, held back while the model of the first was made. Same form as grids.cu.
// Build: nvcc -O3 -std=c++17 -arch=sm_90 -o grids2 grids2.cu   Run: ./grids2 > grids2.csv
#include "cases.cuh"
#define T threadIdx.x
#define L (threadIdx.x & 31)
#define W (threadIdx.x / 32)
__device__ __forceinline__ float block_sum(float v) { __shared__ float m[33]; v = warp_sum(v); if (L == 0) m[W] = v; __syncthreads(); v = T < blockDim.x / 32 ? m[L] : 0.f; if (W == 0) v = warp_sum(v); return v; }
__global__ void fill_f32(float *y, int n, Span *s) { enter(s); int i = blockIdx.x * blockDim.x + T; if (i < n) y[i] = 1.f; leave(s); }
__global__ void add_float4(const float4 *x, float4 *y, int n, Span *s) { enter(s); int i = blockIdx.x * blockDim.x + T; if (i < n) { float4 a = x[i], b = y[i]; y[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); } leave(s); }
__global__ void dot_f32(const float *x, const float *y, float *out, int n, Span *s) { enter(s); float v = 0; for (int i = blockIdx.x * blockDim.x + T; i < n; i += gridDim.x * blockDim.x) v += x[i] * y[i]; v = block_sum(v); if (T == 0) atomicAdd(out, v); leave(s); }
__global__ void max_int(const int *x, int *out, int n, Span *s) { enter(s); int v = 0; for (int i = blockIdx.x * blockDim.x + T; i < n; i += gridDim.x * blockDim.x) v = max(v, x[i]); v = __reduce_max_sync(FULL, v); if (L == 0) atomicMax(out, v); __syncthreads(); leave(s); }
__global__ void stencil3_f32(const float *x, float *y, int n, Span *s) { enter(s); int i = blockIdx.x * blockDim.x + T; if (i > 0 && i < n - 1) y[i] = 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1]; leave(s); }
__global__ void stencil_shared_f32(const float *x, float *y, int n, Span *s) { enter(s); __shared__ float m[1024 + 8]; int i = blockIdx.x * blockDim.x + T; m[T + 4] = i < n ? x[i] : 0.f; if (T < 4) { m[T] = i >= 4 ? x[i - 4] : 0.f; m[T + blockDim.x + 4] = i + (int)blockDim.x < n ? x[i + blockDim.x] : 0.f; } __syncthreads(); float v = 0;
#pragma unroll
  for (int k = 0; k < 9; k++) v += 0.1f * k * m[T + k]; if (i < n) y[i] = v; leave(s); }
__global__ void gather_f32(const int *ix, const float *x, float *y, int n, Span *s) { enter(s); int i = blockIdx.x * blockDim.x + T; if (i < n) y[i] = x[ix[i] & (n - 1)]; leave(s); }
__global__ void scatter_f32(const int *ix, const float *x, float *y, int n, Span *s) { enter(s); int i = blockIdx.x * blockDim.x + T; if (i < n) y[ix[i] & (n - 1)] = x[i]; leave(s); }
__global__ void bitonic_block_s32(const int *x, int *y, int n, Span *s) { enter(s); __shared__ int m[1024]; int i = blockIdx.x * blockDim.x + T; m[T] = i < n ? x[i] : 0x7fffffff; __syncthreads(); for (int k = 2; k <= (int)blockDim.x; k <<= 1) for (int j = k / 2; j; j >>= 1) { int o = T ^ j; if (o > (int)T) { int a = m[T], b = m[o]; if ((a > b) == ((T & k) == 0)) { m[T] = b; m[o] = a; } } __syncthreads(); } if (i < n) y[i] = m[T]; leave(s); }
__global__ void matvec_row_block_f32(const float *a, const float *x, float *y, int cols, Span *s) { enter(s); float v = 0; for (int i = T; i < cols; i += blockDim.x) v += a[(size_t)blockIdx.x * cols + i] * x[i]; v = block_sum(v); if (T == 0) y[blockIdx.x] = v; leave(s); }
__global__ void argmax_row_warp_f32(const float *x, int *y, int cols, int rows, Span *s) { enter(s); int r = blockIdx.x * (blockDim.x / 32) + W; if (r < rows) { float b = -1e30f; int at = 0; for (int i = L; i < cols; i += 32) { float v = x[(size_t)r * cols + i]; if (v > b) { b = v; at = i; } } for (int o = 16; o; o >>= 1) { float v = __shfl_down_sync(FULL, b, o); int k = __shfl_down_sync(FULL, at, o); if (v > b) { b = v; at = k; } } if (L == 0) y[r] = at; } __syncthreads(); leave(s); }
__global__ void poly_f32(const float *x, float *y, int n, Span *s) { enter(s); int i = blockIdx.x * blockDim.x + T; if (i < n) { float v = x[i], p = 0;
#pragma unroll
    for (int k = 0; k < 64; k++) p = p * v + 0.5f; y[i] = p; } leave(s); }
__global__ void exp_f32(const float *x, float *y, int n, Span *s) { enter(s); for (int i = blockIdx.x * blockDim.x + T; i < n; i += gridDim.x * blockDim.x) y[i] = __expf(x[i]) + __logf(x[i] + 1.f); leave(s); }
__global__ void count_one_u32(const int *x, unsigned *c, int n, Span *s) { enter(s); int i = blockIdx.x * blockDim.x + T; if (i < n && (x[i] & 3) == 0) atomicAdd(c, 1u); __syncthreads(); leave(s); }
__global__ void add_doubles(const double *x, double *y, int n, Span *s) { enter(s); int i = blockIdx.x * blockDim.x + T; if (i < n) y[i] = x[i] * 2.0 + y[i]; leave(s); }
__global__ void strided_copy_f32(const float *x, float *y, int n, Span *s) { enter(s); int i = blockIdx.x * blockDim.x + T; int k = (i & 31) * (n / 32) + (i >> 5); if (i < n) y[k] = x[i]; leave(s); }
int main() {
  Bench B; size_t N = 1 << 22; float *x = floats(N), *y = floats(N, 11, 97), *o = floats(1 << 20, 0); int *ix = ints(N), *iy = ints(N); unsigned *c; CK(cudaMalloc(&c, 4096)); CK(cudaMemset(c, 0, 4096)); double *dx, *dy; CK(cudaMalloc(&dx, N * 8)); CK(cudaMalloc(&dy, N * 8)); CK(cudaMemset(dx, 0, N * 8)); CK(cudaMemset(dy, 0, N * 8));
#define ONE(k, ...) for (int n : {1 << 14, 1 << 17, 1 << 20, 1 << 22}) for (int t : {128, 256, 1024}) { int b = (n + t - 1) / t; B.add(#k, n, b, t, 1, [=](Span *s) { k<<<b, t>>>(__VA_ARGS__, n, s); }); }
#define STRIDED(k, ...) for (int n : {1 << 14, 1 << 17, 1 << 20, 1 << 22}) for (int t : {128, 256, 1024}) for (int per : {1, 2}) { int b = std::min((n + t - 1) / t, 132 * per * (1024 / t)); B.add(#k, n, b, t, (n + b * t - 1) / (b * t), [=](Span *s) { k<<<b, t>>>(__VA_ARGS__, n, s); }); }
  ONE(fill_f32, y) 
  for (int n : {1 << 14, 1 << 17, 1 << 20}) for (int t : {128, 256}) { int b = n / t; B.add("add_float4", n, b, t, 1, [=](Span *s) { add_float4<<<b, t>>>((float4 *)x, (float4 *)y, n, s); }); }
  STRIDED(dot_f32, x, y, o) STRIDED(max_int, ix, (int *)c) ONE(stencil3_f32, x, y) ONE(stencil_shared_f32, x, y) ONE(gather_f32, ix, x, y) ONE(scatter_f32, ix, x, y) ONE(bitonic_block_s32, ix, iy)
  for (int cols : {256, 1024}) for (int rows : {132, 1024, 4096}) for (int t : {128, 256}) B.add(cols == 256 ? "matvec_row_block_256_f32" : "matvec_row_block_1024_f32", rows * cols, rows, t, cols / t, [=](Span *s) { matvec_row_block_f32<<<rows, t>>>(x, y, o, cols, s); });
  for (int cols : {256, 1024}) for (int rows : {132, 1024, 4096}) { int b = (rows + 7) / 8; B.add(cols == 256 ? "argmax_row_warp_256_f32" : "argmax_row_warp_1024_f32", rows * cols, b, 256, cols / 32, [=](Span *s) { argmax_row_warp_f32<<<b, 256>>>(x, (int *)o, cols, rows, s); }); }
  ONE(poly_f32, x, y) STRIDED(exp_f32, x, y) ONE(count_one_u32, ix, c) ONE(add_doubles, dx, dy) ONE(strided_copy_f32, x, y)
  B.run(); return 0; }
