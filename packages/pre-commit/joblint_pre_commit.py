"""Runs joblint on the files of a commit, and on the charts and kustomizations of which the commit deletes files."""

import os
import subprocess
import sys
import sysconfig

# A folder with one of these is checked as a whole when one of them is named.
MARKS = ("Chart.yaml", "kustomization.yaml", "kustomization.yml", "Kustomization")


def deleted():
    """The files that the commit deletes or moves away, relative to the working directory."""
    command = ["git", "diff", "--cached", "--relative", "--no-renames", "--name-only", "--diff-filter=D", "-z"]
    return [name for name in subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.split(b"\0") if name]


def around(path):
    """What marks the charts and kustomizations around a path that is gone."""
    folder = os.path.dirname(path)
    while True:
        for mark in MARKS:
            found = os.path.join(folder, os.fsencode(mark))
            if os.path.isfile(found):
                yield found
        if not folder:
            return
        folder = os.path.dirname(folder)


def main():
    words = [os.fsencode(word) for word in sys.argv[1:]]
    # The files follow the arguments of the hook.
    has_files = bool(words) and not words[-1].startswith(b"-") and os.path.lexists(words[-1])
    marks = sorted({mark for path in deleted() for mark in around(path)} - set(words))
    if not has_files and not marks:
        return 0
    program = os.path.join(sysconfig.get_path("scripts"), "joblint" + (sysconfig.get_config_var("EXE") or ""))
    command = [os.fsencode(program), b"check", *words, *marks]
    if os.name == "nt":
        return subprocess.run([os.fsdecode(word) for word in command]).returncode
    os.execv(command[0], command)


if __name__ == "__main__":
    sys.exit(main())
