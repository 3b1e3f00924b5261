"""A result is loaded as it was signed, or refused with the code of the command; numbers that nobody has signed say so."""

from __future__ import annotations

import base64
import copy
import json
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Result

from eigenveil import EigenveilError, EigenveilWarning, MissingFileError, Projection

Results = Callable[[str], Result]


def test_what_is_signed_is_loaded(results: Results) -> None:
    result = results("pca")
    told = json.loads(result.numbers.read_text())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        projection = Projection.load(result.evidence, result.thumbprint)
    assert projection.verified_ is True
    assert projection.components_.tolist() == told["vectors"]
    assert projection.proof["csp"] == result.thumbprint
    assert projection.proof["verifiedOwners"] == 3
    assert projection.feature_names == result.features


def test_numbers_that_nobody_has_signed_say_so(results: Results) -> None:
    result = results("pca")
    with pytest.warns(EigenveilWarning, match="nobody has signed"):
        projection = Projection.load(result.numbers)
    assert projection.verified_ is False
    assert projection.proof == {}
    with pytest.warns(EigenveilWarning, match="csp_thumbprint was compared with nothing"):
        assert Projection.load(result.numbers, result.thumbprint).verified_ is False
    signed = result.loaded
    assert projection.transform(result.rows).tobytes() == signed.transform(result.rows).tobytes()
    for name in ("explained_variance_", "explained_variance_ratio_"):
        assert getattr(projection, name).tolist() == pytest.approx(getattr(signed, name).tolist(), rel=1e-14)


def test_what_was_verified_cannot_be_changed_in_place(results: Results) -> None:
    loaded = results("pca").loaded
    for projection in (loaded, copy.deepcopy(loaded), pickle.loads(pickle.dumps(loaded))):
        for array in (projection.components_, projection.mean_, projection.eigenvalues_):
            with pytest.raises(ValueError, match="read-only"):
                array *= 2


def changed_payload(signed: str, change: Callable[[Any], None]) -> str:
    """A signature over another statement."""
    header, payload, signature = signed.split(".")
    statement = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    change(statement)
    other = base64.urlsafe_b64encode(json.dumps(statement).encode()).rstrip(b"=").decode()
    return f"{header}.{other}.{signature}"


def other_entry(statement: Any) -> None:
    statement["vectors"][0][0] += 1e-6


def change_projection(told: Any) -> None:
    told["projection"] = changed_payload(told["projection"], other_entry)


def change_range(told: Any) -> None:
    told["task"]["features"][0]["max"] += 1


def change_basis(told: Any) -> None:
    told["basis"][0]["projection"] = changed_payload(told["basis"][0]["projection"], other_entry)


@pytest.mark.parametrize(
    ("name", "change", "code"),
    [
        ("pca", change_projection, "ERR_PROJECTION_INVALID"),
        ("pca", change_range, "ERR_AGREEMENT_INVALID"),
        ("chain", change_basis, "ERR_PROJECTION_INVALID"),
        ("chain", lambda told: told.pop("basis"), "ERR_BASIS_INVALID"),
    ],
)
def test_a_changed_file_is_refused(
    results: Results, tmp_path: Path, name: str, change: Callable[[Any], None], code: str
) -> None:
    result = results(name)
    told = json.loads(result.evidence.read_text())
    change(told)
    (tmp_path / "evidence.json").write_text(json.dumps(told))
    with pytest.raises(EigenveilError) as refused:
        Projection.load(tmp_path / "evidence.json", result.thumbprint)
    assert (refused.value.code, refused.value.exit_code) == (code, 3)


def test_another_csp_is_refused(results: Results) -> None:
    with pytest.raises(EigenveilError) as refused:
        Projection.load(results("pca").evidence, results("lda").thumbprint)
    assert (refused.value.code, refused.value.exit_code) == ("ERR_CSP_IDENTITY", 3)
    with pytest.raises(EigenveilError, match="csp_thumbprint"):
        Projection.load(results("pca").evidence)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "evidence.json"
    with pytest.raises(FileNotFoundError, match="evidence.json") as refused:
        Projection.load(missing)
    error = refused.value
    assert isinstance(error, MissingFileError)
    assert isinstance(error, EigenveilError)
    assert (error.code, error.exit_code, error.filename) == ("ERR_CONFIGURATION", 2, str(missing))
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_file_of_another_form_is_refused(results: Results, tmp_path: Path) -> None:
    file = tmp_path / "file.json"
    for content, told in (
        (results("pca").evidence.read_bytes()[:-100], "expected an object of JSON"),
        (b"[1]", "expected an object of JSON"),
        (b'{"vectors": []}', "taskId, method, features"),
    ):
        file.write_bytes(content)
        with pytest.raises(EigenveilError, match=told) as refused:
            Projection.load(file, "A" * 43)
        assert refused.value.code == "ERR_PROJECTION_INVALID"


@pytest.mark.parametrize(
    "change",
    [
        lambda told: told["features"].append({"name": "more", "min": 0, "max": 1}),
        lambda told: told["vectors"][0].pop(),
        lambda told: told["vectors"].extend([told["vectors"].pop() * 2] * 2),
        lambda told: told["vectors"][0].__setitem__(0, float("nan")),
        lambda told: told["features"][0].update(max=float("inf")),
        lambda told: told["features"][0].pop("min"),
        lambda told: told["mean"].pop(),
        lambda told: told["eigenvalues"].pop(),
        lambda told: told.update(features=7),
    ],
)
def test_numbers_of_another_form_are_refused(
    results: Results, tmp_path: Path, change: Callable[[Any], object]
) -> None:
    told = json.loads(results("pca").numbers.read_text())
    change(told)
    (tmp_path / "projection.json").write_text(json.dumps(told))
    with pytest.raises(EigenveilError, match="expected finite numbers") as refused:
        Projection.load(tmp_path / "projection.json")
    assert refused.value.code == "ERR_PROJECTION_INVALID"


def test_numbers_that_stand_on_others_are_refused(results: Results) -> None:
    """The last link alone would reduce rows that are not those of the owners."""
    with pytest.raises(EigenveilError, match="load that") as refused:
        Projection.load(results("chain").numbers)
    assert refused.value.code == "ERR_BASIS_INVALID"
