"""A competition before its first card: its terms, its entries and the seed that it committed itself to."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from spades import Reason, TableError, format_rules, parse_rules
from spades_agents import HOUSE_BOTS
from spades_arena.errors import ArenaError
from spades_arena.faults import Discipline
from spades_arena.limits import TimeLimits
from spades_arena.schedule import rounds
from spades_arena.spec import Entry, EventSpec, Format, Mode, competition_rules, parse_spec
from spades_arena.stream import seed_commitment
from spades_proto.competition import CompetitionFormat, CompetitionStage, CompetitionTerms
from spades_proto.timing import parse_time_control
from spades_server.commands import Player
from spades_server.competitions.entries import CONNECTED, Entered, Pairing, parse_entered
from spades_server.players import check_name, folded

SCHEMA: Final = 1
NETWORK_MARGIN_MS: Final = 500
"""What is forgiven beyond the limit of a decision, since a network is in between."""

START_MS: Final = 30_000
"""How long an entry that is not connected is waited for, at each of its tables."""

MOST_AT_ONCE: Final = 64
USUAL_AT_ONCE: Final = 8
LONGEST_TITLE: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """What is known of a competition beside the units that it has played."""

    id: str
    title: str
    organiser: Player
    created_us: int
    terms: CompetitionTerms
    server_seed: bytes = field(repr=False)
    stage: CompetitionStage = CompetitionStage.OPEN
    entries: tuple[Entered, ...] = ()
    spec: EventSpec | None = None
    """The event, once it has begun."""

    @property
    def commitment(self) -> str:
        """What is published at once."""
        return seed_commitment(self.server_seed)

    def named(self, name: str) -> Entered:
        """Finds an entry.

        :raises TableError: if there is none of that name.
        """
        found = next((one for one in self.entries if one.name == name), None)
        if found is None:
            raise TableError(
                f"No entry of {self.id} is called {name[:40]!r}.", Reason.INVALID_FIELD
            )
        return found

    def of_player(self, player: Player) -> Entered | None:
        """The entry that a player's agent plays, alone or with a partner."""
        return next((one for one in self.entries if player.id in one.players), None)

    def require(self, stage: CompetitionStage, refusal: str) -> None:
        """Refuses what another stage allows; the refusal says what cannot be done.

        :raises TableError: with the stage as the reason.
        """
        if self.stage is not stage:
            raise TableError(f"{refusal} now: {self.stage.value}.", Reason.COMPETITION_STATE)

    def require_organiser(self, player: Player, what: str) -> None:
        """Refuses what is the organiser's.

        :raises TableError: if somebody else asks.
        """
        if player.id != self.organiser.id:
            raise TableError(
                f"Only {self.organiser.name}, the organiser of {self.id}, can {what}.",
                Reason.NOT_THE_ORGANISER,
            )

    def entered(
        self, player: Player, name: str, bot: str, at_once: int, partner: str = ""
    ) -> Registration:
        """The competition with one more entry; the same entry again changes nothing.

        With a ``partner``, the name of another player, it is one of two players, and stands when that
        one has entered with this one as partner.

        :raises SpadesError: if it cannot be entered.
        """
        if not 0 <= at_once <= MOST_AT_ONCE:
            raise ArenaError(
                f"at_once={at_once} is out of range: an agent plays 1 to {MOST_AT_ONCE} units at once."
            )
        if partner:
            return self._entered_with(player, name, bot, at_once or USUAL_AT_ONCE, partner)
        if bot:
            self.require_organiser(player, "enter house bots")
            _require_bot(bot)
        new = Entered(
            name or bot or player.name, bot, "" if bot else player.id, at_once or USUAL_AT_ONCE
        )
        if any(replace(one, at_once=new.at_once) == new for one in self.entries):
            # Whoever comes back may take another number of units at once, which counts no more.
            return self
        self.require(CompetitionStage.OPEN, f"{self.id} cannot be entered")
        if self.terms.separate and not bot:
            raise TableError(
                f"{self.id} takes pairs of two players, one for each seat of a side: name your partner.",
                Reason.INVALID_FIELD,
            )
        if not bot:
            self._require_none_of(player)
        return self._with(new)

    def _entered_with(
        self, player: Player, name: str, bot: str, at_once: int, partner: str
    ) -> Registration:
        """The competition with one of two players entered, or with both."""
        if bot:
            raise TableError(
                f"The house bot {bot[:40]!r} needs no partner: it plays both seats of its side.",
                Reason.INVALID_FIELD,
            )
        check_name(partner)
        if folded(partner) == folded(player.name):
            raise TableError(
                f"{player.name} cannot be the partner of {player.name}: a pair is two players.",
                Reason.INVALID_FIELD,
            )
        mine = self.of_player(player)
        if mine is not None and mine.is_pair_of(player, partner) and name in ("", mine.name):
            return self
        self.require(CompetitionStage.OPEN, f"{self.id} cannot be entered")
        self._require_none_of(player)
        half = next((one for one in self.entries if one.awaits_partner(player, partner)), None)
        if half is None:
            pairing = Pairing(player.name, partner)
            return self._with(
                Entered(name or f"{player.name} & {partner}", "", player.id, at_once, pairing)
            )
        if name not in ("", half.name):
            raise TableError(
                f"{partner} has entered this pair as {half.name!r}: enter it under the same name.",
                Reason.INVALID_FIELD,
            )
        whole = half.joined_by(player, at_once)
        return replace(self, entries=tuple(whole if one is half else one for one in self.entries))

    def _require_none_of(self, player: Player) -> None:
        """Refuses a second entry of one player."""
        mine = self.of_player(player)
        if mine is not None:
            raise TableError(
                f"{player.name} has entered {self.id} as {mine.name!r} already: one entry each.",
                Reason.COMPETITION_STATE,
            )

    def _with(self, new: Entered) -> Registration:
        """The competition with an entry that nothing stands against but its name and the room."""
        if any(one.name == new.name for one in self.entries):
            raise TableError(
                f"An entry of {self.id} is called {new.name!r} already: choose another name.",
                Reason.NAME_TAKEN,
            )
        entries = (*self.entries, new)
        _ = new.entry  # its name is judged there
        most = 2 if self.terms.format is CompetitionFormat.MATCH else MOST_ENTRIES
        if len(entries) > most:
            raise TableError(f"{self.id} has {most} entries and takes no more.", Reason.TOO_MANY)
        return replace(self, entries=entries)

    def without(self, name: str) -> Registration:
        """The competition without an entry that has not begun to play."""
        return replace(self, entries=tuple(one for one in self.entries if one.name != name))

    def begun(self) -> Registration:
        """The competition with its entries closed.

        :raises TableError: if it cannot be played with these.
        """
        self.require(CompetitionStage.OPEN, f"{self.id} cannot be started")
        for one in self.entries:
            if one.awaits:
                raise TableError(
                    f"The entry {one.name!r} waits for {one.awaits} to enter too, with"
                    f" {one.awaited_by} as partner: wait, or take it out.",
                    Reason.COMPETITION_STATE,
                )
        try:
            spec = event_spec(self.terms, tuple(one.entry for one in self.entries), self.commitment)
        except ArenaError as error:
            raise TableError(error.sentence, Reason.COMPETITION_STATE) from None
        _check_planned(spec, "With these entries")
        return replace(self, stage=CompetitionStage.RUNNING, spec=spec)

    def to_text(self) -> str:
        """The whole of it, to be stored."""
        terms = asdict(self.terms)
        terms |= {
            "format": self.terms.format.value,
            "rules": format_rules(self.terms.rules),
            "time_control": str(self.terms.time_control),
        }
        return json.dumps(
            {
                "schema": SCHEMA,
                "id": self.id,
                "title": self.title,
                "organiser": [self.organiser.id, self.organiser.name],
                "created_us": self.created_us,
                "terms": terms,
                "server_seed": self.server_seed.hex(),
                "stage": self.stage.name,
                "entries": [asdict(one) for one in self.entries],
                "event": None if self.spec is None else self.spec.to_json(),
            }
        )


MOST_ENTRIES: Final = 64


def parse_registration(text: str) -> Registration:
    """Reads what :meth:`Registration.to_text` wrote."""
    data: dict[str, Any] = json.loads(text)
    terms = dict(data["terms"])
    terms["format"] = CompetitionFormat(terms["format"])
    terms["rules"] = parse_rules(terms["rules"])
    terms["time_control"] = parse_time_control(terms["time_control"])
    organiser_id, organiser = data["organiser"]
    return Registration(
        id=data["id"],
        title=data["title"],
        organiser=Player(organiser_id, organiser),
        created_us=data["created_us"],
        terms=CompetitionTerms(**terms),
        server_seed=bytes.fromhex(data["server_seed"]),
        stage=CompetitionStage[data["stage"]],
        entries=tuple(map(parse_entered, data["entries"])),
        spec=None if data["event"] is None else parse_spec(data["event"]),
    )


def event_spec(terms: CompetitionTerms, entries: tuple[Entry, ...], commitment: str) -> EventSpec:
    """The event that is played by these terms.

    :raises ArenaError: if it cannot be.
    """
    mode = Mode.BOARDS if terms.boards else Mode.GAMES
    return EventSpec(
        format=Format(terms.format.value),
        entries=entries,
        rules=competition_rules(terms.rules, mode),
        mode=mode,
        units=terms.units,
        limits=TimeLimits(
            control=terms.time_control, margin_ms=NETWORK_MARGIN_MS, start_ms=START_MS
        ),
        discipline=Discipline(terms.strikes, terms.strict),
        controls=terms.controls,
        challengers=terms.challengers,
        seed_commitment=commitment,
    )


def check_terms(terms: CompetitionTerms) -> None:
    """Refuses terms by which nothing can be played, whoever enters.

    :raises SpadesError: naming the field.
    """
    if terms.units > MOST_UNITS:
        raise ArenaError(f"units={terms.units} is out of range: 1 to {MOST_UNITS} are allowed.")
    if not 1 <= terms.challengers < MOST_ENTRIES:
        raise ArenaError(
            f"challengers={terms.challengers} is out of range: 1 to {MOST_ENTRIES - 1} are allowed."
        )
    if terms.challengers > 1 and terms.format is not CompetitionFormat.GAUNTLET:
        raise ArenaError("Only a gauntlet has challengers.")
    entries = tuple(Entry(f"entry {number}", CONNECTED) for number in range(terms.challengers + 1))
    _check_planned(event_spec(terms, entries, ""), f"With {len(entries)} entries alone")


def _check_planned(spec: EventSpec, entries: str) -> None:
    """Refuses an event that is longer than a server's may be.

    :raises TableError: saying how long it would be.
    """
    planned = sum(map(len, rounds(spec))) * spec.units + len(spec.entries) * spec.controls
    if planned > MOST_PLANNED:
        raise TableError(
            f"{entries} {planned:,} units would be played, and {MOST_PLANNED:,} are the most:"
            " open another competition with fewer units for each match.",
            Reason.TOO_MANY,
        )


MOST_UNITS: Final = 10_000
MOST_PLANNED: Final = 10_000
"""How many units a competition has at most in all: how it stands is counted anew from all of them."""


def _require_bot(bot: str) -> None:
    if bot not in HOUSE_BOTS:
        raise TableError(
            f"There is no house bot {bot[:40]!r}: {', '.join(HOUSE_BOTS)} are. A bot of one's own connects"
            " and enters by itself.",
            Reason.UNKNOWN_BOT,
        )
