// Prints the results of Helm's engine for the templates in cases.txt; see regenerate.sh.
//
// A line of cases.txt is a template, or `= NAME | A ; B | C ; D`: calls of the function with every
// combination of arguments, whose results are printed as type, value and JSON.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sort"
	"strings"
	"text/template"
)

type testCase struct {
	Template string  `json:"t"`
	Output   *string `json:"o,omitempty"`
	Error    string  `json:"e,omitempty"`
}

// data is the data of the templates; tests/it/functions.rs has the same.
func data() map[string]any {
	return map[string]any{
		"nil": nil, "yes": true, "no": false, "int": 7, "zero": 0, "neg": int64(-3), "big": int64(1) << 62,
		"float": 2.5, "whole": 3.0, "million": 1e6, "tiny": 1e-7, "huge": 1e21, "negf": -2.5,
		"str": "Hello World", "empty": "", "num": "42", "multi": "a: 1\nb: |\n  x\n\nc: 2\n", "uni": "héllo wörld 日本",
		"bytes": []byte("abc\xff"), "u8": uint8(200), "u64": uint64(1)<<63 + 1, "i32": int32(-5),
		"list": []any{"b", "a", 3.0, nil, true, "a"}, "none": []any{}, "nums": []any{3.0, 1.0, 2.0},
		"strs": []string{"x", "y", "x"}, "ints": []int{3, 1, 2}, "lists": []any{[]any{1.0}, []any{}, []any{1.0}},
		"map": map[string]any{"a": 1.0, "b": "two", "c": map[string]any{"d": nil, "e": []any{1.0, "x"}}, "n": nil},
		"void": map[string]any{}, "labels": map[string]string{"app": "x", "a/b": "y"},
		"bad": "a\xffb", "ctl": "a\x01\x7fb", "values": Values{"k": "v"},
	}
}

// Values is a defined map type.
type Values map[string]any

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		line := in.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		for _, text := range expand(line) {
			c := testCase{Template: text}
			run(&c)
			encoded, err := marshal(c)
			if err != nil {
				panic(err)
			}
			fmt.Fprintf(out, "%s\n", encoded)
		}
	}
	fmt.Fprintln(os.Stderr, header())
}

// expand returns calls with all combinations of arguments.
func expand(line string) []string {
	if !strings.HasPrefix(line, "= ") {
		return []string{line}
	}
	columns := strings.Split(line[2:], " | ")
	calls := []string{columns[0]}
	for _, column := range columns[1:] {
		var longer []string
		for _, call := range calls {
			for _, argument := range strings.Split(column, " ; ") {
				longer = append(longer, call+" "+strings.TrimSpace(argument))
			}
		}
		calls = longer
	}
	for i, call := range calls {
		calls[i] = `{{ $r := ` + strings.TrimSpace(call) + ` }}{{ printf "%T|%v|%s" $r $r (toJson $r) }}`
	}
	return calls
}

func run(c *testCase) {
	t := template.New("gotpl").Option("missingkey=zero")
	initFuncMap(t)
	var buf bytes.Buffer
	_, err := t.New("case").Parse(c.Template)
	if err == nil {
		err = t.ExecuteTemplate(&buf, "case", data())
	}
	if err != nil {
		c.Error = strings.NewReplacer("HELM_ERR_START", "", "HELM_ERR_END", "").Replace(err.Error())
		return
	}
	text := buf.String()
	c.Output = &text
}

func marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	encoder := json.NewEncoder(&buf)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSpace(buf.Bytes()), err
}

// header lists the function names and the versions of the libraries.
func header() string {
	names := functionNames()
	sort.Strings(names)
	info, _ := debug.ReadBuildInfo()
	versions := map[string]string{"go": runtime.Version()}
	for _, dep := range info.Deps {
		switch dep.Path {
		case "helm.sh/helm/v3", "helm.sh/helm/v4", "github.com/Masterminds/sprig/v3", "sigs.k8s.io/yaml",
			"go.yaml.in/yaml/v2", "go.yaml.in/yaml/v3", "github.com/BurntSushi/toml", "github.com/Masterminds/semver/v3":
			versions[dep.Path] = dep.Version
		}
	}
	encoded, _ := marshal(map[string]any{"versions": versions, "functions": names})
	return string(encoded)
}
