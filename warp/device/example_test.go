package device_test

import (
	"fmt"
	"strings"

	"example.com/warpsim/warp/device"
)

func ExampleLookup() {
	p, err := device.Lookup("NVIDIA H200")
	if err != nil {
		panic(err)
	}
	fmt.Println(p.Name, p.Lanes, p.Rules.Shuffle)
	_, err = device.Lookup("h300")
	fmt.Println(err)
	// Output:
	// h200 32 ptx
	// unknown device "h300"; did you mean h100 or h200?
}

func ExampleCustom() {
	p, err := device.Custom(16)
	if err != nil {
		panic(err)
	}
	fmt.Println(p.Name, p.Lanes)
	_, err = device.Custom(48)
	fmt.Println(err)
	// Output:
	// custom-16 16
	// a warp of 48 lanes: shuffle segments and butterflies need a power of two; use 32 or 64
}

func ExampleParse() {
	_, err := device.Parse("mychip.json", []byte(`{
  "name": "mychip",
  "lanes": 32
}`))
	fmt.Println(err)
	// Output:
	// device profile mychip.json:3:12: lanes: number without source; write {"value": ..., "status": ..., "source": "..."}
}

func ExampleNames() {
	fmt.Println(strings.Join(device.Names()[:5], " "))
	// Output:
	// a100 adreno-660 adreno-660-128 apple-m1-max b200
}

func ExampleProfile_Source() {
	p, err := device.Lookup("mi300x")
	if err != nil {
		panic(err)
	}
	pr, _ := p.Source("limits.multiprocessors")
	fmt.Println(pr.Value, pr.Status, pr.Source)
	// Output:
	// 304 vendor AMD, Instinct MI300X data sheet: 304 compute units
}

func ExampleProfile_Summary() {
	p, err := device.Lookup("mi300x")
	if err != nil {
		panic(err)
	}
	fmt.Println(p.Summary("lanes", "limits.multiprocessors", "limits.blocksPerMultiprocessor"))
	// Output:
	// 3 numbers: 2 vendor, 1 estimated
}

func ExampleProfile_Clone() {
	p, err := device.Lookup("h200")
	if err != nil {
		panic(err)
	}
	half := p.Clone()
	half.Limits.Multiprocessors = 66
	half.SetSource("limits.multiprocessors", device.Provenance{
		Value: "66", Number: true, Status: device.Estimated, Source: "what if there were half of them",
	})
	fmt.Println(half.Limits.Multiprocessors, p.Limits.Multiprocessors, half.Validate())
	// Output:
	// 66 132 <nil>
}

func ExampleWith() {
	h200, err := device.Lookup("h200")
	if err != nil {
		panic(err)
	}
	half, err := device.With(h200, `{
  "name": "half-h200",
  "limits": {"multiprocessors": {"value": 66, "status": "estimated", "source": "what if"}}
}`)
	if err != nil {
		panic(err)
	}
	fmt.Println(half.Name, half.Limits.Multiprocessors, half.Limits.ClockMHz == h200.Limits.ClockMHz)
	// Output:
	// half-h200 66 true
}

func ExampleProfile_Occupancy() {
	p, err := device.Lookup("h200")
	if err != nil {
		panic(err)
	}
	o, err := p.Occupancy(device.Demand{Threads: 256, Registers: 80})
	fmt.Println(&o, err)
	_, err = p.Occupancy(device.Demand{Threads: 1024, Registers: 200})
	fmt.Println(err)
	// Output:
	// 3 blocks, 24 of 64 warps (38 %); limited by registers: 20,480 a block of 65,536, 16,384 short of one more <nil>
	// a block takes 204,800 of registers, and h200 has 65,536 (limits.registersPerMultiprocessor)
}
