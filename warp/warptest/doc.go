// Package warptest tests kernels: it fails a test for what a kernel does that no
// language defines (NoFaults), runs a kernel under many legal schedules and
// shows two that give different results (Explore), and puts what it does on
// several devices side by side (Portability).
//
// The exported names are stable from version 1 on: they keep their meaning within a
// major version.
package warptest
