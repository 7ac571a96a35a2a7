#!/usr/bin/env python3
"""Writes the wheel of bridged: the client, the pytest plugin, and the relocatable folder that scripts/package makes.

    scripts/wheel.py FOLDER VERSION PLATFORM SECONDS OUT

pip puts the folder's bin, lib and share into those of the environment, where they have the same places to each other. The
form is that of https://packaging.python.org/en/latest/specifications/binary-distribution-format/. The same arguments give the
same bytes: all files have the time SECONDS, since 1970.
"""
from __future__ import annotations

import base64
import hashlib
import os
import stat
import sys
import time
import tomllib
import zipfile
from pathlib import Path

CLIENT = Path(__file__).resolve().parent.parent / "clients" / "python"


def files(folder: Path) -> dict[str, Path]:
    """The files of the folder by their places in the wheel's data: `scripts` is the environment's bin."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    places = {path: path.relative_to(folder) for path in found}
    return {
        f"scripts/{place.name}" if place.parts[0] == "bin" else f"data/{place}": path for path, place in places.items()
    }


def main(folder: str, version: str, platform: str, seconds: str, out: str) -> None:
    info, data = f"bridged-{version}.dist-info", f"bridged-{version}.data"
    contents: dict[str, tuple[bytes, int]] = {}
    for module in sorted(CLIENT.glob("*.py")):
        contents[module.name] = (module.read_bytes(), 0o644)
    for place, path in files(Path(folder)).items():
        contents[f"{data}/{place}"] = (path.read_bytes(), stat.S_IMODE(os.stat(path).st_mode))
    project = tomllib.loads((CLIENT / "pyproject.toml").read_text())["project"]
    texts = {
        "METADATA": metadata(project, version),
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: bridged\nRoot-Is-Purelib: false\nTag: py3-none-{platform}\n",
        "entry_points.txt": "".join(
            f"[{group}]\n" + "".join(f"{name} = {module}\n" for name, module in points.items())
            for group, points in project["entry-points"].items()),
    }
    for name, text in texts.items():
        contents[f"{info}/{name}"] = (text.encode(), 0o644)
    contents[f"{info}/licenses/LICENSE"] = ((CLIENT.parents[1] / "LICENSE").read_bytes(), 0o644)
    record = "".join(f"{name},sha256={digest(body)},{len(body)}\n" for name, (body, _) in contents.items())
    contents[f"{info}/RECORD"] = (f"{record}{info}/RECORD,,\n".encode(), 0o644)
    date = time.gmtime(int(seconds))[:6]
    with zipfile.ZipFile(Path(out) / f"bridged-{version}-py3-none-{platform}.whl", "w") as wheel:
        for name, (body, mode) in contents.items():
            member = zipfile.ZipInfo(name, date)
            member.create_system, member.external_attr = 3, (stat.S_IFREG | mode) << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(member, body, compresslevel=9)


def metadata(project: dict, version: str) -> str:
    lines = [
        "Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {version}", f"Summary: {project['description']}",
        f"License: {project['license']['text']}", f"Requires-Python: {project['requires-python']}",
        *(f"Classifier: {classifier}" for classifier in project["classifiers"]),
        *(line for name, needs in project.get("optional-dependencies", {}).items() for line in [
            f"Provides-Extra: {name}", *(f'Requires-Dist: {need}; extra == "{name}"' for need in needs)]),
    ]
    return "\n".join(lines) + "\n"


def digest(body: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(body).digest()).rstrip(b"=").decode()


main(*sys.argv[1:])
