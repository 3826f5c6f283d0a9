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

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

const help = `Usage: devices [flags]

Shows what the simulator knows of each device. A device is a built-in name, custom-N for
N lanes, or the file of a profile, NAME.json. Without flags: the list of all.

  -device NAME       every value of a device with its status and source; with -occupancy, of this device only
  -diff A,B          what differs between two devices
  -occupancy T,R,S   how many blocks of T threads, R registers a thread (default 0) and S bytes of shared
                     memory (default 0) a multiprocessor holds
  -json              print JSON
  -version           print the version
  -h                 print this

Examples:
  devices
  devices -device a100
  devices -diff a100,h100
  devices -occupancy 256,80,32768 -device h200
  devices -device mychip.json -json

Exit codes: 0 done, 1 a profile cannot be read, 2 wrong usage.
`

// A usageError is what is wrong with the flags.
type usageError struct{ error }

// run is the program.
func run(args []string, stdout, stderr io.Writer) int {
	err := show(args, stdout)
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, help)
		return exitDone
	case errors.As(err, &usageError{}):
		fmt.Fprintf(stderr, "devices: %v\ndevices -h shows the flags\n", err)
		return exitUsage
	}
	fmt.Fprintf(stderr, "devices: %v\n", err)
	return exitFailed
}

// show shows what the flags ask for.
func show(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("devices", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	name := flags.String("device", "", "")
	diff := flags.String("diff", "", "")
	occupancy := flags.String("occupancy", "", "")
	asJSON := flags.Bool("json", false, "")
	version := flags.Bool("version", false, "")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return usageError{err}
	}
	switch {
	case flags.NArg() > 0:
		return usageError{fmt.Errorf("%q is no flag; name a device with -device", flags.Arg(0))}
	case *version:
		_, err := fmt.Fprintln(stdout, "devices warpsim", warp.Version())
		return err
	case *diff != "" && (*name != "" || *occupancy != ""):
		return usageError{errors.New("-diff goes without -device and -occupancy")}
	case *diff != "":
		a, b, ok := strings.Cut(*diff, ",")
		if !ok {
			return usageError{fmt.Errorf("-diff %s: name two devices, as in -diff a100,h100", *diff)}
		}
		return showDifference(stdout, a, b, *asJSON)
	case *occupancy != "":
		d, err := parseDemand(*occupancy)
		if err != nil {
			return usageError{err}
		}
		return showOccupancy(stdout, *name, d, *asJSON)
	case *name != "":
		return showDevice(stdout, *name, *asJSON)
	}
	return showList(stdout, *asJSON)
}

// find returns a built-in or custom device, or the one in a file.
func find(name string) (*device.Profile, error) {
	if !strings.HasSuffix(name, ".json") {
		p, err := device.Lookup(strings.TrimSpace(name))
		if err != nil {
			return nil, usageError{err}
		}
		return p, nil
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
