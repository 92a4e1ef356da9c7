package main

import (
	"text/template"
	_ "unsafe"

	"helm.sh/helm/v3/pkg/engine"
)

//go:linkname engineFuncMap helm.sh/helm/v3/pkg/engine.funcMap
func engineFuncMap() template.FuncMap

//go:linkname engineInit helm.sh/helm/v3/pkg/engine.Engine.initFunMap
func engineInit(e engine.Engine, t *template.Template)

func initFuncMap(t *template.Template) { engineInit(engine.Engine{}, t) }

func functionNames() (names []string) {
	for name := range engineFuncMap() {
		names = append(names, name)
	}
	return names
}
