#include "textflag.h"

// func record() unsafe.Pointer
TEXT ·record(SB), NOSPLIT, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET
