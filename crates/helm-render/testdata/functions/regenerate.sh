#!/bin/sh
# Runs the templates of cases.txt through the engines of Helm 3.22.0 and 4.3.1. cases.jsonl gets the
# results of Helm 4, cases-v3.jsonl those of Helm 3 that differ, and functions-v*.json the function
# names and library versions. Needs Go 1.26; the dependencies are those of Helm's own go.mod.
set -eu
cd "$(dirname "$0")"
export TZ=UTC GOFLAGS=-mod=mod
for v in v3:v3.22.0 v4:v4.3.1; do
  major=${v%%:*} version=${v#*:}
  dir=$(mktemp -d)
  cp main.go "$major/engine.go" "$dir"
  : >"$dir/empty.s"
  mod=$(go mod download -json "helm.sh/helm/$major@$version" | sed -n 's/.*"GoMod": "\(.*\)".*/\1/p')
  sed "s|^module .*|module joblint/testdata/functions|" "$mod" >"$dir/go.mod"
  (cd "$dir" && go mod edit -require "helm.sh/helm/$major@$version" && go build -o program .)
  "$dir/program" <cases.txt >"$dir/cases.jsonl" 2>"functions-$major.json"
  cp "$dir/cases.jsonl" "all-$major.jsonl"
  rm -rf "$dir"
done
mv all-v4.jsonl cases.jsonl
diff --new-line-format= --unchanged-line-format= all-v3.jsonl cases.jsonl >cases-v3.jsonl || true
rm all-v3.jsonl
