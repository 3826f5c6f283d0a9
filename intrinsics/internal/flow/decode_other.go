//go:build !amd64 && !arm64

package flow

const readable = false

func spFromFP(int) int { return 0 }

func decode([]byte, uintptr) (instr, int) { return instr{}, 0 }
