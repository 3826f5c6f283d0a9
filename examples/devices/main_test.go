package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/warp/device"
)

func call(args ...string) (code int, stdout, stderr string) {
	var out, errs strings.Builder
	code = run(args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestList(t *testing.T) {
	code, out, errs := call()
	assert.Zero(t, code)
	assert.Empty(t, errs)
	for _, name := range device.Names() {
		assert.Regexp(t, `(?m)^`+name+` `, out)
	}
	assert.Regexp(t, `(?m)^mi300x +AMD Instinct MI300X +64 +304 +2100 +\d+ numbers: `, out)
}

func TestDevice(t *testing.T) {
	code, out, _ := call("-device", "NVIDIA A100")
	assert.Zero(t, code)
	assert.Contains(t, out, "a100: NVIDIA A100 PCIe 40GB (NVIDIA, Ampere, GA100, sm_80, CUDA)\nderived from h200\n")
	assert.Regexp(t, `(?m)^limits\.multiprocessors +108 +published +caps-tum/mt4g`, out)
	assert.Regexp(t, `(?m)^timing\.ops\.popc\.latency +17 +estimated +no figure read for the A100`, out)
}

func TestDeviceInAFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "half.json")
	require.NoError(t, os.WriteFile(name, []byte(`{"base": "h200", "name": "half", "limits": {"multiprocessors": {"value": 66, "status": "estimated", "source": "half"}}}`), 0o600))
	code, out, _ := call("-diff", "h200,"+name)
	assert.Zero(t, code)
	assert.Regexp(t, `(?m)^limits\.multiprocessors +132 +measured +66 +estimated$`, out)
	assert.Regexp(t, `(?m)^\d+ values are the same, 1 differ$`, out)

	require.NoError(t, os.WriteFile(name, []byte(`{"base": "h200", "nam": "half"}`), 0o600))
	code, _, errs := call("-device", name)
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, errs, "half.json:1:18: nam: unknown field; did you mean name?")
}

func TestDifference(t *testing.T) {
	code, out, _ := call("-diff", "v100,t4")
	assert.Zero(t, code)
	assert.Regexp(t, `(?m)^limits\.blocksPerMultiprocessor +32 +estimated +16 +vendor$`, out)
	assert.NotContains(t, out, "\nlanes ")
	code, out, _ = call("-diff", "h200,v100")
	assert.Zero(t, code)
	assert.Regexp(t, `(?m)^timing\.ops\.redux\.latency +38 +measured +- *$`, out)
}

func TestOccupancy(t *testing.T) {
	code, out, _ := call("-occupancy", "256,80", "-device", "h200")
	assert.Zero(t, code)
	assert.Equal(t, "h200  3 blocks, 24 of 64 warps (38 %); limited by registers: 20,480 a block of 65,536, 16,384 short of one more\n", out)
	code, out, _ = call("-occupancy", "1024,200,0", "-device", "h200")
	assert.Zero(t, code)
	assert.Equal(t, "h200  does not fit: a block takes 204,800 of registers, and h200 has 65,536 (limits.registersPerMultiprocessor)\n", out)
	code, out, _ = call("-occupancy", "128")
	assert.Zero(t, code)
	assert.Equal(t, len(device.Names()), strings.Count(out, "\n"))
}

func TestBadArguments(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"a100"}, exitUsage, `"a100" is no flag; name a device with -device`},
		{[]string{"-device", "h300"}, exitUsage, `unknown device "h300"; did you mean h100 or h200?`},
		{[]string{"-device", "nowhere.json"}, exitFailed, "nowhere.json"},
		{[]string{"-diff", "h100"}, exitUsage, "name two devices"},
		{[]string{"-diff", "h100,h300"}, exitUsage, `unknown device "h300"`},
		{[]string{"-diff", "h100,h200", "-device", "h100"}, exitUsage, "-diff goes without -device"},
		{[]string{"-occupancy", "x"}, exitUsage, `"x" is no number of threads`},
		{[]string{"-occupancy", "0"}, exitUsage, `"0" is no number of threads`},
		{[]string{"-occupancy", "64,-1"}, exitUsage, `"-1" is no number of registers`},
		{[]string{"-occupancy", "64,1,1,1"}, exitUsage, "give threads, registers and bytes"},
		{[]string{"-nothing"}, exitUsage, "flag provided but not defined"},
	} {
		code, out, errs := call(c.args...)
		assert.Equal(t, c.code, code, c.args)
		assert.Empty(t, out, c.args)
		assert.Contains(t, errs, c.want, c.args)
	}
}

// JSON has the same numbers as the text.
func TestJSON(t *testing.T) {
	read := func(v any, args ...string) {
		t.Helper()
		code, out, errs := call(append(args, "-json")...)
		require.Zero(t, code, errs)
		require.NoError(t, json.Unmarshal([]byte(out), v))
	}
	var list []listed
	read(&list)
	assert.Len(t, list, len(device.Names()))
	var a100 described
	read(&a100, "-device", "a100")
	assert.Equal(t, "h200", a100.Base)
	at := slices.IndexFunc(a100.Values, func(v value) bool { return v.Path == "limits.multiprocessors" })
	require.GreaterOrEqual(t, at, 0)
	assert.Equal(t, []string{"108", "published"}, []string{a100.Values[at].Value, a100.Values[at].Status})
	assert.Contains(t, a100.Values[at].Source, "caps-tum/mt4g")
	assert.Contains(t, list, a100.listed)
	var d difference
	read(&d, "-diff", "h200,v100")
	assert.Contains(t, d.Differ, differs{"timing.ops.redux.latency", [2]*value{{Value: "38", Status: "measured"}, nil}})
	_, text, _ := call("-diff", "h200,v100")
	assert.Contains(t, text, fmt.Sprintf("%d values are the same, %d differ\n", d.Same, len(d.Differ)))
	var fits []fit
	read(&fits, "-occupancy", "256,80", "-device", "h200")
	assert.Equal(t, []fit{{Device: "h200", Blocks: 3, Warps: 24, MaxWarps: 64, LimitedBy: []string{"registers"}}}, fits)
	read(&fits, "-occupancy", "1024,200", "-device", "h200")
	assert.Contains(t, fits[0].Error, "204,800 of registers")
}
