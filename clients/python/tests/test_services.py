"""Owners and a data user, from a draft to reduced rows, against services of this checkout."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import NODE, ROOT, Frame

from eigenveil import DataUser, EigenveilError, Owner, Projection

OWNERS = 2
POLICY = {"twoParty": ["simulated"], "minimumKeyBits": 1024, "allowFullRank": True}


@pytest.fixture(scope="module")
def services() -> Iterator[dict[str, Any]]:
    if not NODE.exists():
        pytest.skip("services run by the Node.js that npm ci installs")
    script = ROOT / "test/support/python/services.ts"
    words = [NODE, script, str(OWNERS)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        yield json.loads(running.stdout.readline())


@pytest.fixture(scope="module")
def frames() -> list[Frame]:
    """Every second row of iris."""
    header, *lines = (ROOT / "data/iris.csv").read_text().split()
    names = header.split(",")
    columns = list(zip(*(line.split(",") for line in lines), strict=True))
    table = {
        name: np.array(cells, object if name == "label" else float)
        for name, cells in zip(names, columns, strict=True)
    }
    return [Frame({name: cells[i::OWNERS] for name, cells in table.items()}) for i in range(OWNERS)]


@pytest.fixture(scope="module")
def owners(services: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> list[Owner]:
    folder = tmp_path_factory.mktemp("owners")
    made = []
    for i, token in enumerate(services["tokens"]):
        (folder / f"{i}").mkdir(mode=0o700)
        owner = Owner(
            folder / f"{i}", services["userUrl"], user_ca=services["ca"], csp_ca=services["ca"], timeout=120
        )
        assert owner.enrol(services["cspUrl"], services["cspThumbprint"], token)["ownerId"]
        made.append(owner)
    return made


@pytest.fixture(scope="module")
def user(services: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> DataUser:
    config = tmp_path_factory.mktemp("user") / "user.json"
    told = {"url": services["userUrl"], "ca": services["ca"], "dataDirectory": services["userDirectory"]}
    config.write_text(json.dumps(told))
    return DataUser(config, timeout=120)


def test_from_a_draft_to_reduced_rows(
    services: dict[str, Any], owners: list[Owner], user: DataUser, frames: list[Frame], tmp_path: Path
) -> None:
    draft = user.draft(
        frames[0], "pca", ignore=["label"], components=2, owners=OWNERS, two_party="simulated", exact=True
    )
    assert [feature["name"] for feature in draft["features"]] == frames[0].columns[:-1]
    proposal = {**draft, "outputs": ["mean", "sampleCount"], "keyBits": 1024, "allowInsecureKey": True}
    task = user.create(proposal)
    policy = tmp_path / "policy.json"
    policy.write_text(json.dumps(POLICY))

    with pytest.raises(EigenveilError, match="ERR_POLICY") as refused:
        owners[0].contribute(task, frames[0], ignore=["label"])
    assert refused.value.exit_code == 3
    shown = owners[0].show(task, policy=policy)
    assert shown["task"]["id"] == task
    assert shown["policy"]["takes"] is True
    without = Frame({name: frames[0][name].values for name in frames[0].columns[1:-1]})
    with pytest.raises(EigenveilError, match=f"ERR_CSV_COLUMNS.*{frames[0].columns[0]}"):
        owners[0].dry_run(task, without, policy=policy)

    for cell in (np.inf, "no number"):  # this package refuses the one, and the command the other
        spoilt = Frame({name: frames[0][name].values for name in frames[0].columns})
        spoilt[shown["task"]["features"][1]["name"]].values = np.array(
            [1.0, 1.0, cell] + [1.0] * (len(spoilt) - 3), object
        )
        with pytest.raises(EigenveilError, match=r"row 3\b") as unreadable:
            owners[0].contribute(task, spoilt, ignore=["label"], policy=policy)
        assert unreadable.value.exit_code == 2

    rehearsed = owners[0].dry_run(task, frames[0], ignore=["label"], policy=policy)
    assert (rehearsed["dryRun"], rehearsed["rows"]) == (True, len(frames[0]))
    for owner, frame in zip(owners, frames, strict=True):
        contributed = owner.contribute(task, frame, ignore=["label"], policy=policy)
        assert (contributed["rows"], contributed["repeated"]) == (len(frame), False)
    again = owners[0].contribute(task, frames[0], ignore=["label"], policy=policy)
    assert again["repeated"] is True
    assert user.status(task)["contributions"] == OWNERS

    assert user.close(task)["state"] == "done"
    result = user.result(task, evidence=tmp_path / "of-data-user.json")
    by_data_user = Projection.load(tmp_path / "of-data-user.json", services["cspThumbprint"])
    evidence = tmp_path / "evidence.json"
    reduced = owners[0].project(task, frames[0], ignore=["label"], evidence=evidence)
    projection = Projection.load(evidence, services["cspThumbprint"])
    assert projection.verified_
    assert projection.components_.tolist() == by_data_user.components_.tolist() == result["vectors"]
    features = Frame({name: frames[0][name].values for name in frames[0].columns[:-1]})
    here = projection.transform(features)
    assert np.column_stack([reduced[name].values for name in reduced.columns]).tobytes() == here.tobytes()
    everything = np.concatenate(
        [projection.transform(Frame({n: f[n].values for n in f.columns[:-1]})) for f in frames]
    )
    assert np.allclose(projection.explained_variance_, everything.var(axis=0, ddof=1), rtol=1e-3)


def test_errors_of_services_keep_their_codes(owners: list[Owner], user: DataUser) -> None:
    with pytest.raises(EigenveilError) as unknown:
        user.status("A" * 22)
    assert (unknown.value.code, unknown.value.exit_code) == ("ERR_TASK_UNKNOWN", 3)
    with pytest.raises(EigenveilError) as malformed:
        owners[0].show("not-a-task")
    assert (malformed.value.code, malformed.value.exit_code) == ("ERR_CONFIGURATION", 2)
