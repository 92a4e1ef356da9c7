// Executes the templates in cases.jsonl with Go's text/template and records the results: see regenerate.sh.
//
// A case is one line of JSON with the keys "template", "data" and optionally "missingkey". The output is
// stored in "output", an error in "error". Numbers in "data" are float64, as json.Unmarshal decodes them;
// an object with the single key "$TYPE" stands for a value of that type.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"text/template"
)

type testCase struct {
	Template   string          `json:"template"`
	Data       json.RawMessage `json:"data,omitempty"`
	MissingKey string          `json:"missingkey,omitempty"`
	Output     *string         `json:"output,omitempty"`
	Error      string          `json:"error,omitempty"`
}

// Values is a defined map type with methods.
type Values map[string]any

func (v Values) Size() int                           { return len(v) }
func (v Values) Join(sep string, p ...string) string { return strings.Join(p, sep) }
func (v Values) Fail(text string) (string, error)    { return "", fmt.Errorf("no %s", text) }

// Info is a struct with fields.
type Info struct {
	Name string
	Any  any
	Tags map[string]string
}

// Version is a struct with a String method.
type Version struct{ Major string }

func (v *Version) String() string            { return "v" + v.Major }
func (v *Version) AtLeast(other string) bool { return v.Major >= other }

var types = map[string]func(any) any{
	"$int":     func(v any) any { return int(number(v)) },
	"$int64":   func(v any) any { return number(v) },
	"$int32":   func(v any) any { return int32(number(v)) },
	"$uint8":   func(v any) any { return uint8(number(v)) },
	"$uint64":  func(v any) any { return uint64(number(v)) },
	"$float":   func(v any) any { f, _ := strconv.ParseFloat(v.(string), 64); return f },
	"$bytes":   func(v any) any { return []byte(v.(string)) },
	"$strings": func(v any) any { return strs(v) },
	"$values":  func(v any) any { return Values(v.(map[string]any)) },
	"$tags":    func(v any) any { return tags(v) },
	"$nilmap":  func(v any) any { return map[string]any(nil) },
	"$nillist": func(v any) any { return []any(nil) },
	"$info": func(v any) any {
		m := v.(map[string]any)
		return Info{Name: m["name"].(string), Any: m["any"], Tags: tags(m["tags"])}
	},
	"$version": func(v any) any { return &Version{v.(string)} },
}

func number(v any) int64 {
	if s, ok := v.(string); ok {
		n, _ := strconv.ParseInt(s, 10, 64)
		return n
	}
	return int64(v.(float64))
}

func strs(v any) []string {
	list := []string{}
	for _, item := range v.([]any) {
		list = append(list, item.(string))
	}
	return list
}

func tags(v any) map[string]string {
	m := map[string]string{}
	if v == nil {
		return m
	}
	for key, value := range v.(map[string]any) {
		m[key] = value.(string)
	}
	return m
}

// build turns decoded JSON into data.
func build(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = build(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = build(v[key])
		}
		if len(v) == 1 {
			for key, value := range v {
				if convert := types[key]; convert != nil {
					return convert(value)
				}
			}
		}
	}
	return v
}

func functions(set *template.Template) template.FuncMap {
	return template.FuncMap{
		"takesString": func(s string) string { return "<" + s + ">" },
		"takesInt":    func(i int) string { return fmt.Sprintf("%T %v", i, i) },
		"takesInt64":  func(i int64) string { return fmt.Sprintf("%T %v", i, i) },
		"takesUint8":  func(i uint8) string { return fmt.Sprintf("%T %v", i, i) },
		"takesFloat":  func(f float64) string { return fmt.Sprintf("%T %v", f, f) },
		"takesBool":   func(b bool) string { return fmt.Sprintf("%T %v", b, b) },
		"takesMap":    func(m map[string]any) string { return fmt.Sprintf("%T %v %v", m, m == nil, m) },
		"takesList":   func(l []any) string { return fmt.Sprintf("%T %v %v", l, l == nil, l) },
		"takesAny":    func(v any) string { return fmt.Sprintf("%T %v", v, v) },
		"takesTwo":    func(a string, b ...int) string { return fmt.Sprint(a, b) },
		"list":        func(v ...any) []any { return v },
		"dict": func(v ...any) map[string]any {
			m := map[string]any{}
			for i := 0; i+1 < len(v); i += 2 {
				m[fmt.Sprint(v[i])] = v[i+1]
			}
			return m
		},
		"set": func(m map[string]any, key string, v any) map[string]any { m[key] = v; return m },
		"default": func(d any, v ...any) any {
			if len(v) == 0 || v[0] == nil {
				return d
			}
			if truth, _ := template.IsTrue(v[0]); truth {
				return v[0]
			}
			return d
		},
		"nothing": func() any { return nil },
		"fail":    func(text string) (string, error) { return "", fmt.Errorf("%s", text) },
		"include": func(name string, data any) (string, error) {
			var out bytes.Buffer
			err := set.ExecuteTemplate(&out, name, data)
			return out.String(), err
		},
	}
}

func run(c *testCase) (string, error) {
	var data any
	if len(c.Data) > 0 {
		if err := json.Unmarshal(c.Data, &data); err != nil {
			panic(err)
		}
	}
	set := template.New("case")
	if c.MissingKey != "" {
		set.Option("missingkey=" + c.MissingKey)
	}
	if _, err := set.Funcs(functions(set)).Parse(c.Template); err != nil {
		return "", err
	}
	var out bytes.Buffer
	err := set.Execute(&out, build(data))
	return out.String(), err
}

func main() {
	if !strings.HasPrefix(runtime.Version(), "go1.26") {
		fmt.Fprintln(os.Stderr, "cases.jsonl is made with Go 1.26, this is", runtime.Version())
		os.Exit(1)
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for in.Scan() {
		var c testCase
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			panic(err)
		}
		c.Output, c.Error = nil, ""
		output, err := run(&c)
		if err != nil {
			c.Error = err.Error()
		} else {
			c.Output = &output
		}
		if err := out.Encode(c); err != nil {
			panic(err)
		}
	}
}
