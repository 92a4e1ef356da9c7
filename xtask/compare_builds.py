#!/usr/bin/env python3
"""Diffs what two builds of joblint print about a folder of repositories.

    compare_builds.py OLD NEW CORPUS OUT

Runs `check --pedantic`, `forecast` and `render` of every chart with both builds and writes their output to
OUT/old and OUT/new, one file per repository and command. Prints the files that differ, then the counts. A chart that the
old build renders differently a second time (random names, time) is counted apart. The exit code is 1 if anything else
differs.
"""

import concurrent.futures
import json
import pathlib
import subprocess
import sys


def run(binary, folder, *arguments):
    done = subprocess.run(
        [binary, *arguments], cwd=folder, capture_output=True, text=True, timeout=900,
        env={"PATH": "/usr/bin:/bin", "NO_COLOR": "1"},
    )
    return done.stdout + (done.stderr if arguments[0] == "render" else "") + f"\nexit {done.returncode}\n"


def checked(text):
    """The findings, one line each, in order: text and JSON formats may grow fields."""
    body, _, code = text.rpartition("\nexit ")
    found = json.loads(body)["findings"]
    key = lambda one: json.dumps({name: one.get(name) for name in
        ("path", "line", "column", "rule", "severity", "message", "label", "workload")})
    return "\n".join(key(one) for one in found) + f"\nexit {code}"


def forecast(text):
    """Outcomes by workload, deployer and event."""
    body, _, code = text.rpartition("\nexit ")
    lines = []
    for work in json.loads(body)["workloads"]:
        place = f'{work["path"]}:{work["line"]} {work["kind"]} {work.get("name")}'
        for column in work["forecast"]:
            for event, cell in column["events"].items():
                lines.append(f'{place} {column["deployer"]} {event}: {cell["outcome"]} '
                             f'{cell.get("also", "")} {cell.get("fields", "")} {cell.get("reason", "")}')
    return "\n".join(lines) + f"\nexit {code}"


def outputs(binary, repository):
    yield "check", checked(run(binary, repository, "check", "--pedantic", "--output", "json", "."))
    yield "forecast", forecast(run(binary, repository, "forecast", "--output", "json", "."))
    for index, chart in enumerate(sorted(repository.rglob("Chart.yaml"))):
        folder = str(chart.parent.relative_to(repository))
        for version in ("3", "4"):
            yield f"render-{index}-{version}", run(binary, repository, "render", folder, "--helm", version)


def main(old, new, corpus, out):
    repositories = [path for path in sorted(pathlib.Path(corpus).iterdir()) if path.is_dir()]
    jobs = [(side, binary, one) for one in repositories for side, binary in (("old", old), ("new", new))]

    def write(job):
        side, binary, repository = job
        folder = pathlib.Path(out, side, repository.name)
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in outputs(str(pathlib.Path(binary).resolve()), repository):
            (folder / name).write_text(text)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(write, jobs))
    files = sorted(path.relative_to(pathlib.Path(out, "old")) for path in pathlib.Path(out, "old").rglob("*") if path.is_file())
    differ = [path for path in files if pathlib.Path(out, "old", path).read_text() != pathlib.Path(out, "new", path).read_text()]
    random = [path for path in differ if path.name.startswith("render") and is_random(old, corpus, out, path)]
    differ = [path for path in differ if path not in random]
    for path in differ:
        print(path)
    print(f"{len(repositories)} repositories, {len(files)} outputs, {len(random)} random, {len(differ)} differ")
    return bool(differ)


def is_random(binary, corpus, out, path):
    """The same build renders something else a second time."""
    repository = pathlib.Path(corpus, path.parent.name)
    _, index, version = path.name.split("-")
    chart = sorted(repository.rglob("Chart.yaml"))[int(index)].parent.relative_to(repository)
    again = run(str(pathlib.Path(binary).resolve()), repository, "render", str(chart), "--helm", version)
    return again != pathlib.Path(out, "old", path).read_text()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:5]))
