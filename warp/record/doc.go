// Package record keeps what a launch issued in a file, to be timed again, on other
// profiles too, without computing its values again: trace-driven runs.
//
//	w, err := record.NewWriter(file, record.Header{Device: "h200", Lanes: 32})
//	eng, err := warp.New(warp.Config{Device: h200, Observer: &warp.Observer{Records: w.Record}})
//	_, err = eng.Run(ctx, launch, kernel)
//	err = w.Close()
//	...
//	s, err := record.Load(file)
//	g, err := grid.New(profile, table, grid.Config{})
//	g.Begin(s.Header.Shape, s)
//	_, err = g.Advance(ctx, s.Header.Shape.Blocks, 1)
//	fmt.Println(g.Cycles())
//
// [Reader] reads a file piece by piece, for hosts with an order of their own. Records
// name operations, registers and the lines of memory that were touched. They were made
// for one width of warps, one size of lines and one number of banks, and with one order
// of instructions: on a profile that differs in these they are what that device would
// issue for the same code only in part.
//
// # Format
//
// A file is a magic number of 8 bytes, the last of which is the version, and frames: the
// length of the body, its CRC-32 (Castagnoli), both of 4 bytes, little-endian, and the
// body, compressed by DEFLATE. The first body is the header as JSON. Others
// hold chunks of records, each behind a byte 1, and the last one, behind a byte 2, the
// number of all records.
// All numbers in them are varints, but for records, which are 16 bytes each: op, active
// lanes, guard, aux, dst, dst2, a, b, c, count. Later versions read earlier files.
//
// This package is for those who build fronts and tools on the engine: a minor version
// may change it.
package record
