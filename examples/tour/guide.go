package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
)

// A guide runs kernels and prints what they do.
type guide struct {
	out    io.Writer
	device *device.Profile
}

func (g *guide) printf(format string, args ...any) { fmt.Fprintf(g.out, format, args...) }

// on is the guide for another device.
func (g *guide) on(name string) (*guide, error) {
	d, err := device.Lookup(name)
	return &guide{g.out, d}, err
}

// launch runs a kernel on one block of so many threads, or of one warp for 0, with every
// check on.
func (g *guide) launch(threads int, kernel func(t *intrinsics.Thread)) (*warp.Report, error) {
	e, err := g.engine()
	if err != nil {
		return nil, err
	}
	return g.launchOn(e, threads, kernel)
}

func (g *guide) engine() (*warp.Engine, error) {
	return warp.New(warp.Config{Device: g.device, Sanitize: true, Sites: true})
}

func (g *guide) launchOn(e *warp.Engine, threads int, kernel func(t *intrinsics.Thread)) (*warp.Report, error) {
	if threads == 0 {
		threads = g.device.Lanes
	}
	return intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(threads), kernel)
}

// table collects what lanes hold at marks of a kernel: one row a mark.
type table[T any] struct {
	lanes int
	names []string
	rows  map[string][]T
}

func newTable[T any](lanes int) *table[T] {
	return &table[T]{lanes: lanes, rows: map[string][]T{}}
}

// note takes what the calling lane holds.
func (s *table[T]) note(t *intrinsics.Thread, name string, v T) {
	if s.rows[name] == nil {
		s.names = append(s.names, name)
		s.rows[name] = make([]T, s.lanes)
	}
	s.rows[name][t.ThreadIdx().X] = v
}

// show prints some lanes of every row.
func (s *table[T]) show(g *guide, lanes ...int) {
	g.printf("%-12s", "lane")
	for _, l := range lanes {
		g.printf(" %7d", l)
	}
	g.printf("\n")
	for _, name := range s.names {
		g.printf("%-12s", name)
		for _, l := range lanes {
			g.printf(" %7v", s.rows[name][l])
		}
		g.printf("\n")
	}
}

// row prints a whole row of lanes.
func row[T any](g *guide, name string, v []T) {
	text := strings.Trim(fmt.Sprint(v), "[]")
	if len(v) > 16 {
		text = strings.Trim(fmt.Sprint(v[:8]), "[]") + " ... " + strings.Trim(fmt.Sprint(v[len(v)-4:]), "[]")
	}
	g.printf("%-12s %s\n", name, text)
}
