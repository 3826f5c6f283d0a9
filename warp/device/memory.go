package device

// Memory is the shape of the memories as far as an access's cost depends on it:
// how shared memory is cut into banks, and global memory into sectors and
// lines. What a pass, a sector or a level costs is part of Timing.
type Memory struct {
	// Banks and BankBytes: word i of shared memory, of BankBytes bytes, lies in
	// bank i mod Banks. One pass serves one word of every bank.
	Banks     int `json:"banks"`
	BankBytes int `json:"bankBytes"`
	// PhaseBytes is how many bytes of a warp's access are looked at together:
	// lanes beyond them take another phase, and with it at least another pass.
	PhaseBytes int `json:"phaseBytes"`
	// SectorBytes and LineBytes are what global memory moves and what the
	// first-level cache keeps.
	SectorBytes int `json:"sectorBytes"`
	LineBytes   int `json:"lineBytes"`
	// L1Bytes is the size of the first-level cache.
	L1Bytes int `json:"l1Bytes"`
}
