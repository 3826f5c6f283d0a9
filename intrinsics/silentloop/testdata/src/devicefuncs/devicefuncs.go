package devicefuncs

import "example.com/warpsim/intrinsics"

// Sum always asks.
func Sum(t *intrinsics.Thread, v int) int { // want Sum:"always asks"
	if v > 3 {
		return intrinsics.ShflXor(t, v, 1)
	}
	return v + intrinsics.ShflXor(t, v, 2)
}

// Maybe does not for all v.
func Maybe(t *intrinsics.Thread, v int) int {
	if v > 3 {
		return intrinsics.ShflXor(t, v, 1)
	}
	return v
}

// Deep asks by way of another function, before it may call itself.
func Deep(t *intrinsics.Thread, v int) int { // want Deep:"always asks"
	v = Sum(t, v)
	if v > 0 {
		return Deep(t, v-1)
	}
	return v
}

// Walk has a loop of its own whose turns depend on its parameter.
func Walk(t *intrinsics.Thread, v int) (n int) {
	for v > 0 { // want "a turn of this loop may pass no call"
		if v%2 == 0 {
			n += intrinsics.Ballot(t, true).Count()
		}
		v /= 2
	}
	return n
}
