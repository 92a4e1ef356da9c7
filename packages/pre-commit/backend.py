"""Builds the wheel of this folder for pip and uv (PEP 517), with Python's standard library alone."""

import base64
import hashlib
import os
import zipfile

MODULE = "joblint_pre_commit"
VERSION = "@VERSION@"

METADATA = f"""\
Metadata-Version: 2.4
Name: joblint-pre-commit
Version: {VERSION}
Summary: joblint as a hook of pre-commit and prek: the program comes from its wheel.
License-Expression: MIT OR Apache-2.0
License-File: LICENSE-MIT
License-File: LICENSE-APACHE
Requires-Python: >=3.9
Requires-Dist: joblint=={VERSION}
"""

WHEEL = """\
Wheel-Version: 1.0
Generator: joblint
Root-Is-Purelib: true
Tag: py3-none-any
"""

ENTRY_POINTS = f"""\
[console_scripts]
joblint-pre-commit = {MODULE}:main
"""


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel into a folder, and returns its name."""
    info = f"{MODULE}-{VERSION}.dist-info"
    files = {
        f"{MODULE}.py": content(f"{MODULE}.py"),
        f"{info}/METADATA": METADATA.encode(),
        f"{info}/WHEEL": WHEEL.encode(),
        f"{info}/entry_points.txt": ENTRY_POINTS.encode(),
        f"{info}/licenses/LICENSE-MIT": content("LICENSE-MIT"),
        f"{info}/licenses/LICENSE-APACHE": content("LICENSE-APACHE"),
    }
    record = "".join(f"{path},sha256={digest(data)},{len(data)}\n" for path, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    name = f"{MODULE}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w") as wheel:
        for path, data in files.items():
            wheel.writestr(zipfile.ZipInfo(path), data)
    return name


def content(name):
    """The bytes of a file of this folder, which is the working directory of a build."""
    with open(name, "rb") as file:
        return file.read()


def digest(data):
    """The SHA-256 as RECORD writes it."""
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
