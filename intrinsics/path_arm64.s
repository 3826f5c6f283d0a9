#include "textflag.h"

// func pathHash(base uintptr) (hash uint64)
//
// Every Go frame keeps its caller's frame pointer at (R29) and its return
// address at 8(R29).
TEXT ·pathHash(SB), NOSPLIT|NOFRAME, $0-16
	MOVD base+0(FP), R0
	MOVD R29, R2
	MOVD $0, R3
	MOVD $128, R4
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

// func stackWord(depth, off int) uint64
//
// Follows depth frame pointers from the caller's own.
TEXT ·stackWord(SB), NOSPLIT|NOFRAME, $0-24
	MOVD depth+0(FP), R0
	MOVD off+8(FP), R1
	MOVD R29, R2

up:
	CBZ  R2, missing
	CBZ  R0, there
	MOVD (R2), R2
	SUB  $1, R0
	B    up

there:
	ADD  R1, R2
	MOVD (R2), R3
	MOVD R3, ret+16(FP)
	RET

missing:
	MOVD ZR, ret+16(FP)
	RET

// func stackHash(base uintptr) uint64
//
// What a function has in its frame lies between its own frame pointer, with the
// return address above, and its caller's.
TEXT ·stackHash(SB), NOSPLIT|NOFRAME, $0-16
	MOVD base+0(FP), R0
	MOVD (R29), R2
	MOVD $0, R3
	MOVD $0x9E3779B97F4A7C15, R5

frame:
	CBZ  R2, end
	MOVD 8(R2), R6
	MOVD (R2), R4
	ADD  $16, R2

word:
	CMP  R4, R2
	BHS  above
	MOVD (R2), R7
	EOR  R7, R3
	MUL  R5, R3
	ADD  $8, R2
	B    word

above:
	CMP  R0, R6
	BEQ  end
	MOVD R4, R2
	B    frame

end:
	MOVD R3, hash+8(FP)
	RET
