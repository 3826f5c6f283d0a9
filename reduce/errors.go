package reduce

import (
	"example.com/warpsim/warp/team"
)

// problem returns a *team.Error.
func problem(algorithm string, kind error, detail, advice string) error {
	return &team.Error{Algorithm: algorithm, Kind: kind, Detail: detail, Advice: advice}
}

// fail ends the kernel with an error.
func fail(algorithm string, kind error, detail, advice string) {
	panic(problem(algorithm, kind, detail, advice))
}

// must ends the kernel with an error, if there is one.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
