//go:build !amd64 && !arm64

package osthread

import "unsafe"

func record() unsafe.Pointer { return nil }
