package osthread

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLock(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		require.False(t, Own().Held())
		return
	}
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			l := Own()
			for n := range 4 {
				if l.Held() {
					t.Error("held before")
				}
				for range n {
					runtime.LockOSThread()
				}
				runtime.Gosched()
				if l.Held() != (n > 0) {
					t.Errorf("locked %d times: %v", n, l.Held())
				}
				l.Release()
			}
			if (Lock{}).Held() {
				t.Error("no goroutine's")
			}
		})
	}
	wg.Wait()
}

func BenchmarkHeld(b *testing.B) {
	l := Own()
	for b.Loop() {
		if l.Held() {
			b.Fatal("held")
		}
	}
}
