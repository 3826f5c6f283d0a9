package device

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// mostByDefault is the largest value of a number of a profile whose field does not
// say another one with the tag most. It is no limit of devices: what lies beyond is a
// slip of the pen, and may cost the simulator more memory than there is.
const mostByDefault = 1 << 20

// validateNumbers holds every number of the memory and of the costs against the
// largest sensible value. It goes by reflection, so that none can be left out; limits
// and rules have tables of their own.
func (p *Profile) validateNumbers() error {
	for _, part := range []struct {
		path string
		v    reflect.Value
	}{{"memory", reflect.ValueOf(&p.Memory)}, {"timing", reflect.ValueOf(&p.Timing)}} {
		if b := beyond(part.v, mostByDefault); b != nil {
			return invalid(part.path+b.path, strconv.FormatFloat(b.v, 'g', -1, 64), "give 0 to "+strconv.FormatFloat(b.most, 'f', -1, 64))
		}
	}
	if d := p.Timing.Dispatch; d != nil && len(d.Order) > mostMultiprocessors {
		return invalid("timing.dispatch.order", fmt.Sprintf("%d multiprocessors", len(d.Order)), fmt.Sprintf("give at most %d", mostMultiprocessors))
	}
	return nil
}

// A slip is a number that is beyond what is sensible.
type slip struct {
	path    string
	v, most float64
}

// beyond returns a number in v that is negative, above most or what its field says, or
// none; nil if all are good.
func beyond(v reflect.Value, most float64) *slip {
	at := ""
	var b *slip
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			b = beyond(v.Elem(), most)
		}
	case reflect.Struct:
		for i, most := range mostOf(v.Type()) {
			if b = beyond(v.Field(i), most); b != nil {
				name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
				at = "." + name
				break
			}
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			if x, k := beyond(it.Value(), most), "."+it.Key().String(); x != nil && (b == nil || k < at) {
				b, at = x, k // that of the first name, whatever the order
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if b = beyond(v.Index(i), most); b != nil {
				at = fmt.Sprintf("[%d]", i)
				break
			}
		}
	default:
		x := 0.0
		switch {
		case v.CanInt():
			x = float64(v.Int())
		case v.CanUint():
			x = float64(v.Uint())
		case v.CanFloat():
			x = v.Float()
		}
		if !(x >= 0 && x <= most) { // a NaN neither
			return &slip{"", x, most}
		}
	}
	if b != nil {
		b.path = at + b.path
	}
	return b
}

// mosts remembers, by type, what mostOf returns: reading tags is slow.
var mosts sync.Map

// mostOf returns the largest values of the fields of a struct.
func mostOf(t reflect.Type) []float64 {
	if m, ok := mosts.Load(t); ok {
		return m.([]float64)
	}
	m := make([]float64, t.NumField())
	for i := range m {
		m[i] = mostByDefault
		if tag, ok := t.Field(i).Tag.Lookup("most"); ok {
			m[i], _ = strconv.ParseFloat(tag, 64)
		}
	}
	mosts.Store(t, m)
	return m
}
