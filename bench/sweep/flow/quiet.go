package flow

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
)

// Quiet turns Beam's log off, but for what it ends the process with, in the whole process: Beam has one for all pipelines.
func Quiet() {
	log.SetLogger(silent{})
	slog.SetDefault(slog.New(slog.DiscardHandler))
}

type silent struct{}

// Log drops a message, unless Beam is about to end the process.
func (silent) Log(_ context.Context, severity log.Severity, _ int, message string) {
	if severity >= log.SevFatal {
		fmt.Fprintln(os.Stderr, "sweep: Beam:", message)
	}
}
