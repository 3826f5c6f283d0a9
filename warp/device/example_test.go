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
	_, err = device.Lookup("h100")
	fmt.Println(err)
	// Output:
	// h200 32 ptx
	// unknown device "h100"; did you mean h200?
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

func ExampleLoad() {
	_, err := device.Load(strings.NewReader(`{"name": "mychip", "lane": 32}`))
	fmt.Println(err)
	// Output:
	// device profile (unnamed):1:20: lane: unknown field; did you mean lanes?
}

func ExampleNames() {
	fmt.Println(strings.Join(device.Names(), " "))
	// Output:
	// h200 mi300x mtt-m1000 mtt-s4000 mtt-s5000
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
