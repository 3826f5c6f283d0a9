module example.com/warpsim

go 1.26
