"""What the documents say is what the program does."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

from spades import ALLOWED, PRESETS
from spades_agents import HOUSE_BOTS, play
from spades_agents.specs import load_agent
from spades_server.app import running
from spades_server.commands import ANSWERS, State, Verdict
from spades_server.config import ServerConfig

ROOT = Path(__file__).parent.parent


def _blocks(language: str) -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def _readme_bot(folder: Path) -> Path:
    path = folder / "mybot.py"
    path.write_text(next(code for code in _blocks("python") if "mybot.py" in code.split("\n")[0]))
    return path


async def test_the_bot_of_the_readme_connects_and_plays_a_match(tmp_path: Path) -> None:
    bot = load_agent(str(_readme_bot(tmp_path)))
    said: list[str] = []
    async with running(ServerConfig(port=0)) as server:
        results = await play(
            bot, f"127.0.0.1:{server.port}", rules="quick,max_hands=2", report=said.append
        )

    assert len(results) == 1
    assert results[0].record
    assert all("did not answer well" not in sentence for sentence in said)


def test_the_bot_of_the_readme_has_at_most_ten_lines(tmp_path: Path) -> None:
    code = _readme_bot(tmp_path).read_text()

    assert len([line for line in code.splitlines() if line.strip()]) <= 10


def test_the_second_program_of_the_readme_runs(tmp_path: Path) -> None:
    bot = _readme_bot(tmp_path)
    program = _blocks("python")[1].replace("mybot.py", str(bot))
    names: dict[str, object] = {}

    exec(compile(program, "README.md", "exec"), names)  # the document's own program

    assert "match" in names


def test_the_readme_begins_with_the_two_commands() -> None:
    first = _blocks("sh")[0]

    assert [line.split("#")[0].strip() for line in first.splitlines()] == ["make play", "make test"]


def test_the_readme_names_every_preset_and_every_house_bot() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")

    for name in (*PRESETS, *HOUSE_BOTS):
        assert f"`{name}`" in text


def test_the_protocol_page_shows_the_table_of_answers() -> None:
    page = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    states = " | ".join(state.name.lower().replace("_", " ") for state in State)

    assert f"| command | {states} |" in page
    for kind, row in ANSWERS.items():
        cells = (row[state] for state in State)
        words = (c.name.lower() if isinstance(c, Verdict) else c.name for c in cells)
        assert f"| {kind.value} | {' | '.join(words)} |" in page


def test_the_architecture_page_shows_every_phase() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")

    for phase in ALLOWED:
        assert f"| {phase.value} | " in page


def test_the_pictures_of_the_readme_are_what_the_screens_look_like() -> None:
    folder = ROOT / "docs" / "pictures"
    before = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.svg")}
    names = runpy.run_path(str(folder / "draw.py"))
    match = names["played"]()
    for picture in names["pictures"](match):
        rows = names["draw"](
            names["pictured"](match, picture),
            names["Interface"](panel=picture.panel),
            names["Settings"](),
            names["UNICODE"],
            picture.size,
        )
        drawn = names["svg"](rows, picture.size, "four-colour")
        assert drawn == before[f"{picture.name}.svg"], "run docs/pictures/draw.py"
