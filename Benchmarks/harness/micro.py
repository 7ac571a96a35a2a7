"""The time and allocations of each step in handling a message."""

import json
import os
import subprocess

from .processes import BUILT, ROOT, folder
from .turns import figure


def measure():
    with folder() as path:
        counter = path / "allocations.so"
        source = ROOT / "Benchmarks/Micro/allocations.c"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", counter, source], check=True)
        done = subprocess.run(
            [BUILT / "Micro"], check=True, capture_output=True, text=True, env={**os.environ, "LD_PRELOAD": str(counter)})
    for name, found in json.loads(done.stdout).items():
        yield figure(name, "ns", [found["median"]])
        yield figure(name, "allocations", [found["allocations"]])
