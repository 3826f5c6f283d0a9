package device

// Timing is what instructions cost.
type Timing struct{}
