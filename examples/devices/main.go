// Devices shows what the simulator knows of each device: its numbers with their
// sources, what differs between two of them, and how many blocks a multiprocessor
// holds.
//
//	go run ./examples/devices
//	go run ./examples/devices -device a100
//	go run ./examples/devices -diff a100,h100
//	go run ./examples/devices -occupancy 256,80,32768 -device h200
//	go run ./examples/devices -device mychip.json
//
// A device is a built-in name, custom-N for N lanes, or a profile's file. See -h
// for the flags.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"example.com/warpsim/warp/device"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the program.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("devices", flag.ContinueOnError)
	flags.SetOutput(stderr)
	name := flags.String("device", "", "show every value of a `device` with its status and source; with -occupancy, of this device only")
	diff := flags.String("diff", "", "show what differs between two devices, `A,B`")
	occupancy := flags.String("occupancy", "", "show how many blocks of `threads[,registers[,shared bytes]]` a multiprocessor holds")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return exitDone
		}
		return exitUsage
	}
	usage := func(err error) int {
		fmt.Fprintf(stderr, "devices: %v\ndevices -h shows the flags\n", err)
		return exitUsage
	}
	switch {
	case flags.NArg() > 0:
		return usage(fmt.Errorf("%q is no flag; name a device with -device", flags.Arg(0)))
	case *diff != "" && (*name != "" || *occupancy != ""):
		return usage(errors.New("-diff goes with no other flag"))
	}
	var err error
	switch {
	case *diff != "":
		a, b, ok := strings.Cut(*diff, ",")
		if !ok {
			return usage(fmt.Errorf("-diff %s: name two devices, as in -diff a100,h100", *diff))
		}
		err = showDifference(stdout, a, b)
	case *occupancy != "":
		var d device.Demand
		if d, err = parseDemand(*occupancy); err != nil {
			return usage(err)
		}
		err = showOccupancy(stdout, *name, d)
	case *name != "":
		err = showDevice(stdout, *name)
	default:
		err = showList(stdout)
	}
	if err != nil {
		fmt.Fprintf(stderr, "devices: %v\n", err)
		return exitFailed
	}
	return exitDone
}

// find returns a built-in or custom device, or the one in a file.
func find(name string) (*device.Profile, error) {
	if !strings.HasSuffix(name, ".json") {
		return device.Lookup(strings.TrimSpace(name))
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return device.Parse(name, data)
}

// parseDemand reads threads[,registers[,shared bytes]].
func parseDemand(text string) (d device.Demand, err error) {
	parts := strings.Split(text, ",")
	fields := []*int{&d.Threads, &d.Registers, &d.Shared}
	if len(parts) > len(fields) {
		return d, fmt.Errorf("-occupancy %s: give threads, registers and bytes of shared memory", text)
	}
	for i, p := range parts {
		n, err := strconv.Atoi(strings.TrimSpace(p))
		if err != nil || n < 0 || i == 0 && n == 0 {
			return d, fmt.Errorf("-occupancy %s: %q is no number of %s", text, p, []string{"threads", "registers", "bytes"}[i])
		}
		*fields[i] = n
	}
	return d, nil
}
