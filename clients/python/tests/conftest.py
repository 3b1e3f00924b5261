"""What tests share: results that this checkout has signed, and a run that fails where nothing was tested."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eigenveil import Projection
from eigenveil.verification import unsigned

ROOT = Path(__file__).resolve().parents[3]
NODE = ROOT / "node_modules/.bin/node"


@dataclass
class Result:
    """A signed result of this checkout, with rows and what Eigenveil's own projector makes of them."""

    folder: Path
    thumbprint: str
    features: list[str]
    clipped: list[int]
    task: str
    shares: list[float | str]
    """The share of the variance that each component has, or the reason why nobody can tell."""

    @staticmethod
    def at(folder: Path) -> Result:
        facts = json.loads((folder / "facts.json").read_text())
        each = [] if facts["explained"] is None else facts["explained"]["each"]
        shares = [one if isinstance(one, str) else one["share"] for one in each]
        return Result(
            folder, facts["thumbprint"], facts["features"], facts["clipped"], facts["taskId"], shares
        )

    @cached_property
    def loaded(self) -> Projection:
        return Projection.load(self.evidence, self.thumbprint)

    @property
    def evidence(self) -> Path:
        return self.folder / "evidence.json"

    @property
    def numbers(self) -> Path:
        return self.folder / "projection.json"

    def table(self, name: str, width: int = -1) -> Any:
        values = np.fromfile(self.folder / f"{name}.f64")
        return values.reshape(-1, len(self.features) if width < 0 else width)

    @property
    def rows(self) -> Any:
        return self.table("rows")


def written(folder: Path, rows: int, *names: str) -> Callable[[str], Result]:
    """Have this checkout sign results, with as many rows."""
    if not NODE.exists():
        pytest.skip("results are signed by the Node.js that npm ci installs")
    script = ROOT / "test/support/python/results.ts"
    subprocess.run([NODE, script, folder, str(rows), *names], check=True)
    return cache(lambda name: Result.at(folder / name))


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Result]:
    return written(tmp_path_factory.mktemp("results"), 20_000)


def made_up(method: str = "pca", features: int = 3, **members: Any) -> Projection:
    """A result that nobody has computed: of the first two features alone, in [−10, 10]."""
    vectors = np.eye(features)[:2].tolist()
    projection = {
        "taskId": "t" * 22,
        "method": {"kind": method},
        "features": [{"name": f"f{i}", "min": -10, "max": 10} for i in range(features)],
        "fractionBits": 14,
        "differentialPrivacy": None,
        "vectors": vectors,
        "eigenvalues": [2.0, 1.0],
        **members,
    }
    return Projection(unsigned(projection))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run in which everything was skipped."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and not reporter.stats.get("passed") and session.exitstatus == 0:
        session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED


class Series:
    """As much of a column as is asked of one, where neither pandas nor polars is there."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)
        self.dtype = self.values.dtype

    def to_numpy(self) -> Any:
        return self.values

    def __getitem__(self, rows: slice) -> Series:
        return type(self)(self.values[rows])


class Frame(dict[str, Series]):
    """As much of a frame."""

    def __init__(self, columns: dict[str, Any]) -> None:
        super().__init__({name: Series(values) for name, values in columns.items()})

    @property
    def columns(self) -> list[str]:
        return list(self)

    def __len__(self) -> int:
        return len(next(iter(self.values())).values)


def frame(**columns: Any) -> Frame:
    return Frame(columns)
