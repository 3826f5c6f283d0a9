#include "textflag.h"

// func Callers(pcs *[Depth]uintptr) (n int)
//
// Every Go frame keeps its caller's frame pointer at (BP) and its return address
// at 8(BP).
TEXT ·Callers(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ pcs+0(FP), DI
	MOVQ BP, SI
	XORQ CX, CX

next:
	TESTQ SI, SI
	JEQ   done
	MOVQ  8(SI), DX
	MOVQ  DX, (DI)(CX*8)
	MOVQ  (SI), SI
	INCQ  CX
	CMPQ  CX, $16
	JNE   next

done:
	MOVQ CX, n+8(FP)
	RET
