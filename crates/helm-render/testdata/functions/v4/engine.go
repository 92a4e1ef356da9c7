package main

import (
	"context"
	"text/template"
	_ "unsafe"

	"helm.sh/helm/v4/pkg/engine"
)

//go:linkname engineFuncMap helm.sh/helm/v4/pkg/engine.funcMap
func engineFuncMap() template.FuncMap

//go:linkname engineInit helm.sh/helm/v4/pkg/engine.Engine.initFunMap
func engineInit(e engine.Engine, ctx context.Context, t *template.Template)

func initFuncMap(t *template.Template) { engineInit(engine.Engine{}, context.Background(), t) }

func functionNames() (names []string) {
	for name := range engineFuncMap() {
		names = append(names, name)
	}
	return names
}
