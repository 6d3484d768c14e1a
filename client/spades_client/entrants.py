"""Who plays the entries of a competition, in words."""

from __future__ import annotations

from spades_proto.competition import CompetitionStatus


def players_sentences(status: CompetitionStatus) -> list[str]:
    """Says of each entry whether one player has both seats of its side, and who is still to come."""
    told = [
        f"Played by {how}: {', '.join(names)}."
        for how, names in (
            ("one player in both seats", _names(status, two_players=False)),
            ("two players, one in each seat", _names(status, two_players=True)),
        )
        if names
    ]
    told += [
        f"{one.name} stands when {one.awaits} has entered too."
        for one in status.entries
        if one.awaits
    ]
    return told


def _names(status: CompetitionStatus, *, two_players: bool) -> list[str]:
    return [one.name for one in status.entries if not one.bot and one.two_players is two_players]
