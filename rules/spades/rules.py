"""The options of the game and the presets that set them (rules.md 6)."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import Enum
from typing import Final

from spades.cards import Deck
from spades.errors import OptionError, Reason


class FirstDealer(Enum):
    """Who deals the first hand of a match (rules.md 1.3)."""

    EAST = "east"
    RANDOM = "random"


class BlindNil(Enum):
    """Whether a side that trails may bid nil before looking (rules.md 2.5)."""

    OFF = "off"
    BEHIND = "behind"


class SpadeLead(Enum):
    """When a spade may be led (rules.md 3.4)."""

    BROKEN = "broken"
    ANY = "any"


class DoubleNil(Enum):
    """What two made nils of one side are worth (rules.md 4.3)."""

    OFF = "off"
    BONUS = "bonus"
    WINS = "wins"


class UndoRule(Enum):
    """Who may take back the last card (rules.md 5.5)."""

    OFF = "off"
    SOLO = "solo"
    ON = "on"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Every option of a match; a preset is only a starting point.

    >>> Rules(target=250).floor
    -200

    :raises OptionError: if an option is out of range or contradicts another.
    """

    target: int = 500
    """A side with this many points or more ends the match (5.1)."""
    floor: int | None = -200
    """A side with this many points or fewer ends the match; ``None`` plays without (5.1, 5.2)."""
    deck: Deck = Deck.STANDARD
    """The 52 cards and their order (1.4)."""
    first_dealer: FirstDealer = FirstDealer.EAST
    """Who deals the first hand (1.3)."""
    spade_lead: SpadeLead = SpadeLead.BROKEN
    """When a spade may be led (3.4)."""
    blind_nil: BlindNil = BlindNil.OFF
    """Whether blind nil may be bid (2.5)."""
    blind_nil_deficit: int = 100
    """How many points a side must trail by to bid blind nil (2.5)."""
    blind_exchange: int = 0
    """How many cards a blind-nil bidder and the partner exchange: 0 or 2 (2.6)."""
    min_team_bid: int = 0
    """The least sum of a side's bids, 0 or 4; a side with a nil is exempt (2.4)."""
    bag_limit: int = 10
    """How many bags cost a penalty (4.4)."""
    bag_penalty: int = 100
    """What each full ``bag_limit`` of bags costs; 0 plays without (4.4)."""
    nil_value: int = 100
    """What a nil wins or loses (4.2)."""
    blind_nil_value: int = 200
    """What a blind nil wins or loses (4.2)."""
    double_nil: DoubleNil = DoubleNil.OFF
    """What two made nils of a side are worth (4.3)."""
    double_nil_value: int = 400
    """The points of both nils together under ``double_nil=bonus`` (4.3)."""
    max_hands: int = 0
    """The match ends after this many hands; 0 for no limit (5.7)."""
    undo: UndoRule = UndoRule.SOLO
    """Who may take back the last card (5.5)."""
    next_hand_wait: int = 30
    """After how many seconds the next hand is dealt unasked (5.6)."""

    def __post_init__(self) -> None:
        for name, (low, high) in _RANGES.items():
            value = getattr(self, name)
            if value is not None and not low <= value <= high:
                raise OptionError(
                    f"{name}={value} is out of range: {low} to {high} are allowed.",
                    Reason.INVALID_OPTION,
                )
        for name, allowed in _CHOICES.items():
            value = getattr(self, name)
            if value not in allowed:
                raise OptionError(
                    f"{name}={value} is not possible: {allowed[0]} and {allowed[1]} are.",
                    Reason.INVALID_OPTION,
                )
        if self.blind_exchange and self.blind_nil is BlindNil.OFF:
            raise OptionError(
                f"blind_exchange={self.blind_exchange} contradicts blind_nil=off:"
                " without blind nil nobody exchanges cards.",
                Reason.INVALID_OPTION,
            )


_RANGES: Final[dict[str, tuple[int, int]]] = {
    "target": (10, 10_000),
    "floor": (-10_000, -1),
    "blind_nil_deficit": (0, 10_000),
    "bag_limit": (1, 1_000),
    "bag_penalty": (0, 10_000),
    "nil_value": (0, 10_000),
    "blind_nil_value": (0, 10_000),
    "double_nil_value": (0, 10_000),
    "max_hands": (0, 10_000),
    "next_hand_wait": (0, 3_600),
}
_CHOICES: Final[dict[str, tuple[int, int]]] = {"blind_exchange": (0, 2), "min_team_bid": (0, 4)}

PRESETS: Final[dict[str, Rules]] = {
    "classic": Rules(),
    "quick": Rules(target=250),
    "larch": Rules(floor=None),
    "karty": Rules(floor=None, first_dealer=FirstDealer.RANDOM),
    "jokers": Rules(deck=Deck.JOKERS, spade_lead=SpadeLead.ANY, first_dealer=FirstDealer.RANDOM),
    "nyc": Rules(deck=Deck.JOKERS_NYC, spade_lead=SpadeLead.ANY, first_dealer=FirstDealer.RANDOM),
}
"""The presets of rules.md 6 by name."""


def option_names() -> tuple[str, ...]:
    """Names every option, in the order of :class:`Rules`."""
    return tuple(field.name for field in fields(Rules))


def with_option(rules: Rules, name: str, text: str) -> Rules:
    """Sets one option from its text; numbers, the words of the enums and ``none`` are read.

    >>> with_option(PRESETS["larch"], "spade_lead", "any").spade_lead
    <SpadeLead.ANY: 'any'>

    :raises OptionError: if there is no such option, or the text is none of its values.
    """
    if name not in option_names():
        raise OptionError(
            f"There is no option {name!r}: {', '.join(option_names())} are options.",
            Reason.INVALID_OPTION,
        )
    default = getattr(PRESETS["classic"], name)
    word = text.strip().lower()
    value: Enum | int | None
    if isinstance(default, Enum):
        kind = type(default)
        words = [str(member.value) for member in kind]
        if word not in words:
            raise OptionError(
                f"{name}={text} is not possible: {', '.join(words)} are.", Reason.INVALID_OPTION
            )
        value = kind(word)
    elif name == "floor" and word == "none":
        value = None
    else:
        try:
            value = int(word)
        except ValueError:
            raise OptionError(
                f"{name}={text} is not possible: {name} is a whole number.", Reason.INVALID_OPTION
            ) from None
    return replace(rules, **{name: value})  # type: ignore[arg-type]  # checked just above


def parse_rules(text: str) -> Rules:
    """Reads a preset and options, parted by commas: ``"quick,target=300,floor=none"``.

    >>> parse_rules("larch, blind_nil=behind, blind_exchange=2").blind_exchange
    2

    :raises OptionError: naming the word that is wrong.
    """
    rules = PRESETS["classic"]
    pending: list[tuple[str, str]] = []
    for position, word in enumerate(part.strip() for part in text.split(",") if part.strip()):
        name, equals, value = (piece.strip() for piece in word.partition("="))
        if equals:
            pending.append((name, value))
        elif position == 0 and name.lower() in PRESETS:
            rules = PRESETS[name.lower()]
        else:
            raise OptionError(
                f"{word!r} is neither a preset nor an option: {', '.join(PRESETS)} are presets,"
                " and an option is written name=value.",
                Reason.INVALID_OPTION,
            )
    return with_options(rules, pending)


def with_options(rules: Rules, options: list[tuple[str, str]]) -> Rules:
    """Sets several options at once, in any order, as long as the end result is consistent.

    :raises OptionError: naming the option that is wrong.
    """
    # `blind_exchange` contradicts `blind_nil=off`: the options that open a choice come first.
    for name, value in sorted(options, key=lambda option: option[0] != "blind_nil"):
        if name == "blind_nil" and value.strip().lower() == "off" and rules.blind_exchange:
            rules = replace(rules, blind_exchange=0)
        rules = with_option(rules, name, value)
    return rules


def format_option(rules: Rules, name: str) -> str:
    """Writes the value of one option, so that :func:`with_option` reads it back."""
    value = getattr(rules, name)
    if value is None:
        return "none"
    return str(value.value) if isinstance(value, Enum) else str(value)


def format_rules(rules: Rules) -> str:
    """Writes rules as the nearest preset and the options that differ from it.

    >>> format_rules(Rules(target=300))
    'classic,target=300'
    """
    written: list[tuple[int, str]] = []
    for name, preset in PRESETS.items():
        differing = [
            f"{option}={format_option(rules, option)}"
            for option in option_names()
            if getattr(rules, option) != getattr(preset, option)
        ]
        written.append((len(differing), ",".join([name, *differing])))
    return min(written, key=lambda option: option[0])[1]
