package device

// Memory is the shape of global memory as far as an access's cost depends on
// it. What a sector or a level costs is part of Timing.
type Memory struct {
	// SectorBytes and LineBytes are what global memory moves and what the
	// first-level cache keeps.
	SectorBytes int `json:"sectorBytes,omitempty"`
	LineBytes   int `json:"lineBytes,omitempty"`
	// L1Bytes is the size of the first-level cache.
	L1Bytes int `json:"l1Bytes,omitempty" most:"67108864"`
}
