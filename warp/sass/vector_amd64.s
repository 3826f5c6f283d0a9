#include "go_asm.h"
#include "textflag.h"

// Steps by vector instructions. A row is four vectors of eight lanes, and each kernel
// has its whole result in Y0 to Y3 before it writes any, since the row may be one of its
// operands. While steps run,
//
//	DX  is the machine, DI its first row, R8 the active lanes
//	SI  is the step, R9 the end of all
//	R10 is where the lanes of the step are noted, R11 is these lanes
//
// and the rest is free.

#define ROW(offset, R) \
	MOVL offset(SI), R; \
	ADDQ DI, R

#define LOAD(R, A, B, C, D) \
	VMOVDQU (R), A; \
	VMOVDQU 32(R), B; \
	VMOVDQU 64(R), C; \
	VMOVDQU 96(R), D

// WITH does an operation on Y0 to Y3 and the row at R.
#define WITH(OP, R) \
	OP (R), Y0, Y0; \
	OP 32(R), Y1, Y1; \
	OP 64(R), Y2, Y2; \
	OP 96(R), Y3, Y3

// EACH does an operation on A to D and the vector V.
#define EACH(OP, V, A, B, C, D) \
	OP V, A, A; \
	OP V, B, B; \
	OP V, C, C; \
	OP V, D, D

#define K(i) (step_k+4*i)

// HOLDS is the lanes in which a predicate that is read holds.
#define HOLDS(pred, off, R) \
	MOVL pred(SI), R; \
	MOVL machine_pred(DX)(R*4), R; \
	XORL off(SI), R

// LANES makes bits at BX to vectors of ones and zeros, by lane.
#define LANES(from, A, B, C, D) \
	VPBROADCASTD from, A; \
	VPAND laneBits<>+32(SB), A, B; \
	VPAND laneBits<>+64(SB), A, C; \
	VPAND laneBits<>+96(SB), A, D; \
	VPAND laneBits<>+0(SB), A, A; \
	VPCMPEQD laneBits<>+0(SB), A, A; \
	VPCMPEQD laneBits<>+32(SB), B, B; \
	VPCMPEQD laneBits<>+64(SB), C, C; \
	VPCMPEQD laneBits<>+96(SB), D, D

// BITS makes the signs of vectors to bits by lane.
#define BITS(A, B, C, D, R, T) \
	VMOVMSKPS A, R; \
	VMOVMSKPS B, T; \
	SHLL $8, T; \
	ORL T, R; \
	VMOVMSKPS C, T; \
	SHLL $16, T; \
	ORL T, R; \
	VMOVMSKPS D, T; \
	SHLL $24, T; \
	ORL T, R

// SETPRED gives the predicate with number I the bits of V in the lanes of the step, whose
// complement is in N.
#define SETPRED(pred, V, I, N) \
	MOVL pred(SI), I; \
	ANDL R11, V; \
	ANDL N, machine_pred(DX)(I*4); \
	ORL V, machine_pred(DX)(I*4)

// DEFINED clears in the places of a set the lanes that N lacks.
#define DEFINED(i, N, T) \
	MOVWLZX (step_sets+2*i)(SI), T; \
	ANDL N, machine_undef(DX)(T*4)

DATA laneBits<>+0(SB)/4, $0x1
DATA laneBits<>+4(SB)/4, $0x2
DATA laneBits<>+8(SB)/4, $0x4
DATA laneBits<>+12(SB)/4, $0x8
DATA laneBits<>+16(SB)/4, $0x10
DATA laneBits<>+20(SB)/4, $0x20
DATA laneBits<>+24(SB)/4, $0x40
DATA laneBits<>+28(SB)/4, $0x80
DATA laneBits<>+32(SB)/4, $0x100
DATA laneBits<>+36(SB)/4, $0x200
DATA laneBits<>+40(SB)/4, $0x400
DATA laneBits<>+44(SB)/4, $0x800
DATA laneBits<>+48(SB)/4, $0x1000
DATA laneBits<>+52(SB)/4, $0x2000
DATA laneBits<>+56(SB)/4, $0x4000
DATA laneBits<>+60(SB)/4, $0x8000
DATA laneBits<>+64(SB)/4, $0x10000
DATA laneBits<>+68(SB)/4, $0x20000
DATA laneBits<>+72(SB)/4, $0x40000
DATA laneBits<>+76(SB)/4, $0x80000
DATA laneBits<>+80(SB)/4, $0x100000
DATA laneBits<>+84(SB)/4, $0x200000
DATA laneBits<>+88(SB)/4, $0x400000
DATA laneBits<>+92(SB)/4, $0x800000
DATA laneBits<>+96(SB)/4, $0x1000000
DATA laneBits<>+100(SB)/4, $0x2000000
DATA laneBits<>+104(SB)/4, $0x4000000
DATA laneBits<>+108(SB)/4, $0x8000000
DATA laneBits<>+112(SB)/4, $0x10000000
DATA laneBits<>+116(SB)/4, $0x20000000
DATA laneBits<>+120(SB)/4, $0x40000000
DATA laneBits<>+124(SB)/4, $0x80000000
GLOBL laneBits<>(SB), RODATA|NOPTR, $128

DATA noNumber<>+0(SB)/4, $0x7fffffff
GLOBL noNumber<>(SB), RODATA|NOPTR, $4

DATA unity<>+0(SB)/4, $0x3f800000
GLOBL unity<>(SB), RODATA|NOPTR, $4

// In the order of the constants in step.go.
DATA kernels<>+0(SB)/8, $0
DATA kernels<>+8(SB)/8, $0
DATA kernels<>+16(SB)/8, $shuffle<>(SB)
DATA kernels<>+24(SB)/8, $move<>(SB)
DATA kernels<>+32(SB)/8, $movePair<>(SB)
DATA kernels<>+40(SB)/8, $add<>(SB)
DATA kernels<>+48(SB)/8, $add3<>(SB)
DATA kernels<>+56(SB)/8, $addTurned<>(SB)
DATA kernels<>+64(SB)/8, $addCarry<>(SB)
DATA kernels<>+72(SB)/8, $mulAdd<>(SB)
DATA kernels<>+80(SB)/8, $mulWideS<>(SB)
DATA kernels<>+88(SB)/8, $mulWideU<>(SB)
DATA kernels<>+96(SB)/8, $mulHighS<>(SB)
DATA kernels<>+104(SB)/8, $mulHighU<>(SB)
DATA kernels<>+112(SB)/8, $scaled<>(SB)
DATA kernels<>+120(SB)/8, $scaledC<>(SB)
DATA kernels<>+128(SB)/8, $scaledHigh<>(SB)
DATA kernels<>+136(SB)/8, $scaledHighC<>(SB)
DATA kernels<>+144(SB)/8, $scaledSign<>(SB)
DATA kernels<>+152(SB)/8, $scaledSignC<>(SB)
DATA kernels<>+160(SB)/8, $leftBy<>(SB)
DATA kernels<>+168(SB)/8, $rightBy<>(SB)
DATA kernels<>+176(SB)/8, $rightSignedBy<>(SB)
DATA kernels<>+184(SB)/8, $funnelLeft<>(SB)
DATA kernels<>+192(SB)/8, $funnelRight<>(SB)
DATA kernels<>+200(SB)/8, $and<>(SB)
DATA kernels<>+208(SB)/8, $or<>(SB)
DATA kernels<>+216(SB)/8, $xor<>(SB)
DATA kernels<>+224(SB)/8, $logic<>(SB)
DATA kernels<>+232(SB)/8, $logicTest<>(SB)
DATA kernels<>+240(SB)/8, $compare<>(SB)
DATA kernels<>+248(SB)/8, $floatOrder<>(SB)
DATA kernels<>+256(SB)/8, $fadd<>(SB)
DATA kernels<>+264(SB)/8, $fmul<>(SB)
DATA kernels<>+272(SB)/8, $ffma<>(SB)
DATA kernels<>+280(SB)/8, $faddPlain<>(SB)
DATA kernels<>+288(SB)/8, $fmulPlain<>(SB)
DATA kernels<>+296(SB)/8, $ffmaPlain<>(SB)
DATA kernels<>+304(SB)/8, $fmin<>(SB)
DATA kernels<>+312(SB)/8, $fmax<>(SB)
DATA kernels<>+320(SB)/8, $select<>(SB)
DATA kernels<>+328(SB)/8, $minS<>(SB)
DATA kernels<>+336(SB)/8, $maxS<>(SB)
DATA kernels<>+344(SB)/8, $minU<>(SB)
DATA kernels<>+352(SB)/8, $maxU<>(SB)
DATA kernels<>+360(SB)/8, $abs<>(SB)
DATA kernels<>+368(SB)/8, $fromSigned<>(SB)
DATA kernels<>+376(SB)/8, $reciprocal<>(SB)
DATA kernels<>+384(SB)/8, $root<>(SB)
GLOBL kernels<>(SB), RODATA, $392

// func hasVectors() bool
TEXT ·hasVectors(SB), NOSPLIT, $0-1
	MOVB $0, ret+0(FP)
	XORL AX, AX
	CPUID
	CMPL AX, $7
	JLT  no
	MOVL $1, AX
	XORL CX, CX
	CPUID
	ANDL $(1<<12 | 1<<27), CX // FMA, and that XGETBV may be asked
	CMPL CX, $(1<<12 | 1<<27)
	JNE  no
	XORL CX, CX
	XGETBV
	ANDL $6, AX // the registers are kept
	CMPL AX, $6
	JNE  no
	MOVL $7, AX
	XORL CX, CX
	CPUID
	ANDL $(1<<5), BX // AVX2
	JEQ  no
	MOVB $1, ret+0(FP)

no:
	RET

// func runSteps(m *machine, s *step, n int, execs *uint32) int
TEXT ·runSteps(SB), NOSPLIT, $0-40
	MOVQ  m+0(FP), DX
	MOVQ  s+8(FP), SI
	MOVQ  n+16(FP), R9
	MOVQ  execs+24(FP), R10
	IMULQ $step__size, R9
	ADDQ  SI, R9
	MOVQ  machine_file(DX), DI
	MOVL  machine_active(DX), R8

first:
	MOVL  step_kernel(SI), CX
	TESTL CX, CX
	JEQ   end
	MOVL  step_guard(SI), AX
	MOVL  machine_pred(DX)(AX*4), R11
	XORL  step_guardNot(SI), R11
	ANDL  R8, R11
	MOVL  R11, (R10)
	JEQ   next
	CMPL  CX, $const_kernelShuffle
	JHI   some
	JNE   end // passed only if nobody takes part
	CMPL  R11, $-1
	JNE   end

some:
	ORL  step_uniform(SI), R11

	// What is read has to be defined.
	MOVWLZX (step_minds+0)(SI), AX
	MOVL    machine_undef(DX)(AX*4), R13
	MOVWLZX (step_minds+2)(SI), BX
	ORL     machine_undef(DX)(BX*4), R13
	MOVWLZX (step_minds+4)(SI), AX
	ORL     machine_undef(DX)(AX*4), R13
	MOVWLZX (step_minds+6)(SI), BX
	ORL     machine_undef(DX)(BX*4), R13
	MOVWLZX (step_minds+8)(SI), AX
	ORL     machine_undef(DX)(AX*4), R13
	MOVWLZX (step_minds+10)(SI), BX
	ORL     machine_undef(DX)(BX*4), R13
	TESTL   R11, R13
	JNE     end
	LEAQ    kernels<>(SB), BX
	MOVQ    (BX)(CX*8), BX
	CALL    BX

next:
	ADDQ $step__size, SI
	ADDQ $4, R10
	CMPQ SI, R9
	JNE  first

end:
	VZEROUPPER
	SUBQ execs+24(FP), R10
	SHRQ $2, R10
	MOVQ R10, ret+32(FP)
	RET

// store writes Y0 to Y3 to the row of the step, in its lanes.
TEXT store<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_d, BX)
	MOVL    R11, R12
	NOTL    R12
	MOVWLZX step_sets(SI), AX
	TESTL   R12, R12
	JNE     some
	VMOVDQU Y0, (BX)
	VMOVDQU Y1, 32(BX)
	VMOVDQU Y2, 64(BX)
	VMOVDQU Y3, 96(BX)
	MOVL    $0, machine_undef(DX)(AX*4)
	RET

some:
	ANDL      R12, machine_undef(DX)(AX*4)
	VMOVD     R11, X8
	LANES(X8, Y8, Y9, Y10, Y11)
	LOAD(BX, Y12, Y13, Y14, Y15)
	VPBLENDVB Y8, Y0, Y12, Y0
	VPBLENDVB Y9, Y1, Y13, Y1
	VPBLENDVB Y10, Y2, Y14, Y2
	VPBLENDVB Y11, Y3, Y15, Y3
	VMOVDQU   Y0, (BX)
	VMOVDQU   Y1, 32(BX)
	VMOVDQU   Y2, 64(BX)
	VMOVDQU   Y3, 96(BX)
	RET

// storeAll is store for a step that writes predicates as well: all of its sets.
TEXT storeAll<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVL R11, R12
	NOTL R12
	DEFINED(1, R12, AX)
	DEFINED(2, R12, BX)
	DEFINED(3, R12, AX)
	JMP  store<>(SB)

// storePair is store for a step that writes two rows: Y4 to Y7 go to d2.
TEXT storePair<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_d2, BX)
	MOVL  R11, R12
	NOTL  R12
	DEFINED(1, R12, AX)
	TESTL R12, R12
	JNE   some
	VMOVDQU Y4, (BX)
	VMOVDQU Y5, 32(BX)
	VMOVDQU Y6, 64(BX)
	VMOVDQU Y7, 96(BX)
	JMP     store<>(SB)

some:
	VMOVD     R11, X8
	LANES(X8, Y8, Y9, Y10, Y11)
	LOAD(BX, Y12, Y13, Y14, Y15)
	VPBLENDVB Y8, Y4, Y12, Y4
	VPBLENDVB Y9, Y5, Y13, Y5
	VPBLENDVB Y10, Y6, Y14, Y6
	VPBLENDVB Y11, Y7, Y15, Y7
	VMOVDQU   Y4, (BX)
	VMOVDQU   Y5, 32(BX)
	VMOVDQU   Y6, 64(BX)
	VMOVDQU   Y7, 96(BX)
	JMP       store<>(SB)

// storeFloat is store of floats: what is no number gets its pattern.
TEXT storeFloat<>(SB), NOSPLIT|NOFRAME, $0-0
	VBROADCASTSS noNumber<>(SB), Y8
	VCMPPS    $3, Y0, Y0, Y4
	VCMPPS    $3, Y1, Y1, Y5
	VCMPPS    $3, Y2, Y2, Y6
	VCMPPS    $3, Y3, Y3, Y7
	VBLENDVPS Y4, Y8, Y0, Y0
	VBLENDVPS Y5, Y8, Y1, Y1
	VBLENDVPS Y6, Y8, Y2, Y2
	VBLENDVPS Y7, Y8, Y3, Y3
	JMP       store<>(SB)

// SHUFFLED takes for eight lanes the words of Y4 to Y7 that the route at offset, at BX,
// names: of each vector that of its lower three bits, of which the next two choose.
#define SHUFFLED(offset, Y) \
	VMOVDQU offset(BX), Y8; \
	VPERMD Y4, Y8, Y9; \
	VPERMD Y5, Y8, Y10; \
	VPERMD Y6, Y8, Y11; \
	VPERMD Y7, Y8, Y12; \
	VPSLLD $28, Y8, Y13; \
	VPSLLD $27, Y8, Y8; \
	VBLENDVPS Y13, Y10, Y9, Y9; \
	VBLENDVPS Y13, Y12, Y11, Y11; \
	VBLENDVPS Y8, Y11, Y9, Y

TEXT shuffle<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_a, AX)
	MOVQ step_route(SI), BX
	LOAD(AX, Y4, Y5, Y6, Y7)
	SHUFFLED(0, Y0)
	SHUFFLED(32, Y1)
	SHUFFLED(64, Y2)
	SHUFFLED(96, Y3)
	MOVL step_pd(SI), CX
	MOVL route_in(BX), AX
	MOVL AX, machine_pred(DX)(CX*4)
	JMP  storeAll<>(SB)

TEXT move<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_a, AX)
	LOAD(AX, Y0, Y1, Y2, Y3)
	JMP store<>(SB)

TEXT movePair<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_a, AX)
	ROW(step_ch, BX)
	LOAD(AX, Y0, Y1, Y2, Y3)
	LOAD(BX, Y4, Y5, Y6, Y7)
	JMP storePair<>(SB)

TEXT add<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_a, AX)
	ROW(step_b, BX)
	LOAD(AX, Y0, Y1, Y2, Y3)
	WITH(VPADDD, BX)
	JMP store<>(SB)

TEXT add3<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_a, AX)
	ROW(step_b, BX)
	ROW(step_c, CX)
	LOAD(AX, Y0, Y1, Y2, Y3)
	WITH(VPADDD, BX)
	WITH(VPADDD, CX)
	JMP store<>(SB)

TEXT addTurned<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_a, AX)
	LOAD(AX, Y0, Y1, Y2, Y3)
	VPBROADCASTD K(0)(SI), Y8
	EACH(VPXOR, Y8, Y0, Y1, Y2, Y3)
	ROW(step_c, CX)
	LOAD(CX, Y4, Y5, Y6, Y7)
	VPBROADCASTD K(2)(SI), Y8
	EACH(VPXOR, Y8, Y4, Y5, Y6, Y7)
	VPADDD Y4, Y0, Y0
	VPADDD Y5, Y1, Y1
	VPADDD Y6, Y2, Y2
	VPADDD Y7, Y3, Y3
	JMP    addB<>(SB)

// addB adds b^k1 + k3 and stores the sum.
TEXT addB<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_b, BX)
	LOAD(BX, Y4, Y5, Y6, Y7)
	VPBROADCASTD K(1)(SI), Y8
	VPBROADCASTD K(3)(SI), Y9
	EACH(VPXOR, Y8, Y4, Y5, Y6, Y7)
	EACH(VPADDD, Y9, Y0, Y1, Y2, Y3)
	VPADDD Y4, Y0, Y0
	VPADDD Y5, Y1, Y1
	VPADDD Y6, Y2, Y2
	VPADDD Y7, Y3, Y3
	JMP    store<>(SB)

TEXT addCarry<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_a, AX)
	LOAD(AX, Y0, Y1, Y2, Y3)
	VPBROADCASTD K(2)(SI), Y8
	EACH(VPXOR, Y8, Y0, Y1, Y2, Y3)
	JMP addCarryB<>(SB)

// CARRIED adds Y, the vector at offset of b, and C, which is -1 where a carry comes in,
// and leaves in C what has the carry out as its sign: two of both operands and the
// complement of the sum.
#define CARRIED(offset, Y, C) \
	VPXOR offset(BX), Y8, Y9; \
	VPADDD Y9, Y, Y10; \
	VPSUBD C, Y10, Y10; \
	VPAND Y9, Y, C; \
	VPOR Y9, Y, Y9; \
	VPANDN Y9, Y10, Y9; \
	VPOR Y9, C, C; \
	VMOVDQA Y10, Y

// addCarryB adds b^k1 and what carries in, notes what carries out, and stores the sum.
TEXT addCarryB<>(SB), NOSPLIT|NOFRAME, $0-0
	HOLDS(step_p, step_pNot, AX)
	ANDL K(0)(SI), AX
	ORL  K(3)(SI), AX
	VMOVD AX, X4
	LANES(X4, Y4, Y5, Y6, Y7)
	ROW(step_b, BX)
	VPBROADCASTD K(1)(SI), Y8
	CARRIED(0, Y0, Y4)
	CARRIED(32, Y1, Y5)
	CARRIED(64, Y2, Y6)
	CARRIED(96, Y3, Y7)
	BITS(Y4, Y5, Y6, Y7, AX, CX)
	MOVL R11, R12
	NOTL R12
	SETPRED(step_pd, AX, CX, R12)
	MOVL step_pd2(SI), CX
	ANDL R12, machine_pred(DX)(CX*4)
	JMP  storeAll<>(SB)

TEXT mulAdd<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_a, AX)
	ROW(step_b, BX)
	LOAD(AX, Y0, Y1, Y2, Y3)
	WITH(VPMULLD, BX)
	ROW(step_c, CX)
	LOAD(CX, Y4, Y5, Y6, Y7)
	VPBROADCASTD K(2)(SI), Y8
	VPBROADCASTD K(3)(SI), Y9
	EACH(VPXOR, Y8, Y4, Y5, Y6, Y7)
	EACH(VPADDD, Y9, Y0, Y1, Y2, Y3)
	VPADDD Y4, Y0, Y0
	VPADDD Y5, Y1, Y1
	VPADDD Y6, Y2, Y2
	VPADDD Y7, Y3, Y3
	JMP    store<>(SB)

// PRODUCT makes the words of the products of eight lanes of a and b, at AX and BX.
#define PRODUCT(OP, offset, L, H) \
	VMOVDQU offset(AX), Y8; \
	VMOVDQU offset(BX), Y9; \
	OP Y9, Y8, Y10; \
	VPSRLQ $32, Y8, Y8; \
	VPSRLQ $32, Y9, Y9; \
	OP Y9, Y8, Y11; \
	VPSLLQ $32, Y11, Y12; \
	VPSRLQ $32, Y10, Y13; \
	VPBLENDD $0xaa, Y12, Y10, L; \
	VPBLENDD $0xaa, Y11, Y13, H

#define PRODUCTS(OP) \
	ROW(step_a, AX); \
	ROW(step_b, BX); \
	PRODUCT(OP, 0, Y0, Y4); \
	PRODUCT(OP, 32, Y1, Y5); \
	PRODUCT(OP, 64, Y2, Y6); \
	PRODUCT(OP, 96, Y3, Y7)

TEXT mulWideS<>(SB), NOSPLIT|NOFRAME, $0-0
	PRODUCTS(VPMULDQ)
	JMP addWide<>(SB)

TEXT mulWideU<>(SB), NOSPLIT|NOFRAME, $0-0
	PRODUCTS(VPMULUDQ)
	JMP addWide<>(SB)

TEXT mulHighS<>(SB), NOSPLIT|NOFRAME, $0-0
	PRODUCTS(VPMULDQ)
	JMP addHigh<>(SB)

TEXT mulHighU<>(SB), NOSPLIT|NOFRAME, $0-0
	PRODUCTS(VPMULUDQ)
	JMP addHigh<>(SB)

// SUM adds c and ch, at CX and BX, to the words L and H: the sum of the lower ones is
// below c where it has carried.
#define SUM(offset, L, H) \
	VMOVDQU offset(CX), Y8; \
	VPADDD Y8, L, L; \
	VPADDD offset(BX), H, H; \
	VPMINUD Y8, L, Y9; \
	VPCMPEQD Y8, Y9, Y9; \
	VPADDD Y15, H, H; \
	VPADDD Y9, H, H

// addWide adds c and ch to the words in Y0 to Y3 and Y4 to Y7, and stores both.
TEXT addWide<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_c, CX)
	ROW(step_ch, BX)
	VPCMPEQD Y15, Y15, Y15
	VPSRLD $31, Y15, Y15 // 1, from which -1 is taken where the sum is not below c
	SUM(0, Y0, Y4)
	SUM(32, Y1, Y5)
	SUM(64, Y2, Y6)
	SUM(96, Y3, Y7)
	JMP storePair<>(SB)

// addHigh adds c to the words in Y4 to Y7 and stores them.
TEXT addHigh<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_c, CX)
	VPADDD (CX), Y4, Y0
	VPADDD 32(CX), Y5, Y1
	VPADDD 64(CX), Y6, Y2
	VPADDD 96(CX), Y7, Y3
	JMP    store<>(SB)

#define SCALED \
	ROW(step_a, AX); \
	LOAD(AX, Y0, Y1, Y2, Y3); \
	VMOVD step_imm(SI), X8; \
	VPSLLD X8, Y0, Y0; \
	VPSLLD X8, Y1, Y1; \
	VPSLLD X8, Y2, Y2; \
	VPSLLD X8, Y3, Y3

TEXT scaled<>(SB), NOSPLIT|NOFRAME, $0-0
	SCALED
	JMP addB<>(SB)

TEXT scaledC<>(SB), NOSPLIT|NOFRAME, $0-0
	SCALED
	JMP addCarryB<>(SB)

#define SCALEDHIGH \
	ROW(step_a, AX); \
	ROW(step_c, CX); \
	LOAD(CX, Y0, Y1, Y2, Y3); \
	LOAD(AX, Y4, Y5, Y6, Y7); \
	MOVL $32, BX; \
	SUBL step_imm(SI), BX; \
	VMOVD step_imm(SI), X8; \
	VMOVD BX, X9; \
	VPSLLD X8, Y0, Y0; \
	VPSLLD X8, Y1, Y1; \
	VPSLLD X8, Y2, Y2; \
	VPSLLD X8, Y3, Y3; \
	VPSRLD X9, Y4, Y4; \
	VPSRLD X9, Y5, Y5; \
	VPSRLD X9, Y6, Y6; \
	VPSRLD X9, Y7, Y7; \
	VPOR Y4, Y0, Y0; \
	VPOR Y5, Y1, Y1; \
	VPOR Y6, Y2, Y2; \
	VPOR Y7, Y3, Y3

TEXT scaledHigh<>(SB), NOSPLIT|NOFRAME, $0-0
	SCALEDHIGH
	JMP addB<>(SB)

TEXT scaledHighC<>(SB), NOSPLIT|NOFRAME, $0-0
	SCALEDHIGH
	JMP addCarryB<>(SB)

#define SCALEDSIGN \
	ROW(step_a, AX); \
	LOAD(AX, Y0, Y1, Y2, Y3); \
	VMOVD step_imm(SI), X8; \
	VPSRAD X8, Y0, Y0; \
	VPSRAD X8, Y1, Y1; \
	VPSRAD X8, Y2, Y2; \
	VPSRAD X8, Y3, Y3

TEXT scaledSign<>(SB), NOSPLIT|NOFRAME, $0-0
	SCALEDSIGN
	JMP addB<>(SB)

TEXT scaledSignC<>(SB), NOSPLIT|NOFRAME, $0-0
	SCALEDSIGN
	JMP addCarryB<>(SB)

// COUNTS makes a's lanes Y0 to Y3 and the counts Y4 to Y7.
#define COUNTS \
	ROW(step_a, AX); \
	ROW(step_b, BX); \
	LOAD(BX, Y4, Y5, Y6, Y7); \
	VPBROADCASTD K(0)(SI), Y8; \
	EACH(VPAND, Y8, Y4, Y5, Y6, Y7); \
	LOAD(AX, Y0, Y1, Y2, Y3)

TEXT leftBy<>(SB), NOSPLIT|NOFRAME, $0-0
	COUNTS
	VPSLLVD Y4, Y0, Y0
	VPSLLVD Y5, Y1, Y1
	VPSLLVD Y6, Y2, Y2
	VPSLLVD Y7, Y3, Y3
	JMP     store<>(SB)

TEXT rightBy<>(SB), NOSPLIT|NOFRAME, $0-0
	COUNTS
	VPSRLVD Y4, Y0, Y0
	VPSRLVD Y5, Y1, Y1
	VPSRLVD Y6, Y2, Y2
	VPSRLVD Y7, Y3, Y3
	JMP     store<>(SB)

TEXT rightSignedBy<>(SB), NOSPLIT|NOFRAME, $0-0
	COUNTS
	VPSRAVD Y4, Y0, Y0
	VPSRAVD Y5, Y1, Y1
	VPSRAVD Y6, Y2, Y2
	VPSRAVD Y7, Y3, Y3
	JMP     store<>(SB)

// FUNNEL shifts the vector at offset of the word that stays, at CX, by the count N in one
// direction, and puts in the bits of A in the other by 32-N, or back by N-32: counts
// beyond 31 leave nothing. Y9 is 32.
#define FUNNEL(THIS, THAT, offset, A, N) \
	VMOVDQU offset(CX), Y10; \
	THIS N, Y10, Y10; \
	VPSUBD N, Y9, Y11; \
	THAT Y11, A, Y11; \
	VPOR Y11, Y10, Y10; \
	VPSUBD Y9, N, Y11; \
	THIS Y11, A, Y11; \
	VPOR Y11, Y10, A

// LIMIT makes the counts no higher than k1, and Y9 32.
#define LIMIT \
	VPBROADCASTD K(1)(SI), Y8; \
	EACH(VPMINUD, Y8, Y4, Y5, Y6, Y7); \
	VPCMPEQD Y9, Y9, Y9; \
	VPSRLD $31, Y9, Y9; \
	VPSLLD $5, Y9, Y9

TEXT funnelLeft<>(SB), NOSPLIT|NOFRAME, $0-0
	COUNTS
	LIMIT
	ROW(step_c, CX)
	FUNNEL(VPSLLVD, VPSRLVD, 0, Y0, Y4)
	FUNNEL(VPSLLVD, VPSRLVD, 32, Y1, Y5)
	FUNNEL(VPSLLVD, VPSRLVD, 64, Y2, Y6)
	FUNNEL(VPSLLVD, VPSRLVD, 96, Y3, Y7)
	JMP store<>(SB)

// funnelRight takes a for c and c for a.
TEXT funnelRight<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_c, AX)
	ROW(step_a, CX)
	ROW(step_b, BX)
	LOAD(BX, Y4, Y5, Y6, Y7)
	VPBROADCASTD K(0)(SI), Y8
	EACH(VPAND, Y8, Y4, Y5, Y6, Y7)
	LOAD(AX, Y0, Y1, Y2, Y3)
	LIMIT
	FUNNEL(VPSRLVD, VPSLLVD, 0, Y0, Y4)
	FUNNEL(VPSRLVD, VPSLLVD, 32, Y1, Y5)
	FUNNEL(VPSRLVD, VPSLLVD, 64, Y2, Y6)
	FUNNEL(VPSRLVD, VPSLLVD, 96, Y3, Y7)
	JMP store<>(SB)

TEXT and<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_a, AX)
	ROW(step_b, BX)
	LOAD(AX, Y0, Y1, Y2, Y3)
	WITH(VPAND, BX)
	JMP store<>(SB)

TEXT or<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_a, AX)
	ROW(step_b, BX)
	LOAD(AX, Y0, Y1, Y2, Y3)
	WITH(VPOR, BX)
	JMP store<>(SB)

TEXT xor<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_a, AX)
	ROW(step_b, BX)
	LOAD(AX, Y0, Y1, Y2, Y3)
	WITH(VPXOR, BX)
	JMP store<>(SB)

// CHOSEN is one vector of a table of three values, of which Y8 to Y15 have what
// logicMasks says: a chooses between what b chooses.
#define CHOSEN(offset, Y) \
	VMOVDQU offset(CX), Y4; \
	VMOVDQU offset(BX), Y5; \
	VPAND Y8, Y4, Y6; \
	VPXOR Y9, Y6, Y6; \
	VPAND Y10, Y4, Y7; \
	VPXOR Y11, Y7, Y7; \
	VPXOR Y6, Y7, Y7; \
	VPAND Y5, Y7, Y7; \
	VPXOR Y6, Y7, Y7; \
	VPAND Y12, Y4, Y6; \
	VPXOR Y13, Y6, Y6; \
	VPAND Y14, Y4, Y4; \
	VPXOR Y15, Y4, Y4; \
	VPXOR Y6, Y4, Y4; \
	VPAND Y5, Y4, Y4; \
	VPXOR Y6, Y4, Y4; \
	VPXOR Y7, Y4, Y4; \
	VPAND offset(AX), Y4, Y4; \
	VPXOR Y7, Y4, Y

#define BYTABLE \
	MOVL step_imm(SI), AX; \
	LEAQ ·logicMasks(SB), BX; \
	ADDQ AX, BX; \
	VPBROADCASTD (BX), Y8; \
	VPBROADCASTD 4(BX), Y9; \
	VPBROADCASTD 8(BX), Y10; \
	VPBROADCASTD 12(BX), Y11; \
	VPBROADCASTD 16(BX), Y12; \
	VPBROADCASTD 20(BX), Y13; \
	VPBROADCASTD 24(BX), Y14; \
	VPBROADCASTD 28(BX), Y15; \
	ROW(step_a, AX); \
	ROW(step_b, BX); \
	ROW(step_c, CX); \
	CHOSEN(0, Y0); \
	CHOSEN(32, Y1); \
	CHOSEN(64, Y2); \
	CHOSEN(96, Y3)

TEXT logic<>(SB), NOSPLIT|NOFRAME, $0-0
	BYTABLE
	JMP store<>(SB)

TEXT logicTest<>(SB), NOSPLIT|NOFRAME, $0-0
	BYTABLE
	VPXOR    Y8, Y8, Y8
	VPCMPEQD Y0, Y8, Y4
	VPCMPEQD Y1, Y8, Y5
	VPCMPEQD Y2, Y8, Y6
	VPCMPEQD Y3, Y8, Y7
	BITS(Y4, Y5, Y6, Y7, AX, CX)
	NOTL     AX
	HOLDS(step_p, step_pNot, CX)
	ORL      CX, AX
	MOVL     R11, R12
	NOTL     R12
	SETPRED(step_pd, AX, CX, R12)
	JMP      storeAll<>(SB)

TEXT compare<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_a, AX)
	ROW(step_b, BX)
	LOAD(AX, Y0, Y1, Y2, Y3)
	LOAD(BX, Y4, Y5, Y6, Y7)
	VPBROADCASTD K(4)(SI), Y8
	EACH(VPXOR, Y8, Y0, Y1, Y2, Y3)
	EACH(VPXOR, Y8, Y4, Y5, Y6, Y7)
	VPCMPGTD Y0, Y4, Y8
	VPCMPGTD Y1, Y5, Y9
	VPCMPGTD Y2, Y6, Y10
	VPCMPGTD Y3, Y7, Y11
	VPCMPEQD Y0, Y4, Y4
	VPCMPEQD Y1, Y5, Y5
	VPCMPEQD Y2, Y6, Y6
	VPCMPEQD Y3, Y7, Y7
	BITS(Y8, Y9, Y10, Y11, AX, R13)
	BITS(Y4, Y5, Y6, Y7, BX, R13)
	MOVL     AX, CX
	ORL      BX, CX
	NOTL     CX
	XORL     R13, R13
	JMP      decide<>(SB)

TEXT floatOrder<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_a, AX)
	ROW(step_b, BX)
	LOAD(AX, Y0, Y1, Y2, Y3)
	LOAD(BX, Y4, Y5, Y6, Y7)
	VBROADCASTSS K(4)(SI), Y8
	VBROADCASTSS K(5)(SI), Y9
	EACH(VANDPS, Y8, Y0, Y1, Y2, Y3)
	EACH(VXORPS, Y9, Y0, Y1, Y2, Y3)
	VBROADCASTSS K(6)(SI), Y8
	VBROADCASTSS K(7)(SI), Y9
	EACH(VANDPS, Y8, Y4, Y5, Y6, Y7)
	EACH(VXORPS, Y9, Y4, Y5, Y6, Y7)
	VCMPPS $17, Y4, Y0, Y8 // below
	VCMPPS $17, Y5, Y1, Y9
	VCMPPS $17, Y6, Y2, Y10
	VCMPPS $17, Y7, Y3, Y11
	BITS(Y8, Y9, Y10, Y11, AX, R13)
	VCMPPS $0, Y4, Y0, Y8 // equal
	VCMPPS $0, Y5, Y1, Y9
	VCMPPS $0, Y6, Y2, Y10
	VCMPPS $0, Y7, Y3, Y11
	BITS(Y8, Y9, Y10, Y11, BX, R13)
	VCMPPS $30, Y4, Y0, Y8 // above
	VCMPPS $30, Y5, Y1, Y9
	VCMPPS $30, Y6, Y2, Y10
	VCMPPS $30, Y7, Y3, Y11
	BITS(Y8, Y9, Y10, Y11, CX, R13)
	MOVL AX, R13
	ORL  BX, R13
	ORL  CX, R13
	NOTL R13
	JMP  decide<>(SB)

// decide writes the predicates of a compare of which AX are the lanes below, BX those
// that are equal, CX those above and R13 those that cannot be compared. Among the equal
// ones a predicate may decide.
TEXT decide<>(SB), NOSPLIT|NOFRAME, $0-0
	HOLDS(step_q, step_qNot, R12)
	ANDL R12, BX
	ANDL K(0)(SI), AX
	ANDL K(1)(SI), BX
	ANDL K(2)(SI), CX
	ANDL K(3)(SI), R13
	ORL  BX, AX
	ORL  R13, CX
	ORL  CX, AX       // where it holds
	MOVL AX, BX
	NOTL BX
	HOLDS(step_p, step_pNot, R13)
	MOVL step_how(SI), CX
	CMPL CX, $const_or
	JEQ  either
	JHI  different
	ANDL R13, AX
	ANDL R13, BX
	JMP  write

either:
	ORL R13, AX
	ORL R13, BX
	JMP write

different:
	XORL R13, AX
	XORL R13, BX

write:
	MOVL R11, R12
	NOTL R12
	SETPRED(step_pd2, BX, CX, R12)
	SETPRED(step_pd, AX, CX, R12)
	DEFINED(0, R12, AX)
	DEFINED(1, R12, BX)
	RET

// SIGNS applies two constants to the signs of vectors.
#define SIGNS(i, A, B, C, D) \
	VBROADCASTSS K(i)(SI), Y12; \
	VBROADCASTSS (K(i)+4)(SI), Y13; \
	EACH(VANDPS, Y12, A, B, C, D); \
	EACH(VXORPS, Y13, A, B, C, D)

#define PAIRS(OP) \
	OP Y4, Y0, Y0; \
	OP Y5, Y1, Y1; \
	OP Y6, Y2, Y2; \
	OP Y7, Y3, Y3

#define SIGNED \
	ROW(step_a, AX); \
	ROW(step_b, BX); \
	LOAD(AX, Y0, Y1, Y2, Y3); \
	LOAD(BX, Y4, Y5, Y6, Y7); \
	SIGNS(0, Y0, Y1, Y2, Y3); \
	SIGNS(2, Y4, Y5, Y6, Y7)

TEXT fadd<>(SB), NOSPLIT|NOFRAME, $0-0
	SIGNED
	PAIRS(VADDPS)
	JMP storeFloat<>(SB)

TEXT fmul<>(SB), NOSPLIT|NOFRAME, $0-0
	SIGNED
	PAIRS(VMULPS)
	JMP storeFloat<>(SB)

TEXT ffma<>(SB), NOSPLIT|NOFRAME, $0-0
	SIGNED
	ROW(step_c, CX)
	LOAD(CX, Y8, Y9, Y10, Y11)
	SIGNS(4, Y8, Y9, Y10, Y11)
	VFMADD213PS Y8, Y4, Y0
	VFMADD213PS Y9, Y5, Y1
	VFMADD213PS Y10, Y6, Y2
	VFMADD213PS Y11, Y7, Y3
	JMP storeFloat<>(SB)

TEXT faddPlain<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_a, AX)
	ROW(step_b, BX)
	LOAD(AX, Y0, Y1, Y2, Y3)
	WITH(VADDPS, BX)
	JMP storeFloat<>(SB)

TEXT fmulPlain<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_a, AX)
	ROW(step_b, BX)
	LOAD(AX, Y0, Y1, Y2, Y3)
	WITH(VMULPS, BX)
	JMP storeFloat<>(SB)

TEXT ffmaPlain<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_a, AX)
	ROW(step_b, BX)
	ROW(step_c, CX)
	LOAD(AX, Y0, Y1, Y2, Y3)
	LOAD(BX, Y4, Y5, Y6, Y7)
	VFMADD213PS (CX), Y4, Y0
	VFMADD213PS 32(CX), Y5, Y1
	VFMADD213PS 64(CX), Y6, Y2
	VFMADD213PS 96(CX), Y7, Y3
	JMP storeFloat<>(SB)

// CLOSEST is the smaller or larger of A and B: of zeros by the sign, and of a number and
// none the number.
#define CLOSEST(OP, BOTH, A, B) \
	OP B, A, Y12; \
	VCMPPS $0, B, A, Y13; \
	BOTH B, A, Y14; \
	VBLENDVPS Y13, Y14, Y12, Y12; \
	VCMPPS $3, B, B, Y13; \
	VBLENDVPS Y13, A, Y12, A

TEXT fmin<>(SB), NOSPLIT|NOFRAME, $0-0
	SIGNED
	CLOSEST(VMINPS, VORPS, Y0, Y4)
	CLOSEST(VMINPS, VORPS, Y1, Y5)
	CLOSEST(VMINPS, VORPS, Y2, Y6)
	CLOSEST(VMINPS, VORPS, Y3, Y7)
	JMP storeFloat<>(SB)

TEXT fmax<>(SB), NOSPLIT|NOFRAME, $0-0
	SIGNED
	CLOSEST(VMAXPS, VANDPS, Y0, Y4)
	CLOSEST(VMAXPS, VANDPS, Y1, Y5)
	CLOSEST(VMAXPS, VANDPS, Y2, Y6)
	CLOSEST(VMAXPS, VANDPS, Y3, Y7)
	JMP storeFloat<>(SB)

TEXT select<>(SB), NOSPLIT|NOFRAME, $0-0
	HOLDS(step_p, step_pNot, AX)
	VMOVD     AX, X8
	LANES(X8, Y8, Y9, Y10, Y11)
	ROW(step_a, AX)
	ROW(step_b, BX)
	LOAD(BX, Y0, Y1, Y2, Y3)
	VPBLENDVB Y8, (AX), Y0, Y0
	VPBLENDVB Y9, 32(AX), Y1, Y1
	VPBLENDVB Y10, 64(AX), Y2, Y2
	VPBLENDVB Y11, 96(AX), Y3, Y3
	JMP       store<>(SB)

TEXT minS<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_a, AX)
	ROW(step_b, BX)
	LOAD(AX, Y0, Y1, Y2, Y3)
	WITH(VPMINSD, BX)
	JMP store<>(SB)

TEXT maxS<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_a, AX)
	ROW(step_b, BX)
	LOAD(AX, Y0, Y1, Y2, Y3)
	WITH(VPMAXSD, BX)
	JMP store<>(SB)

TEXT minU<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_a, AX)
	ROW(step_b, BX)
	LOAD(AX, Y0, Y1, Y2, Y3)
	WITH(VPMINUD, BX)
	JMP store<>(SB)

TEXT maxU<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_a, AX)
	ROW(step_b, BX)
	LOAD(AX, Y0, Y1, Y2, Y3)
	WITH(VPMAXUD, BX)
	JMP store<>(SB)

TEXT abs<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_a, AX)
	VPABSD (AX), Y0
	VPABSD 32(AX), Y1
	VPABSD 64(AX), Y2
	VPABSD 96(AX), Y3
	JMP    store<>(SB)

TEXT fromSigned<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_a, AX)
	VCVTDQ2PS (AX), Y0
	VCVTDQ2PS 32(AX), Y1
	VCVTDQ2PS 64(AX), Y2
	VCVTDQ2PS 96(AX), Y3
	JMP       store<>(SB)

TEXT reciprocal<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_a, AX)
	LOAD(AX, Y4, Y5, Y6, Y7)
	SIGNS(0, Y4, Y5, Y6, Y7)
	VBROADCASTSS unity<>(SB), Y8
	VDIVPS Y4, Y8, Y0
	VDIVPS Y5, Y8, Y1
	VDIVPS Y6, Y8, Y2
	VDIVPS Y7, Y8, Y3
	JMP    storeFloat<>(SB)

TEXT root<>(SB), NOSPLIT|NOFRAME, $0-0
	ROW(step_a, AX)
	LOAD(AX, Y4, Y5, Y6, Y7)
	SIGNS(0, Y4, Y5, Y6, Y7)
	VSQRTPS Y4, Y0
	VSQRTPS Y5, Y1
	VSQRTPS Y6, Y2
	VSQRTPS Y7, Y3
	JMP     storeFloat<>(SB)

// ACROSS leaves in all words of A what OP makes of all of them; B is free.
#define ACROSS(OP, A, B) \
	VPERM2I128 $1, A, A, B; \
	OP B, A, A; \
	VPSHUFD $0x4e, A, B; \
	OP B, A, A; \
	VPSHUFD $0xb1, A, B; \
	OP B, A, A

DATA laneNumbers<>+0(SB)/4, $0
DATA laneNumbers<>+4(SB)/4, $1
DATA laneNumbers<>+8(SB)/4, $2
DATA laneNumbers<>+12(SB)/4, $3
DATA laneNumbers<>+16(SB)/4, $4
DATA laneNumbers<>+20(SB)/4, $5
DATA laneNumbers<>+24(SB)/4, $6
DATA laneNumbers<>+28(SB)/4, $7
GLOBL laneNumbers<>(SB), RODATA|NOPTR, $32

// func vectorLie(a *row, add, n uint32, off *row, l *lie)
TEXT ·vectorLie(SB), NOSPLIT, $0-32
	MOVQ a+0(FP), AX
	MOVQ off+16(FP), BX
	MOVQ l+24(FP), CX
	LOAD(AX, Y0, Y1, Y2, Y3)

	// Least and most.
	VPMINUD Y1, Y0, Y4
	VPMINUD Y3, Y2, Y5
	VPMAXUD Y1, Y0, Y6
	VPMAXUD Y3, Y2, Y7
	VPMINUD Y5, Y4, Y4
	VPMAXUD Y7, Y6, Y6
	ACROSS(VPMINUD, Y4, Y5)
	ACROSS(VPMAXUD, Y6, Y7)
	VMOVD   X4, lie_least(CX)
	VMOVD   X6, lie_most(CX)

	// Bits of the sums.
	MOVL         add+8(FP), DX
	VMOVD        DX, X5
	VPBROADCASTD X5, Y5
	VPADDD       Y0, Y5, Y8
	VPADDD       Y1, Y5, Y9
	VPADDD       Y2, Y5, Y10
	VPADDD       Y3, Y5, Y11
	VPOR         Y9, Y8, Y8
	VPOR         Y11, Y10, Y10
	VPOR         Y10, Y8, Y8
	ACROSS(VPOR, Y8, Y9)
	VMOVD        X8, lie_or(CX)

	// What differs from a run that begins with the first.
	MOVL         n+12(FP), DX
	VMOVD        DX, X5
	VPBROADCASTD X5, Y5
	VPMULLD      laneNumbers<>(SB), Y5, Y7
	VPBROADCASTD (AX), Y6
	VPADDD       Y6, Y7, Y7
	VPSLLD       $3, Y5, Y5
	VPXOR        Y0, Y7, Y8
	VPADDD       Y5, Y7, Y7
	VPXOR        Y1, Y7, Y9
	VPOR         Y9, Y8, Y8
	VPADDD       Y5, Y7, Y7
	VPXOR        Y2, Y7, Y9
	VPOR         Y9, Y8, Y8
	VPADDD       Y5, Y7, Y7
	VPXOR        Y3, Y7, Y9
	VPOR         Y9, Y8, Y8
	ACROSS(VPOR, Y8, Y9)
	VMOVD        X8, lie_gaps(CX)

	// Offsets.
	VPSUBD  Y4, Y0, Y0
	VPSUBD  Y4, Y1, Y1
	VPSUBD  Y4, Y2, Y2
	VPSUBD  Y4, Y3, Y3
	VMOVDQU Y0, (BX)
	VMOVDQU Y1, 32(BX)
	VMOVDQU Y2, 64(BX)
	VMOVDQU Y3, 96(BX)
	VZEROUPPER
	RET

// func vectorGather(d *row, from unsafe.Pointer, off *row)
TEXT ·vectorGather(SB), NOSPLIT, $0-24
	MOVQ d+0(FP), AX
	MOVQ from+8(FP), BX
	MOVQ off+16(FP), CX
	LOAD(CX, Y4, Y5, Y6, Y7)
	VPCMPEQD   Y8, Y8, Y8
	VPCMPEQD   Y9, Y9, Y9
	VPCMPEQD   Y10, Y10, Y10
	VPCMPEQD   Y11, Y11, Y11
	VPGATHERDD Y8, (BX)(Y4*1), Y0
	VPGATHERDD Y9, (BX)(Y5*1), Y1
	VPGATHERDD Y10, (BX)(Y6*1), Y2
	VPGATHERDD Y11, (BX)(Y7*1), Y3
	VMOVDQU    Y0, (AX)
	VMOVDQU    Y1, 32(AX)
	VMOVDQU    Y2, 64(AX)
	VMOVDQU    Y3, 96(AX)
	VZEROUPPER
	RET

// LANE4 takes the four words of lane i and, to the upper half, those of lane i+4.
#define LANE4(i, A, X) \
	MOVL (4*i)(CX), R8; \
	MOVL (4*i+16)(CX), R9; \
	VMOVDQU (BX)(R8*1), X; \
	VINSERTI128 $1, (BX)(R9*1), A, A

// func vectorGather4(d *[4]row, from unsafe.Pointer, off *row)
//
// Eight lanes at a time, turned over.
TEXT ·vectorGather4(SB), NOSPLIT, $0-24
	MOVQ d+0(FP), AX
	MOVQ from+8(FP), BX
	MOVQ off+16(FP), CX
	MOVL $4, DX

eight:
	LANE4(0, Y0, X0)
	LANE4(1, Y1, X1)
	LANE4(2, Y2, X2)
	LANE4(3, Y3, X3)
	VPUNPCKLDQ  Y1, Y0, Y4
	VPUNPCKHDQ  Y1, Y0, Y5
	VPUNPCKLDQ  Y3, Y2, Y6
	VPUNPCKHDQ  Y3, Y2, Y7
	VPUNPCKLQDQ Y6, Y4, Y0
	VPUNPCKHQDQ Y6, Y4, Y1
	VPUNPCKLQDQ Y7, Y5, Y2
	VPUNPCKHQDQ Y7, Y5, Y3
	VMOVDQU     Y0, (AX)
	VMOVDQU     Y1, 128(AX)
	VMOVDQU     Y2, 256(AX)
	VMOVDQU     Y3, 384(AX)
	ADDQ        $32, AX
	ADDQ        $32, CX
	DECL        DX
	JNE         eight
	VZEROUPPER
	RET

// func vectorAmong(d, a *row, first, exec uint32)
TEXT ·vectorAmong(SB), NOSPLIT, $0-24
	MOVQ         d+0(FP), AX
	MOVQ         a+8(FP), BX
	MOVL         first+16(FP), CX
	MOVL         exec+20(FP), DX
	VMOVD        CX, X4
	VPBROADCASTD X4, Y4
	VMOVD        DX, X8
	LANES(X8, Y8, Y9, Y10, Y11)
	VPBLENDVB    Y8, (BX), Y4, Y0
	VPBLENDVB    Y9, 32(BX), Y4, Y1
	VPBLENDVB    Y10, 64(BX), Y4, Y2
	VPBLENDVB    Y11, 96(BX), Y4, Y3
	VMOVDQU      Y0, (AX)
	VMOVDQU      Y1, 32(AX)
	VMOVDQU      Y2, 64(AX)
	VMOVDQU      Y3, 96(AX)
	VZEROUPPER
	RET

// func vectorBlend(d, a *row, exec uint32)
TEXT ·vectorBlend(SB), NOSPLIT, $0-20
	MOVQ      d+0(FP), AX
	MOVQ      a+8(FP), BX
	MOVL      exec+16(FP), DX
	VMOVD     DX, X8
	LANES(X8, Y8, Y9, Y10, Y11)
	LOAD(AX, Y0, Y1, Y2, Y3)
	VPBLENDVB Y8, (BX), Y0, Y0
	VPBLENDVB Y9, 32(BX), Y1, Y1
	VPBLENDVB Y10, 64(BX), Y2, Y2
	VPBLENDVB Y11, 96(BX), Y3, Y3
	VMOVDQU   Y0, (AX)
	VMOVDQU   Y1, 32(AX)
	VMOVDQU   Y2, 64(AX)
	VMOVDQU   Y3, 96(AX)
	VZEROUPPER
	RET
