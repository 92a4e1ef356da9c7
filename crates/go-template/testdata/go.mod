module joblint/testdata/template

go 1.26
