package trace

import (
	"bufio"
	"encoding/binary"
)

// Fields of Perfetto's messages, by their numbers.
const (
	tracePacket = 1

	packetTimestamp = 8
	packetSequence  = 10
	packetEvent     = 11
	packetInterned  = 12
	packetFlags     = 13
	packetTrack     = 60

	eventType    = 9
	eventName    = 10
	eventTrack   = 11
	eventCounter = 30
	eventPlace   = 34

	sliceBegin = 1
	sliceEnd   = 2
	counter    = 4

	internedNames  = 2
	internedPlaces = 4

	trackID      = 1
	trackName    = 2
	trackProcess = 3
	trackParent  = 5
	trackCounter = 8

	// Flags of a packet: what was interned before is forgotten; it needs what was.
	cleared = 1
	needs   = 2
)

// A message is a protobuf message under construction.
type message []byte

func (m *message) tag(field, wire int) {
	if t := field<<3 | wire; t < 0x80 {
		*m = append(*m, byte(t))
	} else {
		*m = append(*m, byte(t|0x80), byte(t>>7))
	}
}

func (m *message) number(field int, n uint64) {
	m.tag(field, 0)
	*m = binary.AppendUvarint(*m, n)
}

func (m *message) text(field int, s string) {
	m.tag(field, 2)
	*m = binary.AppendUvarint(*m, uint64(len(s)))
	*m = append(*m, s...)
}

func (m *message) inner(field int, x message) {
	m.tag(field, 2)
	*m = binary.AppendUvarint(*m, uint64(len(x)))
	*m = append(*m, x...)
}

// packets writes TracePackets.
type packets struct {
	w              *bufio.Writer
	packet, a, b   message
	head           message
	begun          bool
	names, places  map[string]uint64
	numberOfTracks uint64
}

// put writes the packet.
func (p *packets) put() {
	p.head = p.head[:0]
	p.head.inner(tracePacket, p.packet)
	p.w.Write(p.head)
}

// begin begins a packet.
func (p *packets) begin() {
	flags := uint64(needs)
	if !p.begun {
		p.begun, flags = true, needs|cleared
	}
	p.packet = p.packet[:0]
	p.packet.number(packetSequence, 1)
	p.packet.number(packetFlags, flags)
}

// name returns the number of an event's name.
func (p *packets) name(s string) uint64 {
	n, known := p.names[s]
	if !known {
		n = uint64(len(p.names) + 1)
		p.names[s] = n
		p.a, p.b = p.a[:0], p.b[:0]
		p.b.number(1, n)
		p.b.text(2, s)
		p.a.inner(internedNames, p.b)
		p.begin()
		p.packet.inner(packetInterned, p.a)
		p.put()
	}
	return n
}

// place returns the number of a source line.
func (p *packets) place(file, function string, line int, key string) uint64 {
	n, known := p.places[key]
	if !known {
		n = uint64(len(p.places) + 1)
		p.places[key] = n
		p.a, p.b = p.a[:0], p.b[:0]
		p.b.number(1, n)
		p.b.text(2, file)
		p.b.text(3, function)
		p.b.number(4, uint64(max(line, 0)))
		p.a.inner(internedPlaces, p.b)
		p.begin()
		p.packet.inner(packetInterned, p.a)
		p.put()
	}
	return n
}

// track makes a track and returns its number. parent 0 makes it a process.
func (p *packets) track(name string, parent uint64, counts bool) uint64 {
	p.numberOfTracks++
	id := p.numberOfTracks
	p.a, p.b = p.a[:0], p.b[:0]
	p.a.number(trackID, id)
	p.a.text(trackName, name)
	switch {
	case parent == 0:
		p.b.number(1, id)
		p.b.text(6, name)
		p.a.inner(trackProcess, p.b)
	default:
		p.a.number(trackParent, parent)
	}
	if counts {
		p.a.inner(trackCounter, nil)
	}
	p.begin()
	p.packet.inner(packetTrack, p.a)
	p.put()
	return id
}

// room is more than an event takes.
const room = 96

// event writes an event: a slice's begin or end, or a counter's value. name and place
// 0 leave them out. It is what a trace consists of, and short enough that lengths take
// a byte each: it goes straight into the writer's buffer.
func (p *packets) event(kind uint64, track uint64, at int64, name, place uint64, value int64) {
	if !p.begun { // an event has names before it
		p.name("")
	}
	if p.w.Available() < room {
		p.w.Flush()
	}
	b := message(p.w.AvailableBuffer())
	b = append(b, tracePacket<<3|2, 0)
	b.number(packetSequence, 1)
	b.number(packetFlags, needs)
	b.number(packetTimestamp, uint64(at))
	b = append(b, packetEvent<<3|2, 0)
	inner := len(b)
	b = append(b, eventType<<3, byte(kind))
	b.number(eventTrack, track)
	if name != 0 {
		b.number(eventName, name)
	}
	if place != 0 {
		b.number(eventPlace, place)
	}
	if kind == counter {
		b.number(eventCounter, uint64(value))
	}
	b[1], b[inner-1] = byte(len(b)-2), byte(len(b)-inner)
	p.w.Write(b)
}
