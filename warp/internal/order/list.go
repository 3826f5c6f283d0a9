package order

import "example.com/warpsim/warp/timing"

// list is what scheduling needs beside the graph.
type list struct {
	open  []int32 // instructions that wait for none
	roots []int32
	busy  [timing.Pipes]int32 // from when on each pipe takes another one
}

// schedule puts the instructions of the graph into order.
func (s *Scheduler) schedule(w *window) {
	v := &s.values
	for i := len(v.nodes) - 1; i >= 0; i-- {
		n := &v.nodes[i]
		n.way = 1
		if d := n.rec.Dst; d != 0 {
			n.way = int32(s.table.Distance(n.rec.Op, n.rec.Op, false))
		}
		for e := n.edges; e != none; e = v.edges[e].next {
			n.way = max(n.way, v.nodes[v.edges[e].to].way+v.edges[e].distance)
		}
	}
	s.open, s.roots = s.open[:0], s.roots[:0]
	for i := range v.nodes {
		if v.nodes[i].waits == 0 {
			s.roots = append(s.roots, int32(i))
		}
	}
	for _, i := range s.roots {
		s.opened(i)
	}
	s.busy = [timing.Pipes]int32{}
	for now := int32(0); len(s.open) > 0; {
		// The one with the longest way of those that can go now, or else the one
		// that can go first.
		best, at := 0, int32(1<<30)
		for k, i := range s.open {
			n := &v.nodes[i]
			pipe, _ := s.table.Slot(v.nodes[i].rec.Op)
			t := max(now, n.ready, s.busy[pipe])
			b := s.open[best]
			if t < at || t == at && (n.way > v.nodes[b].way || n.way == v.nodes[b].way && i < b) {
				best, at = k, t
			}
		}
		i := s.open[best]
		s.open[best] = s.open[len(s.open)-1]
		s.open = s.open[:len(s.open)-1]
		w.out, w.from = append(w.out, v.nodes[i].rec), append(w.from, v.nodes[i].place)
		pipe, cycles := s.table.Slot(v.nodes[i].rec.Op)
		s.busy[pipe] = at + int32(cycles)
		now = at + 1
		for e := v.nodes[i].edges; e != none; e = v.edges[e].next {
			n := &v.nodes[v.edges[e].to]
			n.ready = max(n.ready, at+v.edges[e].distance)
			if n.waits--; n.waits == 0 {
				s.opened(v.edges[e].to)
			}
		}
	}
}

// opened notes that an instruction waits for no other one. One that is left out is
// over at once.
func (s *Scheduler) opened(i int32) {
	v := &s.values
	if !v.nodes[i].left {
		s.open = append(s.open, i)
		return
	}
	for e := v.nodes[i].edges; e != none; e = v.edges[e].next {
		n := &v.nodes[v.edges[e].to]
		n.ready = max(n.ready, v.nodes[i].ready)
		if n.waits--; n.waits == 0 {
			s.opened(v.edges[e].to)
		}
	}
}
