"""What a player types: words that may be shortened as long as they stay unique."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import Final

from spades import (
    BLIND_NIL,
    NIL,
    Bid,
    Look,
    MakeBid,
    NextHand,
    NotationError,
    PassCards,
    Play,
    Reason,
    Surrender,
    Undo,
    parse_bid,
    parse_card,
    parse_cards,
)
from spades_proto.frames import Deed
from spades_proto.table import Courtesy, TakeSeatBack


class Word(Enum):
    """Every word of the line client, with what it does: the help is made of this."""

    BID = ("bid", "bid N: bid N tricks; a number alone does it too")
    NIL = ("nil", "bid nil")
    BLIND = ("blind", "bid blind nil, while your cards are face down")
    LOOK = ("look", "look at your cards and give up blind nil")
    PASS = ("pass", "pass 2C 3D: pass cards to your partner")
    PLAY = ("play", "play QS: play a card; the card alone does it too")
    UNDO = ("undo", "take your last card back, while nobody has followed it")
    NEXT = ("next", "ask for the next hand; an empty line does it too")
    SURRENDER = ("surrender", "propose that your side gives up, or agree to it")
    SAY = ("say", "say thanks, well, luck or sorry: a courtesy between hands")
    HINT = ("hint", "what sharp would do, and why; again: the next reason. h does it too")
    HAND = ("hand", "your cards")
    TRICK = ("trick", "the trick on the table, and whose turn it is")
    LAST = ("last", "the last trick; last 3: the third trick of the hand")
    BIDS = ("bids", "all bids and tricks taken")
    SCORE = ("score", "totals and bags")
    SHEET = ("sheet", "the score of every hand so far")
    WHO = ("who", "who sits where")
    RULES = ("rules", "the rules in force")
    BACK = ("back", "take your seat back from the bot that plays it; an empty line does it too")
    CLOCK = ("clock", "how much time is left")
    AGAIN = ("again", "where everything stands; after a match: a rematch")
    BOTS = (
        "bots",
        "the levels of house bots; bots gentle: at all empty seats; bots gentle North: at one",
    )
    START = ("start", "start the match (for the host)")
    HELP = ("help", "this list")
    QUIT = ("quit", "leave the table; in a match your seat stays yours")

    @property
    def text(self) -> str:
        """The word itself."""
        return self.value[0]

    @property
    def help(self) -> str:
        """What it does."""
        return self.value[1]


@dataclass(frozen=True, slots=True)
class Typed:
    """A line that was understood: a word with its argument, or an action for the table."""

    word: Word
    argument: str = ""
    deed: Deed | None = None


_NUMBER: Final = re.compile(r"(-?)0*([0-9]+)")
_COURTESIES: Final = {
    "thanks": Courtesy.THANK_YOU,
    "thank": Courtesy.THANK_YOU,
    "well": Courtesy.WELL_PLAYED,
    "luck": Courtesy.GOOD_LUCK,
    "good": Courtesy.GOOD_LUCK,
    "sorry": Courtesy.SORRY,
}
_SIMPLE: Final[dict[Word, Deed]] = {
    Word.BACK: TakeSeatBack(),
    Word.NIL: MakeBid(NIL),
    Word.BLIND: MakeBid(BLIND_NIL),
    Word.LOOK: Look(),
    Word.UNDO: Undo(),
    Word.NEXT: NextHand(),
    Word.SURRENDER: Surrender(),
}


_BARE: Final = {
    Word.BID: "Say what you bid: bid 4, or nil.",
    Word.PLAY: "Say which card you play: play QS.",
    Word.PASS: "Say which cards you pass: pass 2C 3D.",
}
"""What is said of a word that needs another and has none."""

_ALONE: Final = frozenset((*_SIMPLE, Word.QUIT, Word.START, Word.AGAIN, Word.CLOCK, Word.HINT))
"""The words that mean something by themselves and nothing with another word."""

_LETTERS: Final = {"h": Word.HINT}
"""The letters that stand for a word though others begin with them: the keys of the full screen."""


def understand(line: str) -> Typed:
    """Reads a line that is not empty.

    >>> understand("QS").deed, understand("un").deed
    (Play(card=Card('QS')), Undo())

    :raises NotationError: saying what would have been understood.
    """
    text = line.strip()
    number = _NUMBER.fullmatch(text)
    if number is not None:
        # The referee says what is wrong with a number out of range, however long it is.
        return Typed(Word.BID, text, MakeBid(Bid(int(number[1] + number[2][:6]))))
    verb, argument = (*text.split(maxsplit=1), "", "")[:2]
    if not argument and _is_card(verb):
        return Typed(Word.PLAY, verb, Play(parse_card(verb)))
    word = _word(verb)
    return Typed(word, argument.strip(), _deed(word, argument.strip()))


def _deed(word: Word, argument: str) -> Deed | None:
    if word in _ALONE and argument:
        raise NotationError(
            f"{word.text} takes no further word: {argument!r} is not understood.",
            Reason.INVALID_NOTATION,
        )
    if word in _SIMPLE:
        return _SIMPLE[word]
    match word:
        case Word.BID | Word.PLAY | Word.PASS if not argument:
            raise NotationError(_BARE[word], Reason.INVALID_NOTATION)
        case Word.BID:
            return MakeBid(parse_bid(argument))
        case Word.PLAY:
            return Play(parse_card(argument))
        case Word.PASS:
            return PassCards(parse_cards(argument))
        case Word.SAY:
            return _courtesy(argument)
        case _:
            return None


def _word(text: str) -> Word:
    typed = text.lower()
    if typed in _LETTERS:
        return _LETTERS[typed]
    exact = [word for word in Word if word.text == typed]
    found = exact or [word for word in Word if word.text.startswith(typed)]
    if found == [Word.SURRENDER] and typed != Word.SURRENDER.text:
        # It may end the match at once, so a slip of the finger must not be enough.
        raise NotationError("Type the whole word surrender to give up.", Reason.INVALID_NOTATION)
    if len(found) == 1:
        return found[0]
    if found:
        which = " or ".join(word.text for word in found)
        raise NotationError(f"{text!r} could be {which}.", Reason.INVALID_NOTATION)
    raise NotationError(
        f"{text!r} is not understood: type help for the words, or a card such as QS.",
        Reason.INVALID_NOTATION,
    )


def _courtesy(argument: str) -> Courtesy:
    words = argument.lower().split()
    if words and words[0] in _COURTESIES:
        return _COURTESIES[words[0]]
    raise NotationError(
        f"One cannot say {argument!r}: thanks, well, luck and sorry can be said.",
        Reason.INVALID_NOTATION,
    )


def _is_card(text: str) -> bool:
    try:
        parse_card(text)
    except NotationError:
        return False
    return True


def help_lines() -> list[str]:
    """One line for each word."""
    return [f"{word.text}: {word.help}." for word in Word]
