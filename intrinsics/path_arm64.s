#include "textflag.h"

// func framePath(base uintptr, pcs *[maxDepth]uintptr) (n int)
//
// Every Go frame keeps its caller's frame pointer at (R29) and its return
// address at 8(R29).
TEXT ·framePath(SB), NOSPLIT|NOFRAME, $0-24
	MOVD base+0(FP), R0
	MOVD pcs+8(FP), R1
	MOVD R29, R2
	MOVD $0, R4

next:
	CBZ  R2, done
	MOVD 8(R2), R6
	CMP  R0, R6
	BEQ  done
	MOVD R6, (R1)
	ADD  $8, R1
	MOVD (R2), R2
	ADD  $1, R4
	CMP  $32, R4
	BNE  next

done:
	MOVD R4, n+16(FP)
	RET

// func pathHash(base uintptr) (hash uint64)
TEXT ·pathHash(SB), NOSPLIT|NOFRAME, $0-16
	MOVD base+0(FP), R0
	MOVD R29, R2
	MOVD $0, R3
	MOVD $32, R4
	MOVD $0x9E3779B97F4A7C15, R5

step:
	CBZ  R2, out
	MOVD 8(R2), R6
	CMP  R0, R6
	BEQ  out
	EOR  R6, R3
	MUL  R5, R3
	MOVD (R2), R2
	SUB  $1, R4
	CBNZ R4, step

out:
	MOVD R3, hash+8(FP)
	RET
