// Compiles and evaluates expressions as the API server does, and prints what it finds.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apimachinery/pkg/util/version"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// Result is a line of cases.jsonl.
type Result struct {
	Expression string  `json:"expression"`
	Refused    string  `json:"refused,omitempty"`
	Type       string  `json:"type,omitempty"`
	Value      string  `json:"value,omitempty"`
	Error      string  `json:"error,omitempty"`
	Cost       *uint64 `json:"cost,omitempty"`
}

type expression string

func (e expression) GetExpression() string   { return string(e) }
func (expression) ReturnTypes() []*cel.Type { return []*cel.Type{cel.AnyType} }

func main() {
	variables := map[string]any{}
	text, err := os.ReadFile("variables.json")
	check(err)
	check(json.Unmarshal(text, &variables))
	integers(variables)
	compiler := plugincel.NewCompiler(environment.MustBaseEnvSet(version.MajorMinor(1, 36)))
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if strings.HasPrefix(line, `"`) {
			check(json.Unmarshal([]byte(line), &line))
		}
		check(out.Encode(evaluate(compiler, line, variables)))
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// integers gives whole numbers the type that they have in objects of the API server.
func integers(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			value[key] = integers(inner)
		}
	case []any:
		for index, inner := range value {
			value[index] = integers(inner)
		}
	case float64:
		if value == float64(int64(value)) {
			return int64(value)
		}
	}
	return value
}

func evaluate(compiler plugincel.Compiler, text string, variables map[string]any) Result {
	result := Result{Expression: text}
	options := plugincel.OptionalVariableDeclarations{HasParams: true, HasAuthorizer: true}
	compiled := compiler.CompileCELExpression(expression(text), options, environment.NewExpressions)
	if compiled.Error != nil {
		result.Refused = compiled.Error.Detail
		return result
	}
	result.Type = compiled.OutputType.String()
	value, details, err := compiled.Program.Eval(variables)
	if details != nil {
		result.Cost = details.ActualCost()
	}
	if err != nil {
		result.Error = err.Error()
		return result
	}
	result.Value = show(value)
	return result
}

// show writes a value with its type.
func show(value ref.Val) string {
	switch value := value.(type) {
	case types.String:
		return quote(string(value))
	case types.Uint:
		return fmt.Sprintf("%du", uint64(value))
	case types.Double:
		return fmt.Sprintf("double %g", float64(value))
	case types.Bytes:
		return fmt.Sprintf("bytes %x", []byte(value))
	case types.Duration:
		return fmt.Sprintf("duration %d", value.Duration.Nanoseconds())
	case types.Timestamp:
		return fmt.Sprintf("timestamp %d.%09d", value.Unix(), value.Nanosecond())
	case types.Null:
		return "null"
	case *types.Type:
		return "type " + value.TypeName()
	case *types.Optional:
		if value.HasValue() {
			return "optional(" + show(value.GetValue()) + ")"
		}
		return "optional()"
	case apiservercel.Format:
		return "format " + value.Name
	case traits.Mapper:
		var entries []string
		for it := value.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			entries = append(entries, show(key)+": "+show(value.Get(key)))
		}
		sort.Strings(entries)
		return "{" + strings.Join(entries, ", ") + "}"
	case traits.Lister:
		var items []string
		for it := value.Iterator(); it.HasNext() == types.True; {
			items = append(items, show(it.Next()))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	if text, ok := value.ConvertToType(types.StringType).(types.String); ok {
		return string(text)
	}
	return "some " + value.Type().TypeName()
}

// quote writes a text as JSON.
func quote(text string) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	check(encoder.Encode(text))
	return strings.TrimSuffix(out.String(), "\n")
}
