package nokernels

func f(n int) (s int) {
	for i := range n {
		if i%2 == 0 {
			continue
		}
		s += i
	}
	return s
}
