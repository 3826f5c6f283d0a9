package reduce

import (
	"fmt"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/team"
)

// An Op is an associative operator on T, a semigroup or with an identity a
// monoid. The zero Op is none; make one with a function such as Sum, or with
// New.
type Op[T any] struct {
	// Name is a short name, such as "sum".
	Name string

	// Identity is the value that changes nothing, if HasIdentity.
	Identity    T
	HasIdentity bool

	// Commutative says that Combine(a, b) equals Combine(b, a). Algorithms
	// that change the order of the operands refuse an Op that does not.
	Commutative bool

	// Combine is the operator on single values: the reference that Apply is
	// held against, and what hosts use.
	Combine func(a, b T) T

	// Apply sets dst to a op b in all active lanes, with the instructions that
	// this takes. dst may be a or b. It must not change which lanes are
	// active, and give back what registers it takes.
	Apply func(dst, a, b warp.Reg[T])

	// Redux sets dst in all active lanes to the reduction of their values of
	// src in hardware; nil if no device does this operator. HasRedux says
	// which devices do.
	Redux    func(dst, src warp.Reg[T])
	HasRedux func(p *device.Profile) bool

	// Atomic combines v into an element of an array in one instruction a lane;
	// nil if there is no such instruction. HasAtomic says which devices have
	// it; nil stands for all.
	Atomic    func(m warp.Mem[T], idx warp.Reg[int32], v warp.Reg[T])
	HasAtomic func(p *device.Profile) bool
}

// New returns an operator of one instruction of the given class that computes
// combine. It has no identity (see WithIdentity), and is taken not to commute
// (see Commuting). combine is called for lanes with items only.
func New[T any](name string, cost isa.Op, combine func(a, b T) T) Op[T] {
	return Op[T]{
		Name: name, Combine: combine,
		Apply: func(dst, a, b warp.Reg[T]) { warp.Map2(dst, a, b, cost, combine) },
	}
}

// WithIdentity returns the operator with an identity.
func (o Op[T]) WithIdentity(v T) Op[T] {
	o.Identity, o.HasIdentity = v, true
	return o
}

// Commuting returns the operator declared commutative.
func (o Op[T]) Commuting() Op[T] {
	o.Commutative = true
	return o
}

// Fold returns the reduction of values in order, from left to right: the plain
// sequential reference. With no values it returns the identity, and false if
// the operator has none; likewise if it has no Combine.
func (o Op[T]) Fold(values []T) (T, bool) {
	if len(values) == 0 || o.Combine == nil {
		return o.Identity, o.HasIdentity && len(values) == 0
	}
	r := values[0]
	for _, v := range values[1:] {
		r = o.Combine(r, v)
	}
	return r, true
}

// needOrder returns an error if the operator does not commute.
func (o *Op[T]) needOrder(algorithm, instead string) error {
	if o.Commutative {
		return nil
	}
	return problem(algorithm, team.ErrOrder, fmt.Sprintf("%s may not change the order of its operands", o.Name),
		"use "+instead)
}

// needRedux returns an error if a device does not reduce with o in hardware.
func (o *Op[T]) needRedux(algorithm string, p *device.Profile) error {
	if o.Redux != nil && o.HasRedux != nil && o.HasRedux(p) {
		return nil
	}
	var zero T
	return problem(algorithm, team.ErrRedux, fmt.Sprintf("%s has none for %s of %T", p.Name, o.Name, zero),
		"use shuffle-xor")
}

// needAtomic returns an error if a device has no atomic for o.
func (o *Op[T]) needAtomic(algorithm string, p *device.Profile) error {
	if o.Atomic != nil && (o.HasAtomic == nil || o.HasAtomic(p)) {
		return nil
	}
	var zero T
	return problem(algorithm, team.ErrAtomic, fmt.Sprintf("%s has none for %s of %T", p.Name, o.Name, zero),
		"combine partial results in a second step")
}
