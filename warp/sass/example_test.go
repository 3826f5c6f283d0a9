package sass_test

import (
	"context"
	"fmt"
	"strings"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/sass"
)

// doubled is a kernel as a disassembler prints it: each thread doubles an element.
const doubled = `		Function : _Z6doublePfi
        /*0000*/                   S2R R0, SR_TID.X ;
        /*0010*/                   ISETP.GE.AND P0, PT, R0, c[0x0][0x218], PT ;
        /*0020*/               @P0 EXIT ;
        /*0030*/                   LDC.64 R2, c[0x0][0x210] ;
        /*0040*/                   IMAD.WIDE R2, R0, 0x4, R2 ;
        /*0050*/                   LDG.E R4, desc[UR4][R2.64] ;
        /*0060*/                   FADD R4, R4, R4 ;
        /*0070*/                   STG.E desc[UR4][R2.64], R4 ;
        /*0080*/                   EXIT ;
`

func ExampleRun() {
	l, err := sass.Parse(strings.NewReader(doubled))
	if err != nil {
		fmt.Println(err)
		return
	}
	f, _ := l.Find("double")
	p, _ := f.Program()
	dev, _ := device.Lookup("h200")
	e, _ := warp.New(warp.Config{Device: dev})
	x := []float32{1, 2, 3, 4}
	m, _ := warp.Global(e, x)
	var lines []sass.LineCount
	_, err = sass.Run(context.Background(), e, p, sass.Launch{
		Blocks: warp.X(1), Threads: warp.X(32), Lines: &lines,
		Args: []sass.Arg{sass.Buffer(m), sass.Value(int32(3))},
	})
	fmt.Println(err, x)
	fmt.Println(f.Code[5].String(), "by", lines[5].Guarded, "lanes,", lines[5].Sectors, "sector")
	// Output:
	// <nil> [2 4 6 4]
	// LDG.E R4, desc[UR4][R2.64] by 3 lanes, 1 sector
}

func ExampleFunction_CheckSchedule() {
	// An addition whose result the next line takes a cycle too early.
	l, err := sass.Parse(strings.NewReader(`== f
/*0000*/ FADD R4, R4, R4 ; /* 0x0000000404047221 */
/* 0x000fc60000000000 */
/*0010*/ FADD R5, R4, R4 ; /* 0x0000000404057221 */
/* 0x000fe20000000000 */
/*0020*/ EXIT ; /* 0x000000000000794d */
/* 0x000fea0003800000 */`))
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := l.Functions[0].CheckSchedule()
	fmt.Println(len(found), err)
	fmt.Println(found[0].Error())
	// Output:
	// 1 <nil>
	// sass: f: line 4 "FADD R5, R4, R4" uses R4 3 cycles after line 2 "FADD R4, R4, R4", and it takes 4
}

func ExampleDemangle() {
	fmt.Println(sass.Demangle("_Z8copy_f32PKfPfiP4Span"))
	// Output: copy_f32(float const*, float*, int, Span*)
}
