#!/bin/sh
# Runs all cases through Go's text/template again and writes what it says into cases.jsonl.
# Needs Go 1.26. To add cases, append lines with "template" and "data" and run this.
set -eu
cd "$(dirname "$0")"
go run . <cases.jsonl >cases.jsonl.new
mv cases.jsonl.new cases.jsonl
