"""How commands are found, fed, limited and ended, by stand-ins that are small programs."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import NODE, ROOT, Frame, frame

from eigenveil import DataUser, EigenveilError, EigenveilWarning, EndedError, Owner, RowsError
from eigenveil.csv_rows import csv_of
from eigenveil.finding import LEAST_NODE, find_command
from eigenveil.running import Command, flags_of

Write = Callable[..., Path]


@pytest.fixture
def stand_in(tmp_path: Path) -> Write:
    """Write a program that stands in for a command."""

    def write(body: str, name: str = "eigenveil-owner", interpreter: str = sys.executable) -> Path:
        path = tmp_path / name
        path.write_text(f"#!{interpreter}\n{textwrap.dedent(body)}")
        path.chmod(0o755)
        return path

    return write


ECHO = """
    import gzip, json, sys
    rows = sys.stdin.buffer.read()
    print(json.dumps({"words": sys.argv[1:], "rows": gzip.decompress(rows).decode() if rows else ""}))
"""


def test_flags_are_what_options_say() -> None:
    given = {
        "dry_run": True,
        "strict": False,
        "policy": None,
        "owners": 2,
        "range": [0, 1],
        "out": Path("a b"),
    }
    assert flags_of(given) == ["--dry-run", "--owners", "2", "--range", "[0, 1]", "--out", "a b"]


def test_rows_go_through_a_pipe_with_numbers_that_read_back(stand_in: Write) -> None:
    values = [0.1, 1e-7, 1e22, -0.0, np.nan, 2**53, 1 / 3]
    texts = ["plain", 'quo"te', "com,ma", "line\nbreak", "ä", None, ""]
    rows = frame(x=values, label=np.array(texts, object), id=range(7), held=[True] * 7, whole=[1 / 3] * 7)
    answer = Owner(command=stand_in(ECHO), config="c.json").contribute("T", rows, ignore=["id"])
    assert answer["words"] == [
        "--json",
        "contribute",
        "--config",
        "c.json",
        "--data",
        "-",
        "--ignore",
        "[]",
        "--",
        "T",
    ]
    lines = answer["rows"].split("\n", 1)
    assert lines[0] == "x,label,held,whole"
    assert lines[1].startswith(
        f'0.1,plain,True,{1 / 3}\n1e-07,"quo""te",True,{1 / 3}\n'
        f'1e+22,"com,ma",True,{1 / 3}\n-0.0,"line\nbreak",True,{1 / 3}\n'
    )
    assert float(lines[1].split("\n")[-2].split(",")[0]) == 1 / 3


@pytest.mark.parametrize(
    ("columns", "code", "told"),
    [
        ({"x": [1.0, np.inf]}, "ERR_NOT_FINITE", 'row 2 .*"x"'),
        ({"x": [1.0, -np.inf], "y": [0, 0]}, "ERR_NOT_FINITE", 'row 2 .*"x"'),
        ({"x": [0.0] * 9000 + [np.inf]}, "ERR_NOT_FINITE", 'row 9001 .*"x"'),
        ({"x": np.array(["2026-01-01"], "datetime64[D]")}, "ERR_COLUMN_TYPE", 'column "x"'),
        ({"x": np.array([{}], object)}, "ERR_COLUMN_TYPE", 'row 1 .*"x".*dict'),
        ({"x": []}, "ERR_NO_SAMPLES", "got none"),
    ],
)
def test_bad_frames_are_refused_before_they_are_the_commands(columns: Any, code: str, told: str) -> None:
    with pytest.raises(RowsError, match=told) as refused:
        list(csv_of(frame(**columns)))
    assert refused.value.code == code
    with pytest.raises(RowsError, match="names of columns"):
        list(csv_of(np.zeros((2, 2))))
    with pytest.raises(RowsError, match="'id'"):
        list(csv_of(frame(x=[1]), ["id"]))


def test_a_bad_cell_in_the_middle_ends_the_command_before_its_rows_end(stand_in: Write) -> None:
    """An end of the input would be taken for that of the rows."""
    path = stand_in("""
        import os, sys, time
        with open(sys.argv[0] + ".pid", "w") as file: file.write(str(os.getpid()))
        sys.stdin.buffer.read()
        open(sys.argv[0] + ".ended", "w").close()
    """)
    values = np.array([1.0] * 20_000, object)
    values[19_000] = {}

    def parts() -> Iterator[bytes]:
        rows = csv_of(frame(x=values))
        yield next(rows)
        pid_of(path)
        yield from rows

    with pytest.raises(RowsError, match="row 19001 "):
        Command("eigenveil-owner", path).run("contribute", stdin=parts())
    with pytest.raises(ProcessLookupError):
        os.kill(pid_of(path), 0)
    assert not Path(f"{path}.ended").exists()


def test_errors_keep_code_and_exit_code(stand_in: Write) -> None:
    body = """
        import json, sys
        print("warning: something else", file=sys.stderr)
        print(json.dumps({"type": "urn", "code": "ERR_POLICY", "detail": "no"}), file=sys.stderr)
        sys.exit(3)
    """
    with pytest.raises(EigenveilError, match="ERR_POLICY: no") as refused:  # though it reads none of the rows
        Owner(command=stand_in(body)).contribute("T", frame(x=np.arange(200_000.0)))
    assert (refused.value.code, refused.value.exit_code) == ("ERR_POLICY", 3)
    with pytest.raises(EigenveilError, match="ERR_INTERNAL.*boom"):
        Owner(command=stand_in("raise SystemExit('boom')")).show("T")
    with pytest.raises(EigenveilError, match="ERR_COMMAND_ENDED.*signal 9"):
        Owner(command=stand_in("import os; os.kill(os.getpid(), 9)")).show("T")


def test_warnings_of_a_command_are_warnings(stand_in: Write) -> None:
    body = "import sys; print('warning: 3 cells', file=sys.stderr); print('{}')"
    with pytest.warns(EigenveilWarning, match="^3 cells$"):
        Owner(command=stand_in(body)).show("T")


def test_a_task_is_never_taken_for_a_flag(stand_in: Write) -> None:
    owner, user = Owner(command=stand_in(ECHO)), DataUser(command=stand_in(ECHO))
    for told in (
        owner.show("--home=/x"),
        owner.dry_run("--home=/x", frame(x=[1])),
        owner.contribute("--home=/x", frame(x=[1])),
        user.status("--home=/x"),
        user.close("--home=/x"),
        user.result("--home=/x"),
    ):
        assert told["words"][-2:] == ["--", "--home=/x"]


def test_progress_is_told_chunk_by_chunk(stand_in: Write) -> None:
    heard: list[tuple[int, int]] = []
    rows = frame(x=np.arange(20_000.0))
    Owner(command=stand_in(ECHO)).contribute("T", rows, progress=lambda *told: heard.append(told))
    assert heard == [(8192, 20_000), (16_384, 20_000), (20_000, 20_000)]


def test_a_bar_shows_all_rows(stand_in: Write, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    Owner(command=stand_in(ECHO)).contribute("T", frame(x=np.arange(20_000.0)), progress=True)
    assert "20000/20000" in capsys.readouterr().err


def test_a_bar_that_cannot_be_shown_is_none(stand_in: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    answer = Owner(command=stand_in(ECHO)).contribute("T", frame(x=np.arange(20_000.0)), progress=True)
    assert answer["rows"].count("\n") == 20_001


def test_a_token_is_no_word_of_the_command(stand_in: Write) -> None:
    body = "import json, os, sys; print(json.dumps([sys.argv[1:], os.environ['EIGENVEIL_OWNER_TOKEN']]))"
    words, token = Owner(command=stand_in(body), csp_ca="ca.pem").enrol("https://csp", "thumb", "secret")  # type: ignore[misc]
    assert token == "secret"
    assert "secret" not in words
    assert words[-2:] == ["--csp-ca", "ca.pem"]


SLEEPING = """
    import os, sys, time
    with open(sys.argv[0] + ".pid", "w") as file: file.write(str(os.getpid()))
    time.sleep(600)
"""


def ended(pid: int) -> bool:
    for _ in range(600):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


def pid_of(path: Path) -> int:
    file = Path(f"{path}.pid")
    while not (file.exists() and file.read_text()):
        time.sleep(0.02)
    return int(file.read_text())


def test_a_command_ends_with_its_time(stand_in: Write) -> None:
    path = stand_in(SLEEPING)
    with pytest.raises(EndedError, match="ERR_TIME_LIMIT") as over:
        # It reads none of the rows either, so that the writing waits as well.
        Owner(command=path, timeout=1).contribute("T", frame(x=np.random.default_rng(1).random(300_000)))
    assert over.value.exit_code == 4
    assert isinstance(over.value, TimeoutError)


@pytest.mark.parametrize("limit", [1, None])
def test_what_a_script_has_started_ends_with_it(stand_in: Write, limit: float | None) -> None:
    path = stand_in("sleep 30 & echo $! > $0.pid; wait", interpreter="/bin/sh")
    began = time.monotonic()
    if limit is None:
        with pytest.raises(KeyError):
            Command("eigenveil-owner", path).run("contribute", stdin=broken_off(path))
        state = Path(f"/proc/{pid_of(path)}/stat")
        for _ in range(100):
            if not state.exists() or ") Z " in state.read_text():
                break
            time.sleep(0.05)
        else:
            pytest.fail("it goes on")
    else:
        with pytest.raises(EndedError):  # its output would be open for as long as it runs
            Command("eigenveil-owner", path, timeout=limit).run("show")
    assert time.monotonic() - began < 20


def broken_off(path: Path) -> Iterator[bytes]:
    """Rows that end with an error once the command runs."""
    yield b""
    raise KeyError(pid_of(path))


def test_ctrl_c_ends_the_command(stand_in: Write) -> None:
    path = stand_in(SLEEPING)
    heard: list[int] = []

    def interrupt() -> None:
        heard.append(pid_of(path))
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        Owner(command=path).show("T")
    assert ended(heard[0])


def test_a_caller_that_dies_leaves_a_cut_archive(stand_in: Write) -> None:
    packed = list(csv_of(frame(x=np.arange(100_000.0))))
    assert gzip.decompress(b"".join(packed)).count(b"\n") == 100_001
    with pytest.raises(EOFError):
        gzip.decompress(b"".join(packed[:-1]))


@pytest.mark.long
def test_two_million_rows_need_no_memory_of_their_own(stand_in: Write) -> None:
    body = """
        import gzip, json, sys
        with gzip.open(sys.stdin.buffer) as rows: print(json.dumps({"rows": sum(1 for _ in rows)}))
    """
    code = f"""
        import resource, sys
        sys.path[:0] = {[str(Path(__file__).parent), str(ROOT / "clients/python/src")]}
        import numpy as np
        from conftest import frame
        from eigenveil import Owner
        values = np.random.default_rng(1).random(2_000_000)
        rows = frame(**{{f"x{{i}}": values for i in range(4)}})
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        answer = Owner(command={str(stand_in(body))!r}).contribute("T", rows)
        assert answer == {{"rows": 2_000_001}}
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """
    grown = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, check=True, text=True
    )
    assert int(grown.stdout) < 50_000  # of KB, where the text has 150 MB


class TestFinding:
    @pytest.fixture(autouse=True)
    def nowhere(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.delenv("EIGENVEIL_OWNER", raising=False)
        monkeypatch.setenv("PATH", str(tmp_path / "bin"))
        (tmp_path / "bin").mkdir()

    def test_argument_then_variable_then_path_then_checkout(
        self, stand_in: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        given, named = stand_in("", "given"), stand_in("", "named")
        on_path = stand_in("", "bin/eigenveil-owner")
        monkeypatch.setenv("EIGENVEIL_OWNER", str(named))
        assert find_command("eigenveil-owner", given) == [str(given)]
        assert find_command("eigenveil-owner") == [str(named)]
        monkeypatch.delenv("EIGENVEIL_OWNER")
        assert find_command("eigenveil-owner") == [str(on_path)]
        on_path.unlink()
        if not NODE.exists():
            pytest.skip("the checkout has no Node.js: npm ci installs it")
        node, source = find_command("eigenveil-owner")
        assert Path(source) == ROOT / "services/data-owner/bin/eigenveil-owner.ts"
        assert Path(node).samefile(NODE)

    def test_a_command_in_the_working_directory_is_not_run(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        """Whoever gives somebody a folder with evidence could put a command into it that verifies anything."""
        planted = tmp_path / "services/data-owner/bin/eigenveil-owner.ts"
        planted.parent.mkdir(parents=True)
        planted.touch()
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("eigenveil.finding.__file__", "/nowhere/eigenveil/finding.py")
        monkeypatch.setattr("sys.prefix", "/nowhere")
        with pytest.raises(EigenveilError, match="ERR_COMMAND_MISSING.*neither PATH nor a checkout"):
            find_command("eigenveil-owner")

    def test_none_is_said_with_what_to_do(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(EigenveilError, match="ERR_COMMAND_MISSING.*/nowhere/x.*EIGENVEIL_OWNER"):
            find_command("eigenveil-owner", "/nowhere/x")

    def test_a_missing_node_and_an_old_one_are_named(self, stand_in: Write, tmp_path: Path) -> None:
        command = stand_in("", "owner.js", "/usr/bin/env node")
        with pytest.raises(EigenveilError, match="ERR_NODE_MISSING.*PATH has no node"):
            find_command("eigenveil-owner", command)
        node = stand_in("print('v20.20.2')", "bin/node")
        with pytest.raises(
            EigenveilError, match=f"ERR_NODE_TOO_OLD.*Node.js 24 or newer, and {node} is 20.20.2"
        ):
            find_command("eigenveil-owner", command)

    def test_the_oldest_node_is_that_of_the_packages(self) -> None:
        engines = json.loads((ROOT / "services/data-owner/package.json").read_text())["engines"]
        assert engines == {"node": f">={LEAST_NODE}"}


def test_folders_for_what_commands_write_are_private(stand_in: Write) -> None:
    body = """
        import json, os, stat, sys
        assert sys.argv[-2:] == ["--", "T"]
        out = sys.argv[sys.argv.index("--out") + 1]
        sys.stdin.buffer.read()
        kept = json.loads(sys.argv[sys.argv.index("--keep") + 1])
        with open(out, "w") as file: file.write(f"{kept[0]},component_1,component_2\\n0,0.1,-3e-7\\n1,5,6\\n")
        print(json.dumps({}), file=sys.stdout)
        mode = stat.S_IMODE(os.stat(os.path.dirname(out)).st_mode)
        print(oct(mode), file=sys.stderr)
    """
    with pytest.warns(EigenveilWarning, match="^0o700$"):
        reduced = Owner(command=stand_in(body)).project("T", Frame({"x": [1, 2]}))
    assert {name: series.values.tolist() for name, series in reduced.items()} == {
        "component_1": [0.1, 5],
        "component_2": [-3e-7, 6],
    }
    with pytest.raises(EigenveilError, match="keep"):
        Owner(command=stand_in(body)).project("T", frame(x=[1]), keep=["x"])
