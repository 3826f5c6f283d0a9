// Mathematics as the compiler makes it: cycles of dependent chains of each function (warp/testdata/math.csv).
// Build: nvcc -O3 -std=c++17 -arch=sm_90 -I ../../../../bench/accuracy/testdata/programs -o math math.cu   Run: ./math > math.csv
#include "measure.cuh"
using u32 = unsigned; using u64 = unsigned long long; using s64 = long long;
#define BODY(name, type, ...) struct name { using T = type; static __device__ __forceinline__ T run(T v, char *smem) { __VA_ARGS__; return v; } };
// 32-bit floats. What is added around a function keeps its argument in range; it is named behind "plus".
BODY(f32_exp, float, v = expf(-v)) BODY(f32_exp_fast, float, v = __expf(-v)) BODY(f32_exp2, float, v = exp2f(-v))
BODY(f32_exp10, float, v = exp10f(-v)) BODY(f32_expm1, float, v = expm1f(-v))
BODY(f32_log_plus_fadd, float, v = logf(v) + 3.f) BODY(f32_log_fast_plus_fadd, float, v = __logf(v) + 3.f) BODY(f32_log2_plus_fadd, float, v = log2f(v) + 3.f) BODY(f32_log10_plus_fadd, float, v = log10f(v) + 3.f) BODY(f32_log1p_plus_fadd, float, v = log1pf(v) + 3.f)
BODY(f32_sin_plus_fadd, float, v = sinf(v) + 1.f) BODY(f32_sin_fast_plus_fadd, float, v = __sinf(v) + 1.f) BODY(f32_cos_plus_fadd, float, v = cosf(v) + 1.f) BODY(f32_cos_fast_plus_fadd, float, v = __cosf(v) + 1.f) BODY(f32_tan_plus_fadd, float, v = tanf(v) + 1.f)
BODY(f32_sqrt, float, v = sqrtf(v)) BODY(f32_rsqrt, float, v = rsqrtf(v)) BODY(f32_rcp, float, v = 1.f / v) BODY(f32_rcp_rn, float, v = __frcp_rn(v)) BODY(f32_rcp_fast, float, v = __fdividef(1.f, v))
BODY(f32_div, float, v = 3.f / v) BODY(f32_div_fast, float, v = __fdividef(3.f, v)) BODY(f32_fma, float, v = fmaf(v, 0.5f, 1.f))
BODY(f32_tanh_plus_fadd, float, v = tanhf(v) + 1.f) BODY(f32_tanh_fast_plus_fadd, float, asm("tanh.approx.f32 %0, %0;" : "+f"(v)); v += 1.f) BODY(f32_erf_plus_fadd, float, v = erff(v) + 1.f) BODY(f32_pow, float, v = powf(v, 0.7f)) BODY(f32_pow_fast, float, v = __powf(v, 0.7f))
BODY(f32_cbrt, float, v = cbrtf(v)) BODY(f32_fmod_plus_fadd, float, v = fmodf(v, 0.7f) + 2.f) BODY(f32_floor_plus_fadd, float, v = floorf(v) + 1.5f) BODY(f32_to_s32_and_back, float, v = (float)(int)v)
// 64-bit floats
BODY(f64_exp, double, v = exp(-v)) BODY(f64_log_plus_dadd, double, v = log(v) + 3.) BODY(f64_sqrt, double, v = sqrt(v)) BODY(f64_rsqrt, double, v = rsqrt(v)) BODY(f64_rcp, double, v = 1. / v) BODY(f64_div, double, v = 3. / v) BODY(f64_sin_plus_dadd, double, v = sin(v) + 1.) BODY(f64_pow, double, v = pow(v, 0.7)) BODY(f64_tanh_plus_dadd, double, v = tanh(v) + 1.)
// integers: the divisor is the lane's own and not known
BODY(s32_div_plus_iadd, int, v = 1000003 / v + 77) BODY(u32_div_plus_iadd, u32, v = 1000003u / v + 77) BODY(s32_mod_plus_iadd, int, v = 1000003 % v + 77) BODY(u32_mod_plus_iadd, u32, v = 1000003u % v + 77) BODY(s32_div_by_7_plus_iadd, int, v = v / 7 + 10000) BODY(u32_div_by_7_plus_iadd, u32, v = v / 7 + 10000) BODY(s32_mod_by_7_plus_iadd, int, v = v % 7 + 10000) BODY(s32_div_by_8_plus_iadd, int, v = v / 8 + 10000)
BODY(s64_div_plus_iadd, s64, v = 1000000000003ll / v + 77) BODY(u64_div_plus_iadd, u64, v = 1000000000003ull / v + 77) BODY(u64_mod_plus_iadd, u64, v = 1000000000003ull % v + 77) BODY(u64_mul, u64, v = v * v + 3) BODY(s32_mulhi, int, v = __mulhi(v, 0x12345671) + 3)
template <class B> void at(const char *n, typename B::T seed = 1) { for (int th : {32, 128, 512, 1024}) { Slope s = slope<B, 2, 6>(th, seed); printf("math,%s,%d,%.2f,%.2f\n", n, th / 32, s.first_warp, s.block); fflush(stdout); } }
#define AT(k, ...) at<k>(#k, ##__VA_ARGS__);
int main() { cudaDeviceProp p; CK(cudaGetDeviceProperties(&p, 0)); printf("# %s cc %d.%d: cycles of one step of a dependent chain, first warp and whole block\nkind,step,warps,cycles,block_cycles\n", p.name, p.major, p.minor);
  AT(f32_exp) AT(f32_exp_fast) AT(f32_exp2) AT(f32_exp10) AT(f32_expm1) AT(f32_log_plus_fadd) AT(f32_log_fast_plus_fadd) AT(f32_log2_plus_fadd) AT(f32_log10_plus_fadd) AT(f32_log1p_plus_fadd) AT(f32_sin_plus_fadd) AT(f32_sin_fast_plus_fadd) AT(f32_cos_plus_fadd) AT(f32_cos_fast_plus_fadd) AT(f32_tan_plus_fadd) AT(f32_sqrt) AT(f32_rsqrt) AT(f32_rcp) AT(f32_rcp_rn) AT(f32_rcp_fast) AT(f32_div) AT(f32_div_fast) AT(f32_fma) AT(f32_tanh_plus_fadd) AT(f32_tanh_fast_plus_fadd) AT(f32_erf_plus_fadd) AT(f32_pow) AT(f32_pow_fast) AT(f32_cbrt) AT(f32_fmod_plus_fadd) AT(f32_floor_plus_fadd) AT(f32_to_s32_and_back)
  AT(f64_exp) AT(f64_log_plus_dadd) AT(f64_sqrt) AT(f64_rsqrt) AT(f64_rcp) AT(f64_div) AT(f64_sin_plus_dadd) AT(f64_pow) AT(f64_tanh_plus_dadd)
  AT(s32_div_plus_iadd) AT(u32_div_plus_iadd) AT(s32_mod_plus_iadd) AT(u32_mod_plus_iadd) AT(s32_div_by_7_plus_iadd) AT(u32_div_by_7_plus_iadd) AT(s32_mod_by_7_plus_iadd) AT(s32_div_by_8_plus_iadd) AT(s64_div_plus_iadd) AT(u64_div_plus_iadd) AT(u64_mod_plus_iadd) AT(u64_mul) AT(s32_mulhi)
  return 0; }
