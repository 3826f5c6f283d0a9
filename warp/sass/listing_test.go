package sass_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/warpsim/warp/sass"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var listings = []string{"grids.sass.gz", "kernels_words.sass.gz", "kernels2_words.sass.gz", "probe_words.sass.gz"}

// What is printed of a decoded instruction is what the disassembler printed, and
// each has the control code of its words.
func TestPrintedAgain(t *testing.T) {
	for _, name := range listings {
		raw := text(t, name)
		lines := strings.Split(raw, "\n")
		l := listing(t, name)
		n := 0
		for _, f := range l.Functions {
			for i := range f.Code {
				in := &f.Code[i]
				_, want, _ := strings.Cut(lines[in.Line-1], "*/")
				want, _, _ = strings.Cut(want, ";")
				assert.Equal(t, strings.TrimSpace(want), in.String(), "%s line %d", name, in.Line)
				assert.True(t, in.HasWords)
				reuses := strings.Count(want, ".reuse")
				for r := in.Control.Reuse; r != 0; r &= r - 1 {
					reuses--
				}
				assert.Zero(t, reuses, "%s line %d", name, in.Line)
				n++
			}
			_, err := f.Program()
			assert.NoError(t, err)
		}
		assert.Equal(t, strings.Count(raw, ";"), n, "each instruction of %s", name)
	}
}

// A listing is read whatever its spacing, without its words, and in the plain form.
func TestForms(t *testing.T) {
	raw := text(t, "grids.sass.gz")
	want := listing(t, "grids.sass.gz")
	var tight, bare, plain strings.Builder
	for line := range strings.Lines(raw) {
		s := strings.Join(strings.Fields(line), " ")
		tight.WriteString(s + "\n")
		if strings.HasPrefix(s, "/* 0x") {
			continue
		}
		if i := strings.Index(s, "/* 0x"); i >= 0 {
			s = s[:i]
		}
		bare.WriteString("\t " + s + "  \r\n")
		s = strings.Replace(strings.Replace(strings.Replace(s, "/*", "", 1), "*/", "", 1), ";", "", 1)
		plain.WriteString(strings.Replace(s, "Function : ", "== ", 1) + "\n")
	}
	for form, text := range map[string]string{"tight": tight.String(), "bare": bare.String(), "plain": plain.String()} {
		got, err := sass.Parse(strings.NewReader(text))
		require.NoError(t, err, form)
		require.Len(t, got.Functions, len(want.Functions), form)
		for i, f := range got.Functions {
			assert.Equal(t, want.Functions[i].Name, f.Name, form)
			require.Len(t, f.Code, len(want.Functions[i].Code), form)
			for k := range f.Code {
				assert.Equal(t, want.Functions[i].Code[k].String(), f.Code[k].String(), form)
				assert.Equal(t, form == "tight", f.Code[k].HasWords, form)
			}
		}
	}
}

const nvdisasm = `	.headerflags	@"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM80"
	.elftype	@"ET_EXEC"
	.target	sm_80

//--------------------- .nv.shared._Z3fooPi        --------------------------
	.section	.nv.shared._Z3fooPi,"aw",@nobits
	.sectionflags	@""
	.align	4
	.zero		512

//--------------------- .text._Z3fooPi             --------------------------
	.section	.text._Z3fooPi,"ax",@progbits
	.sectionflags	@"SHF_BARRIERS=1"
	.sectioninfo	@"SHI_REGISTERS=12"
	.align	128
        .global         _Z3fooPi
        .type           _Z3fooPi,@function
        .size           _Z3fooPi,(.L_x_3 - _Z3fooPi)
        .other          _Z3fooPi,@"STO_CUDA_ENTRY STV_DEFAULT"
_Z3fooPi:
.text._Z3fooPi:
	//## File "foo.cu", line 7
        /*0000*/                   MOV R1, c[0x0][0x28] ;
        /*0010*/                   S2R R0, SR_TID.X ;
	//## File "foo.cu", line 8 inlined at "foo.cu", line 9
        /*0020*/                   ISETP.GT.AND P0, PT, R0, 0x7, PT ;
        /*0030*/               @P0 BRA ` + "`(.L_x_1)" + ` ;
        /*0040*/                   ULDC.64 UR4, c[0x0][0x118] ;
        /*0050*/                   MOV R3, 0x4 ;
        /*0060*/                   IMAD.WIDE R2, R0, R3, c[0x0][0x160] ;
        /*0070*/                   STG.E [R2.64], R0 ;
.L_x_1:
        /*0080*/                   EXIT ;
.L_x_2:
        /*0090*/                   BRA ` + "`(.L_x_2)" + `;
        /*00a0*/                   NOP;
.L_x_3:
`

func TestDisassemblerWithLabels(t *testing.T) {
	l, err := sass.Parse(strings.NewReader(nvdisasm))
	require.NoError(t, err)
	f, err := l.Find("foo")
	require.NoError(t, err)
	assert.Equal(t, []any{"_Z3fooPi", 80, 12, 512}, []any{f.Name, f.Arch, f.Registers, f.Shared})
	require.Len(t, f.Code, 11)
	assert.Equal(t, sass.Source{File: "foo.cu", Line: 8}, f.Code[3].Source)
	assert.Equal(t, "@P0 BRA `(.L_x_1)", f.Code[3].String())
	assert.EqualValues(t, 0x80, f.Code[3].Operands[0].Value)
	assert.EqualValues(t, 0x90, f.Code[9].Operands[0].Value)
	_, err = f.Program()
	assert.NoError(t, err)
}

func TestFind(t *testing.T) {
	l := listing(t, "kernels_words.sass.gz")
	for _, name := range []string{
		"_Z5timedI19vote_early_exit_s32Li8EEvPxS1_PNT_1TES3_",
		"void timed<vote_early_exit_s32, 8>(long long*, long long*, vote_early_exit_s32::T*, vote_early_exit_s32::T)",
		"timed<vote_early_exit_s32, 8>", "vote_early_exit_s32, 8",
	} {
		f, err := l.Find(name)
		if assert.NoError(t, err, name) {
			assert.Equal(t, "_Z5timedI19vote_early_exit_s32Li8EEvPxS1_PNT_1TES3_", f.Name)
		}
	}
	_, err := l.Find("nothing_like_it")
	assert.ErrorContains(t, err, "no function of this name; there are timed<vote_early_exit_s32, 8>, ")
	_, err = l.Find("vote_early_exit_s32")
	assert.ErrorContains(t, err, "more than one function has this in its name: timed<vote_early_exit_s32, 8>, timed<vote_early_exit_s32, 2>")
	for mangled, want := range map[string]string{
		"_Z8copy_f32PKfPfiP4Span":                "copy_f32(float const*, float*, int, Span*)",
		"_ZN3foo3barIfLi3EEEvPT_":                "void foo::bar<float, 3>(float*)",
		"_Z1fv":                                  "f()",
		"_ZN12_GLOBAL__N_13runEyj":               "(anonymous namespace)::run(unsigned long long, unsigned int)",
		"main":                                   "main",
		"_Z":                                     "_Z",
		"_Z99999999999999999999x":                "_Z99999999999999999999x",
		"_Z3addI6__halfLb1EEvPKT_S3_PS1_":        "void add<__half, true>(__half const*, __half const*, __half*)",
		"_Z" + strings.Repeat("N", 1000):         "_Z" + strings.Repeat("N", 1000),
		"_Z1f" + strings.Repeat("P", 1000) + "i": "_Z1f" + strings.Repeat("P", 1000) + "i",
		"_Z6kernelILj4EEv7ParamsIXT_EE":          "_Z6kernelILj4EEv7ParamsIXT_EE",
		"_ZN2at6native3sumIdEEvPdS2_S2_":         "void at::native::sum<double>(double*, double*, double*)",
		"_Z16scan_large_arrayPjS_i":              "scan_large_array(unsigned int*, unsigned int*, int)",
		"_Z10bad_substiS9_":                      "_Z10bad_substiS9_",
	} {
		assert.Equal(t, want, sass.Demangle(mangled))
	}
}

// What is wrong with a listing is said with function, address and line, all of it
// at once.
func TestBadListings(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "no instructions found: this is no listing",
		"a poem\nabout code\n":    "no instructions found: this is no listing",
		"Function : f\n":          `line 1: f: the function has no instructions: the listing was cut off`,
		"/*0000*/ EXIT":           `line 1: 0x0000 "EXIT": no semicolon: the listing was cut off`,
		"/*0000*/ EXIT ; /* 0x00": "its first word is cut off",
		"/*0000*/ EXIT ; /* 0x12 */\n/* 0x000fe20000000800 */":                              "its first word is no word of 64 bits",
		"/*0000*/ EXIT ; /* 0x000000000000794d */\n":                                        "its second word is missing: the listing was cut off",
		"/*0000*/ EXIT ; /* 0x000000000000794d */\n/* 0x00":                                 "the comment is not closed",
		"/*0010*/ NOP ;\n/*0010*/ NOP ;":                                                    "the address does not rise",
		"/*0000*/ MOV R1, [R2+R3] ;\n/*0010*/ IADD3 R1, R256, RZ, RZ ;\n/*0020*/ @X3 NOP ;": `line 3: 0x0020 "@X3 NOP": X3 is no predicate`,
		"/*0000*/ MOV R0, . ;\n/*0010*/ EXIT ;":                                             `"MOV R0, ."`,
		"== f\n0000 BRA `(.L_x_9)":                                                          "no such label in the function",
	} {
		_, err := sass.Parse(strings.NewReader(text))
		if assert.Error(t, err, text) {
			assert.ErrorContains(t, err, want, text)
			var one *sass.Error
			assert.ErrorAs(t, err, &one, text)
		}
	}
	for text, want := range map[string][]string{
		"0000 HCF R0\n0010 MOV R0\n0020 FROB.X R1, R2\n0030 EXIT": {
			`line 1: 0x0000 "HCF R0": unknown instruction`, `line 2: 0x0010 "MOV R0": an operand is missing`, `line 3: 0x0020 "FROB.X R1, R2": unknown instruction`},
		"0000 BRA 0x50\n0010 EXIT":                   {"no instruction at 0x50"},
		"0000 NOP\n0010 MOV R0, R1":                  {"goes on behind its last line: the listing was cut off"},
		"0000 MOV.FOO R0, R1\n0010 EXIT":             {"MOV has no form .FOO"},
		"0000 MOV R0, R1, 0xf, R2\n0010 EXIT":        {"more operands than MOV has"},
		"0000 S2R R0, SR_WEATHER\n0010 EXIT":         {"unknown special register SR_WEATHER"},
		"0000 LDS.128 R254, [R0]\n0010 EXIT":         {"R254: a value of 4 registers does not fit"},
		"0000 FADD R0, ~R1, R2\n0010 EXIT":           {"a float has no complement"},
		"0000 BAR.RED.AND 0x0, P0\n0010 EXIT":        {"no B2R follows"},
		"0000 SHFL PT, R0, R1, 0x1, 0x1f\n0010 EXIT": {"SHFL does not say which"},
		"0000 BSSY B99, 0x10\n0010 EXIT":             {"B99 is no convergence barrier"},
	} {
		l, err := sass.Parse(strings.NewReader(text))
		require.NoError(t, err, text)
		_, err = l.Functions[0].Program()
		for _, w := range want {
			assert.ErrorContains(t, err, w)
		}
	}
	var list []string
	for i := range 30 {
		list = append(list, fmt.Sprintf("%04x HCF", 16*i))
	}
	l, err := sass.Parse(strings.NewReader(strings.Join(slices.Concat(list, []string{"0fff EXIT"}), "\n")))
	require.NoError(t, err)
	_, err = l.Functions[0].Program()
	var all sass.Errors
	require.ErrorAs(t, err, &all)
	assert.Len(t, all, 30)
	assert.ErrorContains(t, err, "and 10 more")
}
