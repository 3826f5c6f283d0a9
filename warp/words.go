package warp

import (
	"unsafe"

	"example.com/warpsim/warp/isa"
)

// Words returns the 32-bit words, one a lane, of a row of the register file that
// an instruction record names: of the lower row for a pair. For other registers
// it is nil. It is for observers, who know registers by record only; the slice
// aliases the register file and must not be kept or written.
func (w *Warp) Words(r isa.Reg) []uint32 {
	if r == isa.NoReg || r.IsPredicate() || r.IsUniform() {
		return nil
	}
	row := r.Index() - 1
	if row < 0 || row >= w.file.Rows() {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Add(w.base, row*w.rowBytes)), w.lanes)
}
