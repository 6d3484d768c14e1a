"""What the player is asked for: a line of text, and the panels of the bidding."""

from __future__ import annotations

from spades import DecisionKind, Look, MakeBid, SeatView, contract, quick_count
from spades_client.asks import Ask
from spades_client.phrases import bid_words, does, people
from spades_client.screen.canvas import Click, Piece, Row, clip, literal, pad
from spades_client.screen.interface import Context, Interface, Sight, context_of
from spades_client.screen.looks import Glyphs
from spades_client.screen.moves import bid_of
from spades_client.screen.plates import bid_sum, match_of


def prompt(sight: Sight, interface: Interface, glyphs: Glyphs) -> Row:
    """The line that says what is asked for now."""
    if sight.lost_s is not None:
        text = f"The line is lost: trying to come back for {sight.lost_s} s. Your cards stay."
        return (Piece(text, "notice"),)
    if sight.sending is not None:
        return (Piece("Sending...", "prompt"),)
    if sight.replayed:
        return (Piece(_waiting_words(sight), "log"),)
    match context_of(sight, interface):
        case Context.BLIND:
            look, blind = ("", ">") if interface.blind else (">", "")
            hint = sight.hint.action if sight.hint is not None else None
            marks = [glyphs.hinted * isinstance(hint, kind) for kind in (Look, MakeBid)]
            return (
                Piece("Face down: "),
                Piece(f"{look} look{marks[0]} ", "chosen" if look else "plate", Click(key="k")),
                Piece("  "),
                Piece(
                    f"{blind} blind nil{marks[1]} ",
                    "chosen" if blind else "plate",
                    Click(key="z"),
                ),
            )
        case Context.BID:
            return (Piece(_bid_words(sight, interface), "prompt"),)
        case Context.PASS:
            return (Piece(_pass_words(sight, interface), "prompt"),)
        case Context.PLAY:
            return (Piece(_play_words(sight, interface, glyphs), "prompt"),)
        case Context.STAND_IN:
            return (Piece("A house bot plays for you: Enter takes your seat back.", "notice"),)
        case Context.BETWEEN:
            ready = sight.ask is Ask.NEXT_HAND
            wait = match_of(sight)[1].rules.next_hand_wait
            words = "N deals the next hand." if ready else "Waiting for the next hand."
            if ready and not sight.solo:
                words = f"N asks for the next hand; after {wait} s it is dealt unasked."
            return (Piece(words, "prompt"),)
        case Context.OVER:
            host = "N plays a rematch" if sight.is_host else "The host may start a rematch"
            return (Piece(f"{host}; Q leaves.", "prompt"),)
        case _:
            watching = "You watch. " if sight.state.seat is None else ""
            return (Piece(watching + _waiting_words(sight), "log"),)


def _quick(view: SeatView) -> int:
    return quick_count(view.hand, view.rules.deck)


def _view(sight: Sight) -> SeatView:
    view = sight.state.view
    assert view is not None, "a seat is asked"
    return view


def _bid_words(sight: Sight, interface: Interface) -> str:
    view = _view(sight)
    bid = bid_of(view, interface)
    said = "nil" if bid == 0 else str(bid)
    return f"Your bid: {said}. B bids it; quick count {_quick(view)}."


def _pass_words(sight: Sight, interface: Interface) -> str:
    view = _view(sight)
    table, _ = match_of(sight)
    partner = literal(people(table, view.seat.partner, view.seat))
    picked = len(interface.picked)
    if picked == view.pass_count:
        return f"P passes {picked} cards to {partner}."
    return f"Pick {view.pass_count} cards for {partner}; {picked} picked."


def _play_words(sight: Sight, interface: Interface, glyphs: Glyphs) -> str:
    view = _view(sight)
    if interface.picked:
        card = next(iter(interface.picked))
        return f"{glyphs.card(card)} is picked: once more plays it."
    number, all_of = len(view.legal_plays), len(view.hand)
    lead = "You lead" if not view.trick else "Your card"
    which = "any card" if number == all_of else f"{number} of {all_of} cards may be played"
    return f"{lead}: {which}."


def _waiting_words(sight: Sight) -> str:
    table, match = match_of(sight)
    if sight.holding and match.tricks:
        return (
            f"{literal(does(table, match.tricks[-1].winner, sight.state.seat, 'win'))} the trick."
        )
    if match.turn is None:
        return ""
    who = literal(people(table, match.turn, sight.state.seat))
    kind = match.decision
    verb = {DecisionKind.BID: "bid", DecisionKind.PASS_CARDS: "pass", DecisionKind.PLAY: "play"}
    return f"{who} is to {verb[kind]}." if kind is not None and who != "You" else "Your turn."


def _hinted_bid(sight: Sight) -> str:
    bid = sight.hint.bid if sight.hint is not None else None
    return "" if bid is None else f", hint {bid or 'nil'}"


def bid_panel(sight: Sight, interface: Interface, glyphs: Glyphs) -> list[Row]:
    """The box in which a bid is made: the number, the quick count, the partner's bid and the sum."""
    view = _view(sight)
    table, match = match_of(sight)
    a, b, c, d, dash, bar = glyphs.frame
    inner = 28
    bid = bid_of(view, interface)
    partner = match.bids[view.seat.partner]
    own = literal(people(table, view.seat.partner, view.seat))
    together = ""
    if partner is not None:
        together = f", together {contract([partner]) + bid}"
    said = f": {bid_words(partner)}{together}"
    so_far = bid_sum(sight)
    nil = view.rules.nil_value
    lines: list[Row] = [
        (
            Piece("     ", "panel"),
            Piece(" - ", "key", Click(key="-")),
            Piece(f"{'nil' if bid == 0 else bid:^12}", "title"),
            Piece(" + ", "key", Click(key="+")),
            Piece("     ", "panel"),
        ),
        (Piece(pad(f" quick count {_quick(view)}{_hinted_bid(sight)}", inner), "panel"),),
        (Piece(pad(f" {clip(own, inner - 1 - len(said))}{said}", inner), "panel"),),
        (Piece(pad(f" {so_far[0].upper()}{so_far[1:]}", inner), "panel"),),
        (
            Piece(" ", "panel"),
            Piece(" B ", "key", Click(key="b")),
            Piece(pad(" bid it", 11), "panel", Click(key="b")),
            Piece(" 0 ", "key", Click(key="0")),
            Piece(pad(f" nil {nil:+d}", 10), "panel", Click(key="0")),
        ),
    ]
    title = f"{dash} Your bid "
    return [
        (Piece(a + title + dash * (inner - len(title)) + b, "title"),),
        *((Piece(bar, "title"), *line, Piece(bar, "title")) for line in lines),
        (Piece(d + dash * inner + c, "title"),),
    ]
