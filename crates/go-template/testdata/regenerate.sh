#!/bin/sh
# Executes all cases with Go's text/template and stores the results in cases.jsonl. Needs Go 1.26.
# To add cases, append lines with "template" and "data", then run this script.
set -eu
cd "$(dirname "$0")"
go run . <cases.jsonl >cases.jsonl.new
mv cases.jsonl.new cases.jsonl
