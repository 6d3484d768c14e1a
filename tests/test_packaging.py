"""The distribution: what it owns, what it asks for, and that it works where it is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from spades_proto.software import SOFTWARE, VERSION

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
STUBS = ROOT / "proto" / "spades_proto" / "v1"
ROOTS = ("rules", "proto", "agents", "arena", "server", "client")

Version = tuple[int, ...]


def version(text: str) -> Version:
    return tuple(map(int, text.split(".")))


def floors(requirements: list[str]) -> dict[str, Version]:
    """The lowest version that each requirement allows."""
    found: dict[str, Version] = {}
    for requirement in requirements:
        match = re.match(r"([\w-]+)[>=]=([\d.]+)", requirement)
        assert match, requirement
        found[match[1]] = version(match[2])
    return found


FLOORS = floors(PROJECT["project"]["dependencies"])
BUILD = floors(PROJECT["build-system"]["requires"])


def written_in_stubs(pattern: str, files: str) -> set[Version]:
    """The versions that the generated stubs demand when they are imported."""
    found: set[Version] = set()
    for path in STUBS.glob(files):
        match = re.search(pattern, path.read_text(encoding="utf-8"))
        assert match, path
        found.add(version(".".join(match.groups())))
    assert found, "there are no stubs: run make setup"
    return found


# P02: the stubs and the floors


def test_p02_the_stubs_demand_no_newer_grpcio_than_the_distribution() -> None:
    demanded = written_in_stubs(r"GRPC_GENERATED_VERSION = '([\d.]+)'", "*_pb2_grpc.py")
    assert max(demanded) <= FLOORS["grpcio"]


def test_p02_the_stubs_demand_no_newer_protobuf_than_the_distribution() -> None:
    demanded = written_in_stubs(r"Domain\.PUBLIC,\s+(\d+),\s+(\d+),\s+(\d+),\s+''", "*_pb2.py")
    assert max(demanded) <= FLOORS["protobuf"]


def test_p02_the_stubs_are_made_by_the_pinned_compiler() -> None:
    made = written_in_stubs(r"GRPC_GENERATED_VERSION = '([\d.]+)'", "*_pb2_grpc.py")
    assert made == {BUILD["grpcio-tools"]}


def test_p02_the_stubs_of_grpcs_own_services_are_no_older_than_grpcio() -> None:
    for name in ("grpcio-health-checking", "grpcio-reflection", "grpcio-status"):
        assert FLOORS[name] == FLOORS["grpcio"]


def test_every_requirement_has_a_floor_and_no_ceiling() -> None:
    for requirement in PROJECT["project"]["dependencies"]:
        assert re.fullmatch(r"[\w-]+>=[\d.]+", requirement)


def test_every_stub_has_its_proto_and_every_proto_its_stubs() -> None:
    protos = {path.stem for path in STUBS.glob("*.proto")}
    assert {path.name.removesuffix("_pb2.py") for path in STUBS.glob("*_pb2.py")} == protos
    assert {path.name.removesuffix("_pb2.pyi") for path in STUBS.glob("*_pb2.pyi")} == protos


# Names and versions


def test_the_version_that_the_software_says_is_the_distributions() -> None:
    assert PROJECT["project"]["version"] == VERSION
    assert f"spades {VERSION}" == SOFTWARE


def test_the_distribution_owns_no_name_that_does_not_begin_with_spades() -> None:
    packages = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert [Path(package).parent.name for package in packages] == list(ROOTS)
    for package in packages:
        # An editable install makes everything that lies beside a package importable too.
        beside = [path.name for path in (ROOT / package).parent.iterdir()]
        names = [name for name in beside if name.endswith(".py") or name.isidentifier()]
        assert [name for name in names if name != "__pycache__"] == [Path(package).name]
        assert Path(package).name.startswith("spades")


@pytest.mark.parametrize(
    "package", PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
)
def test_every_package_says_that_it_is_typed(package: str) -> None:
    assert (ROOT / package / "py.typed").is_file()


# P01: what is installed works where it is installed


HAND = """
import sys
import spades, spades_proto, spades_agents, spades_arena, spades_server, spades_client
import spades_server.app, spades_client.__main__
from spades_agents import play_local
from spades_proto.verification import verify

for package in (spades, spades_proto, spades_agents, spades_arena, spades_server, spades_client):
    assert package.__path__[0].startswith(sys.prefix), package
match = play_local(["beginner"] * 4, "classic,max_hands=1", seed="7")
assert verify(match.record()).match.outcome == match.outcome
print("played", len(match.match.sheet), "hand")
"""


def run(*words: str | Path, cwd: Path) -> str:
    """Runs a program with nothing of the environment that could help it find the sources."""
    done = subprocess.run(
        list(map(str, words)), cwd=cwd, capture_output=True, text=True, check=False
    )
    said = done.stdout + done.stderr
    if done.returncode and re.search(
        r"NewConnectionError|NameResolutionError|ConnectTimeout", said
    ):
        pytest.skip("a build needs a package index, and none can be reached")
    assert done.returncode == 0, said
    return done.stdout


def copy_sources(to: Path) -> Path:
    """Copies what is built from, without stubs, so that the build makes them and disturbs none."""
    to.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, to)
    for name in ROOTS:
        ignored = shutil.ignore_patterns("*_pb2*", "__pycache__")
        shutil.copytree(ROOT / name, to / name, ignore=ignored)
    return to


@pytest.mark.timeout(600)
def test_p01_a_wheel_plays_a_hand_where_it_is_installed(tmp_path: Path) -> None:
    source = copy_sources(tmp_path / "source")
    run(sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path, source, cwd=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    with ZipFile(wheel) as archive:
        names = archive.namelist()
    info = f"spades-{VERSION}.dist-info"
    top = {name.partition("/")[0] for name in names}
    assert top == {
        info,
        "spades",
        *(f"spades_{part}" for part in ("proto", "agents", "arena", "server", "client")),
    }
    for stub in ("action_pb2.py", "action_pb2.pyi", "tables_pb2_grpc.py", "tables_pb2_grpc.pyi"):
        assert f"spades_proto/v1/{stub}" in names
    assert "spades_arena/templates/report.html.j2" in names

    home = tmp_path / "env"
    venv.create(home, symlinks=True)
    scripts = Path(sysconfig.get_path("scripts", "venv", {"base": str(home)}))
    python = scripts / "python"
    # The pip of the tests' own environment installs into the new one.
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", wheel, cwd=tmp_path)
    elsewhere = Path(tmp_path.anchor)
    assert run(python, "-I", "-c", HAND, cwd=elsewhere) == "played 1 hand\n"
    assert VERSION in run(scripts / "spades", "--version", cwd=elsewhere)
    tools = run(
        python,
        "-I",
        "-c",
        "import importlib.util as u; print(u.find_spec('grpc_tools'))",
        cwd=elsewhere,
    )
    assert tools == "None\n"
