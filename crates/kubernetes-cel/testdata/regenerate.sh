#!/bin/sh
# Evaluates the expressions of cases.txt with the CEL libraries of the API server (k8s.io/apiserver 0.36.3, cel-go 0.26.0)
# and the variables of variables.json, and stores the results in cases.jsonl. Needs Go 1.26.
set -eu
cd "$(dirname "$0")"
program=$(mktemp -d)
cp main.go go.mod "$program"
(cd "$program" && GOFLAGS=-mod=mod go mod tidy && GOFLAGS=-mod=mod go build -o evaluate .)
"$program/evaluate" <cases.txt >cases.jsonl
rm -rf "$program"
