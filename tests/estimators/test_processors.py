"""The same seed gives the same bytes, whatever the processor has."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from estimators.processor_bytes import CANARY

TESTS = Path(__file__).resolve().parents[1]


def numpy_features() -> str:
    """What NumPy would use of this processor beyond what all of its kind have."""
    from numpy._core import _multiarray_umath as features

    here = [name for name in features.__cpu_dispatch__ if features.__cpu_features__.get(name)]
    return " ".join(here)


# Each of them is another processor to one of those who choose their loops by it.
SETTINGS = {
    "as it is": {},
    "BLAS of Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "BLAS of Sandy Bridge": {"OPENBLAS_CORETYPE": "Sandybridge"},
    "BLAS of Prescott": {"OPENBLAS_CORETYPE": "Prescott"},
    "NumPy without AVX": {"NPY_DISABLE_CPU_FEATURES": numpy_features()},
    "C library without FMA": {
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX2_Usable,-FMA_Usable,-FMA4"
    },
}


def found(setting: dict[str, str]) -> dict[str, str]:
    path = os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-m", "estimators.processor_bytes"],
        env=os.environ | {"PYTHONPATH": path} | setting,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    digests: dict[str, str] = json.loads(done.stdout)
    return digests


@pytest.mark.slow
def test_every_learner_comes_to_the_same_bytes_on_every_processor() -> None:
    runs = {name: found(setting) for name, setting in SETTINGS.items()}
    canaries = {digests.pop(CANARY) for digests in runs.values()}
    if platform.machine() == "x86_64" and platform.libc_ver()[0] == "glibc":
        assert len(canaries) > 1, "no setting was heard"
    usual = runs["as it is"]
    assert len(usual) > 200
    differ = {
        name: [key for key in usual if digests[key] != usual[key]]
        for name, digests in runs.items()
        if digests != usual
    }
    assert differ == {}


def test_sums_of_numpy_have_the_same_order_with_and_without_its_features() -> None:
    """Sums, means and deviations of columns go through NumPy, whose order of summing is fixed."""
    script = (
        "import hashlib, numpy as np\n"
        "digest = hashlib.sha256()\n"
        "X = np.random.default_rng(0).random((501, 37)) - 0.5\n"
        "for Z in (X, X.T, X.astype(np.float32), X[::2, ::3]):\n"
        "    for function in (np.sum, np.mean, np.std, np.cumsum):\n"
        "        for axis in (0, 1, None):\n"
        "            digest.update(np.asarray(function(Z, axis=axis)).tobytes())\n"
        "print(digest.hexdigest())\n"
    )
    digests = set()
    for setting in SETTINGS.values():
        command = [sys.executable, "-c", script]
        done = subprocess.run(
            command, env=os.environ | setting, capture_output=True, text=True, check=True
        )
        digests.add(done.stdout)
    assert len(digests) == 1
