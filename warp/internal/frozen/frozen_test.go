package frozen

import (
	"testing"

	"github.com/stretchr/testify/require"
)

type node struct {
	next  *node
	n     int32
	label string
}

type graph struct {
	first, last *node
	all         []*node
	numbers     [3]int64
	list        []uint16
	none        []uint16
	host        func() `frozen:"-"`
	small       bool
	mixed       []struct {
		name string
		at   int8
	}
}

func sample() *graph {
	a, b := &node{n: 1, label: "a"}, &node{n: 2}
	a.next, b.next = b, a
	return &graph{first: a, last: b, all: []*node{b, a, nil}, numbers: [3]int64{1, -2, 3}, list: []uint16{}, small: true,
		mixed: []struct {
			name string
			at   int8
		}{{"x", -1}, {"", 5}}}
}

func TestWhatIsReadBackIsTheSame(t *testing.T) {
	b := Append([]byte("in front"), "TEST", 7, sample())[len("in front"):]
	called := false
	got := graph{host: func() { called = true }}
	require.NoError(t, Read(b, "TEST", 7, &got))
	got.host()
	require.True(t, called, "what is left out stays")
	require.Same(t, got.first, got.last.next)
	require.Same(t, got.first, got.all[1])
	require.NotNil(t, got.list)
	require.Nil(t, got.none)
	got.host = nil
	require.Equal(t, sample(), &got)
	require.Equal(t, Hash(sample()), Hash(&got))
	got.mixed[1].at++
	require.NotEqual(t, Hash(sample()), Hash(&got))
}

func TestDamageIsFound(t *testing.T) {
	b := Append(nil, "TEST", 7, sample())
	refused := func(b []byte, magic string, subject uint64) *Error {
		var got graph
		var e *Error
		require.ErrorAs(t, Read(b, magic, subject, &got), &e)
		return e
	}
	require.Equal(t, OtherSubject, refused(b, "TEST", 8).Problem)
	require.Equal(t, Damaged, refused(b, "REST", 7).Problem)
	var other node
	var e *Error
	require.ErrorAs(t, Read(b, "TEST", 7, &other), &e)
	require.Equal(t, OtherVersion, e.Problem)
	for i := range b {
		c := append([]byte(nil), b...)
		c[i] ^= 0x10
		refused(c, "TEST", 7)
		refused(b[:i], "TEST", 7)
	}
}
