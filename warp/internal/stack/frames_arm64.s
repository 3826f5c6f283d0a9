#include "textflag.h"

// func Callers(pcs *[Depth]uintptr) (n int)
//
// Every Go frame keeps its caller's frame pointer at (R29) and its return
// address at 8(R29).
TEXT ·Callers(SB), NOSPLIT|NOFRAME, $0-16
	MOVD pcs+0(FP), R1
	MOVD R29, R2
	MOVD $0, R4

next:
	CBZ  R2, done
	MOVD 8(R2), R6
	MOVD R6, (R1)
	ADD  $8, R1
	MOVD (R2), R2
	ADD  $1, R4
	CMP  $16, R4
	BNE  next

done:
	MOVD R4, n+8(FP)
	RET
