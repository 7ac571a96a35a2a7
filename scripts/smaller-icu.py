#!/usr/bin/env python3
"""Makes an object file with less of ICU's data than Foundation's static library has: 4 MB instead of 34 MB.

    scripts/smaller-icu.py lib_FoundationICU.a OBJECT

bridged writes no text in a person's language, so it needs ICU's rules (normalization, names of hosts, time zones,
sorting) and English, but no other languages. A linker that sees the object first does not take the library's own data.

The format of a .dat file is that of ICU's tools: a header, then a table of items (offset of the name, offset of the
data, both from the end of the header), sorted by name. (ICU's own icupkg, as Debian has it, refuses this many names.)
"""
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

LOCALE = re.compile(r"[a-z]{2,3}(_[A-Za-z0-9_]+)?")
# Where lines, sentences and titles break, profiles of text that only old protocols use, and characters that look alike.
UNUSED = re.compile(r"brkitr/(line|sent|title).*\.brk|(?!rfc3491).*\.spp|confusables\.cfu")
TREES = {"", "brkitr", "coll", "curr", "lang", "region", "unit", "zone"}


def is_kept(name: str) -> bool:
    """Whether an item is no table of a language but English, no dictionary, no old encoding, and no characters' names."""
    tree, _, file = name.rpartition("/")
    stem, _, kind = file.rpartition(".")
    if UNUSED.fullmatch(name) or kind in ("cnv", "dict") or tree in ("rbnf", "translit") or file == "unames.icu":
        return False
    is_locale = kind == "res" and tree in TREES and LOCALE.fullmatch(stem)
    return not is_locale or stem.split("_")[0] == "en"


def smaller(data: bytes) -> bytes:
    base = struct.unpack_from("<H", data)[0]
    count = struct.unpack_from("<I", data, base)[0]
    table = [struct.unpack_from("<II", data, base + 4 + 8 * item) for item in range(count)]
    ends = [start for _, start in table[1:]] + [len(data) - base]
    names, blobs = [], []
    for (name, start), end in zip(table, ends):
        full = data[base + name : data.index(b"\0", base + name)]
        if is_kept(full.decode().partition("/")[2]):
            names.append(full + b"\0")
            blobs.append(data[base + start : base + end])
    name_offset = 4 + 8 * len(names)
    blob_offset = -(-(name_offset + sum(map(len, names))) // 16) * 16
    entries, blob_bytes, name_bytes = b"", b"", b""
    for name, blob in zip(names, blobs):
        entries += struct.pack("<II", name_offset + len(name_bytes), blob_offset + len(blob_bytes))
        name_bytes += name
        blob_bytes += blob + b"\0" * (-len(blob) % 16)
    head = struct.pack("<I", len(names)) + entries + name_bytes
    return data[:base] + head.ljust(blob_offset, b"\0") + blob_bytes


def main(library: str, target: str) -> None:
    with tempfile.TemporaryDirectory() as folder:

        def run(*command: str) -> str:
            return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout

        run("ar", "x", library, "icu_packaged_data.cpp.o")
        run("objcopy", "-O", "binary", "--only-section=.rodata", "icu_packaged_data.cpp.o", "all.dat")
        symbol = re.search(r"\bicudt\d+_dat\b", run("nm", "icu_packaged_data.cpp.o"))
        if not symbol:
            sys.exit(f"error: {library} has no ICU data under a name like icudt76_dat.")
        Path(folder, "some.dat").write_bytes(smaller(Path(folder, "all.dat").read_bytes()))
        Path(folder, "data.s").write_text(
            f'.section .rodata\n.balign 16\n.globl {symbol[0]}\n.type {symbol[0]}, %object\n{symbol[0]}:\n'
            f'.incbin "some.dat"\n.size {symbol[0]}, . - {symbol[0]}\n.section .note.GNU-stack,"",%progbits\n'
        )
        run("as", "-o", str(Path(target).absolute()), "data.s")


if len(sys.argv) != 3:
    sys.exit("usage: scripts/smaller-icu.py lib_FoundationICU.a OBJECT")
main(*sys.argv[1:])
