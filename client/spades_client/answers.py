"""Answers to the words that only ask: they say what the state holds and send nothing."""

from __future__ import annotations

from typing import Final

from spades import (
    BlindNil,
    Deck,
    DoubleNil,
    Phase,
    Rules,
    Seat,
    SpadeLead,
    Trick,
    UndoRule,
    format_option,
    option_names,
)
from spades_client.narrate import (
    bids_line,
    hand_sentence,
    score_line,
    situation,
    table_sentences,
    tempo_sentence,
    trick_line,
    who_sits,
)
from spades_client.phrases import (
    does,
    minutes,
    people,
    score_words,
    side_name,
    sides,
    standing_words,
)
from spades_client.state import ClientState
from spades_client.words import Word, help_lines
from spades_proto.table import TableState

GAME: Final = (
    "Four players, two sides; partners sit across. Thirteen cards each; spades are trumps.",
    "Everybody bids once, 0 to 13; 0 is nil, a promise to take no trick.",
    "Follow suit if you can. The highest spade wins the trick, else the highest card led.",
    "A side that takes what it bid scores ten a trick, and one for each trick over, a bag.",
    "A side that falls short loses ten for each trick that it bid.",
)
"""The game in a few sentences."""


def option_sentences(rules: Rules) -> list[str]:
    """What the options in force make of the game, in sentences (rules.md 1 to 5)."""
    told = [
        f"A nil wins or loses {rules.nil_value}; the tricks of one that failed are bags.",
        f"{rules.bag_limit} bags cost {rules.bag_penalty} points."
        if rules.bag_penalty
        else "Bags cost nothing.",
        "Spades may be led once one has been played, or by a hand of nothing but spades."
        if rules.spade_lead is SpadeLead.BROKEN
        else "Spades may be led at any time.",
        f"The match ends when a side has {rules.target} points"
        + ("" if rules.floor is None else f", or has fallen to {rules.floor}")
        + ("." if not rules.max_hands else f", and after {rules.max_hands} hands at the latest."),
    ]
    if rules.blind_nil is not BlindNil.OFF:
        told.append(
            f"A side that trails by {rules.blind_nil_deficit} or more may bid blind nil before it looks,"
            f" for {rules.blind_nil_value}."
        )
    if rules.blind_exchange:
        told.append(f"After a blind nil the partners exchange {rules.blind_exchange} cards.")
    if rules.double_nil is not DoubleNil.OFF:
        worth = "wins the match"
        if rules.double_nil is DoubleNil.BONUS:
            worth = f"is worth {rules.double_nil_value}"
        told.append(f"Two nils of one side that are both made: together that {worth}.")
    if rules.min_team_bid:
        told.append(f"A side bids {rules.min_team_bid} or more together.")
    if rules.deck is not Deck.STANDARD:
        told.append("Two jokers take the place of two cards; they are the highest spades.")
    if rules.undo is UndoRule.OFF:
        return [*told, "A card that was played stays played."]
    who = "everybody" if rules.undo is UndoRule.ON else "whoever plays alone with bots"
    return [*told, f"While no other card has followed, {who} can take the last card back."]


def answer(word: Word, argument: str, state: ClientState) -> list[str] | None:
    """Answers a word that asks for something; ``None`` for a word that does something."""
    table = state.table
    if word is Word.HELP:
        return help_lines()
    if table is None:
        return ["Nothing is known of the table yet."]
    match word:
        case Word.WHO:
            return [who_sits(table, state.seat)]
        case Word.RULES:
            return rules_lines(table)
        case Word.AGAIN:
            return situation(state)
        case Word.HAND | Word.TRICK | Word.LAST | Word.BIDS | Word.SCORE | Word.SHEET:
            return _of_match(word, argument, state, table)
        case _:
            return None


def _of_match(word: Word, argument: str, state: ClientState, table: TableState) -> list[str]:
    match = table.match
    if match is None:
        return ["No match has begun."]
    match word:
        case Word.HAND:
            return hand_sentence(state) or ["A spectator has no hand."]
        case Word.TRICK:
            return [_trick(state, table)]
        case Word.LAST:
            return [_last(argument, state, table)]
        case Word.BIDS:
            return [bids_line(table, state.seat)]
        case Word.SCORE:
            return [score_line(state)]
        case _:
            return sheet_lines(state, table)


def _trick(state: ClientState, table: TableState) -> str:
    match = table.match
    if match is None or match.phase is not Phase.PLAYING:
        return "No trick is being played."
    return trick_line(table, state.seat)


def _last(argument: str, state: ClientState, table: TableState) -> str:
    match = table.match
    tricks = match.tricks if match else ()
    if not tricks:
        return "No trick of this hand is gathered yet."
    if argument and not (argument.isascii() and argument.isdigit()):
        return f"last {argument} is not possible: last, or last with the number of a trick, is."
    number = int(argument[:3]) if argument else len(tricks)
    if not 1 <= number <= len(tricks):
        return f"Trick {number} is not there: 1 to {len(tricks)} are."
    return f"Trick {number}: {trick_words(tricks[number - 1], table, state.seat)}"


def clock_sentence(state: ClientState, now_us: int) -> str:
    """How much time is left, and how much there is."""
    if state.table is None:
        return "Nothing is known of the table yet."
    control = state.table.opened.time_control
    if not control:
        return "This table has no clock."
    given = (
        f"A decision has {control.decision_ms / 1000:g} seconds, and a seat"
        f" {control.bank_ms / 1000:g} more for the whole match."
    )
    clock = state.clock
    if clock is None:
        return f"No clock runs. {given}"
    whose = does(state.table, clock.seat, state.seat, "have")
    if clock.deadline_us is None:
        return f"The clock stands still, since nobody waits. {given}"
    return f"{whose} {minutes((clock.deadline_us - now_us) / 1_000_000)} left. {given}"


def trick_words(trick: Trick, table: TableState, viewer: Seat | None) -> str:
    """A gathered trick, card by card."""
    cards = ", ".join(
        f"{people(table, seat, viewer)} {card.name}"
        for seat, card in zip(trick.leader.clockwise(), trick.cards, strict=True)
    )
    winner = people(table, trick.winner, viewer)
    return f"{cards}; {winner} won it."


def sheet_lines(state: ClientState, table: TableState) -> list[str]:
    """The score of every hand, part by part, and the totals."""
    match = table.match
    assert match is not None, "a sheet belongs to a match"
    lines: list[str] = []
    for scored in match.sheet:
        lines += [
            f"Hand {scored.number}: "
            + score_words(scored, side, scored.scores[side], table, state.seat)
            for side in sides(state.seat)
        ]
    totals = (
        f"{side_name(table, side, state.seat)}: {standing_words(match.standings[side])}"
        for side in sides(state.seat)
    )
    return [*lines, " ".join(totals)]


def rules_lines(table: TableState) -> list[str]:
    """Every option in force, and the game in a few sentences."""
    return [
        *GAME,
        *option_sentences(table.rules),
        *table_sentences(table.opened),
        tempo_sentence(table.opened),
        f"Options: {option_words(table.rules)}.",
    ]


def option_words(rules: Rules) -> str:
    """Every option with its value."""
    return ", ".join(f"{name} {format_option(rules, name)}" for name in option_names())
