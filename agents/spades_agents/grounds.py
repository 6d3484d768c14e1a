"""Why a bot chose what it chose: a code and its facts, and the sentence that they make."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from spades import Card, Seat, Suit
from spades.actions import Action


class Why(Enum):
    """The grounds of a choice; the value is a clause in which the facts have their places."""

    # Any choice.
    ONLY_CHOICE = "there is nothing else that you may do"

    # Bids.
    HAND_IS_WORTH = "your hand is worth about {number} tricks"
    BEST_CARD = "{card} should take a trick"
    BEST_CARDS = "{cards} should each take a trick"
    NIL_HOLDS = "a nil with these cards should hold about {number} times in a hundred"
    NIL_TOO_RISKY = "a nil with these cards would hold only about {number} times in a hundred"
    SURE_TRICK = "{card} wins whatever it is played to, so a nil would fail"
    PARTNER_BID_NIL = "your partner has bid nil and takes no tricks, so the contract is yours alone"
    NO_SECOND_NIL = "your partner has bid nil already, and two nils cannot cover each other"
    TABLE_IS_HIGH = (
        "the bids come to {number} with such a hand, so somebody falls short: shade yours"
    )
    TABLE_IS_LOW = "the bids come to {number} only, so there are tricks to be had"
    BAGS_ARE_HIGH = "your side has {number} bags: bid a trick more rather than collect spare ones"
    BAGS_ARE_FREE = "bags cost nothing at this table, so there is no hurry to bid them"
    ENOUGH_TO_WIN = "a contract of {number} is enough to win the match"
    OTHERS_ABOUT_TO_WIN = "the others are about to win the match, so it is time for a risk"
    DOUBLE_NIL_PAYS = "a second nil is paid extra at this table"
    TEAM_MINIMUM = "your side must bid {number} together"
    FAR_BEHIND = "your side is {number} points behind, and only a big score catches up"
    LOOK_FIRST = "a blind nil holds too seldom: look at your cards"

    # Passing cards.
    PASS_DANGEROUS = "{cards} are the cards most likely to take a trick from you"
    PASS_HARMLESS = "{cards} are low cards that help a nil to stay below"

    # A nil of one's own.
    NIL_LEADS_LOW = "{card} is the lead that is least likely to win"
    NIL_STAYS_UNDER = "{card} is the highest card of yours that stays below {other}"
    NIL_SHEDS = "{card} is the card that is most likely to be caught later, and it cannot win now"
    NIL_HOPES = "you cannot stay below: {card} leaves the best chance that somebody beats it"
    NIL_IS_LOST = "you must win this trick, so use the most dangerous card"

    # The nils of others.
    COVER_OVERTAKES = "your partner's nil is winning the trick and {card} takes it over"
    COVER_PLAYS_HIGH = (
        "your partner has bid nil and is still to play: {card} makes it easy to stay below"
    )
    COVER_KEEPS = "your partner's nil is safe on this trick: keep the cards that can save it later"
    NIL_BREAKS = "{seat} has bid nil and is winning with {other}: leave the trick there"
    NIL_HUNT = "{seat} has bid nil and may be left with the trick if you play low"

    # Tricks that are wanted.
    CASHES = "{card} is the highest of its suit that is left: cash it before somebody can ruff"
    DRAWS_SPADES = "{card} draws the spades that are out ({number} of them)"
    TOP_CARD = "{card} has the best chance of yours to win now"
    LEADS_FOR_PARTNER = "your partner is out of {suit} and can ruff"
    SHORT_SUIT = "you are short of {suit}: soon you can ruff it"
    LEADS_LOW = "{card} gives little away and keeps your high cards"
    CHEAPEST_WINNER = "you play last, and {card} is the cheapest card that wins"
    THIRD_HAND_HIGH = "third hand plays high: {card} wins or forces a higher card out"
    SECOND_HAND_LOW = "second hand plays low: your partner plays after you and your high cards keep"
    WINS_NOW = "{card} beats {other} and will hardly be beaten"
    BEATS_FOR_NOW = "{card} beats {other} as the trick lies, and costs little"
    RUFFS = "you have none of the suit led, and {card} is enough of a spade"
    PARTNER_WINS = "your partner is winning with {other}: save your good cards"
    CANNOT_WIN = "you cannot win this trick, and {card} is the card that you miss least"
    NOT_WORTH_IT = "the trick is not worth a better card than {card}"

    # Tricks that nobody wants.
    DUCKS = "{card} is the highest card of yours that should lose"
    BIG_ONE = "you win this trick anyway: use the big card, so that it takes no other"
    LEADS_TO_LOSE = "{card} is the lead that is most likely to lose"

    # How the hand stands.
    NEEDS_TRICKS = "your side needs {number} of the {left} tricks that are left"
    CONTRACT_SAFE = "your contract is safe, and another trick would be a bag: you have {number}"
    LAST_BAG = "one more bag costs the penalty: you have {number}"
    CAN_SET = "the others need {number} of the {left} tricks that are left, and can be set"
    WINS_MATCH = "making the contract wins the match"
    LOSES_MATCH = "the others win the match if they make their contract"


@dataclass(frozen=True, slots=True)
class Ground:
    """One ground of a choice, with the facts that it rests on.

    >>> Ground(Why.CHEAPEST_WINNER, card=Card("6S")).in_words(Seat.SOUTH)
    'you play last, and 6S is the cheapest card that wins'
    """

    why: Why
    card: Card | None = None
    other: Card | None = None
    """A second card: one on the table."""
    cards: tuple[Card, ...] = ()
    suit: Suit | None = None
    seat: Seat | None = None
    number: float | None = None
    left: int | None = None

    def in_words(self, viewer: Seat) -> str:
        """The ground as a clause without a full stop, said to the player of a seat."""
        seat = "" if self.seat is None else _name(self.seat, viewer)
        number = "" if self.number is None else f"{self.number:g}"
        return self.why.value.format(
            card=self.card,
            other=self.other,
            cards=" and ".join(map(str, self.cards)),
            suit=self.suit,
            seat=seat,
            number=number,
            left=self.left,
        )


def _name(seat: Seat, viewer: Seat) -> str:
    if seat is viewer:
        return "you"
    return "your partner" if seat is viewer.partner else str(seat)


@dataclass(frozen=True, slots=True)
class Advice:
    """A choice and why it is one."""

    seat: Seat
    action: Action
    reasons: tuple[Ground, ...]
    """The grounds, the weightiest first; at least one."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """The grounds in words, each a clause without a full stop, said to the player."""
        return tuple(ground.in_words(self.seat) for ground in self.reasons)
