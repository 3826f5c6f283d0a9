package kernel

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRegister(t *testing.T) {
	run := func(context.Context, Job) (Outcome, error) { panic("broken") }
	Register(Kernel{Name: "test/a", Types: []string{"i32"}, Run: run})
	assert.NoError(t, Problem())
	assert.Equal(t, []string{"test/a"}, Of("example.com/warpsim/bench/sweep/kernel"))
	Register(Kernel{Name: "test/a", Types: []string{"i32"}, Run: run})
	Register(Kernel{Name: "not a name", Types: []string{"i32"}, Run: run})
	Register(Kernel{Name: "test/b", Run: run})
	Register(Kernel{Name: "test/c", Types: []string{"i32"}})
	assert.EqualError(t, Problem(), `kernel "test/a" of example.com/warpsim/bench/sweep/kernel: another kernel has the same name
kernel "not a name" of example.com/warpsim/bench/sweep/kernel: the name has to be of letters, digits, '-', '/' and '.'
kernel "test/b" of example.com/warpsim/bench/sweep/kernel: it names no types of elements
kernel "test/c" of example.com/warpsim/bench/sweep/kernel: it has no Run`)
	k, _ := Lookup("test/a")
	_, err := Do(t.Context(), k, Job{})
	assert.EqualError(t, err, "kernel test/a panicked: broken")
}
