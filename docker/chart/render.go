// Renders the chart as Helm does, for its check where there is no Helm: Go's templates with sprig and the functions that
// Helm adds. Debian has all of it: golang-go, golang-github-masterminds-sprig-dev, golang-gopkg-yaml.v3-dev.
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go build -o render docker/chart/render.go
//	render docker/chart values.yaml RELEASE
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

type values = map[string]interface{}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(path string) values {
	text, err := os.ReadFile(path)
	must(err)
	read := values{}
	must(yaml.Unmarshal(text, &read))
	return read
}

// Values of `over` replace those of `under`, member by member.
func merged(under, over values) values {
	for name, value := range over {
		above, isMap := value.(values)
		below, wasMap := under[name].(values)
		if isMap && wasMap {
			under[name] = merged(below, above)
		} else {
			under[name] = value
		}
	}
	return under
}

func toYaml(value interface{}) string {
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	must(encoder.Encode(value))
	return strings.TrimSuffix(text.String(), "\n")
}

func main() {
	folder := os.Args[1]
	chart := read(filepath.Join(folder, "Chart.yaml"))
	all := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	functions["toYaml"] = toYaml
	functions["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, fmt.Errorf("%s", message)
		}
		return value, nil
	}
	functions["include"] = func(name string, data interface{}) (string, error) {
		var text bytes.Buffer
		err := all.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	all.Funcs(functions)
	files, err := filepath.Glob(filepath.Join(folder, "templates", "*"))
	must(err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(err)
		_, err = all.New(filepath.Base(file)).Parse(string(text))
		must(err)
	}
	data := values{
		"Values":  merged(read(filepath.Join(folder, "values.yaml")), read(os.Args[2])),
		"Release": values{"Name": os.Args[3], "Namespace": "default"},
		// Helm names the members of the chart with a capital letter.
		"Chart": values{"Name": chart["name"], "Version": chart["version"], "AppVersion": chart["appVersion"]},
	}
	for _, file := range files {
		if name := filepath.Base(file); !strings.HasPrefix(name, "_") {
			var text bytes.Buffer
			must(all.ExecuteTemplate(&text, name, data))
			fmt.Printf("---\n%s\n", text.String())
		}
	}
}
