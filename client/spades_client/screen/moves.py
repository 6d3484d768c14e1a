"""From a key to what it changes: pure, so that every key can be tried without a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from spades import (
    BLIND_NIL,
    Bid,
    Card,
    Look,
    MakeBid,
    NextHand,
    PassCards,
    Play,
    SeatView,
    Surrender,
    Undo,
)
from spades_client.asks import Ask, offered_bid
from spades_client.phrases import people
from spades_client.screen.choices import BotsAt, Choice, choices, free_seats
from spades_client.screen.cursor import cursor_of, move_cursor
from spades_client.screen.effects import Change, Effect, Order, SeatBots
from spades_client.screen.interface import Context, Interface, Panel, Sight, context_of
from spades_client.screen.keymap import Intent, intent_of
from spades_client.settings import Settings
from spades_proto.table import Courtesy, TakeSeatBack


@dataclass(frozen=True, slots=True)
class Step:
    """What a key came to."""

    interface: Interface
    effect: Effect | None = None


def bid_of(view: SeatView, interface: Interface) -> int:
    """The bid that is shown: the player's, else the quick count (rules.md 8)."""
    return interface.bid if interface.bid is not None else offered_bid(view)


def press(key: str, sight: Sight, interface: Interface, settings: Settings) -> Step:
    """Does what a key means now; a key without a meaning changes nothing."""
    context = context_of(sight, interface)
    intent = intent_of(key, context)
    if intent is None:
        return Step(interface)
    if context is Context.PANEL:
        return _in_panel(key, intent, sight, interface, settings)
    interface = replace(interface, notice="")
    if intent is not Intent.DIGIT:
        interface = replace(interface, digits="")
    if intent in _PANELS:
        return Step(replace(interface, panel=_PANELS[intent], row=0))
    if intent in _ORDERS:
        return Step(interface, _ORDERS[intent])
    match intent:
        case Intent.QUIT:
            return Step(replace(interface, panel=Panel.LEAVE, row=0))
        case Intent.BOTS:
            return _bots(sight, interface)
        case Intent.COMMAND:
            return Step(replace(interface, command=True))
        case Intent.UP | Intent.DOWN:
            return Step(_scrolled(interface, intent))
        case Intent.TAKE if context is Context.WATCH and sight.holding:
            return Step(interface, Order.GO_ON)
        case _:
            pass
    if sight.state.seat is None:
        return Step(replace(interface, notice="You only watch this table."))
    return _play(intent, key, sight, interface, settings, context)


def _bots(sight: Sight, interface: Interface) -> Step:
    free = free_seats(sight)
    if not sight.is_host or not free:
        why = "All seats are taken." if sight.is_host else "Only the host seats house bots."
        return Step(replace(interface, notice=why))
    panel = Panel.BOT_SEATS if len(free) > 1 else Panel.BOT_LEVELS
    return Step(replace(interface, panel=panel, row=0, bot_seat=None))


_ORDERS: Mapping[Intent, Effect | None] = {
    Intent.MOUSE: Change("mouse"),
    Intent.COLOURS: Change("colours"),
    Intent.START: Order.START,
    Intent.HINT: Order.HINT,
    Intent.BACK: TakeSeatBack(),
    Intent.LEAVE: Order.LEAVE,
    # The skin draws anew.
    Intent.REDRAW: None,
}
_PANELS = {
    Intent.SHEET: Panel.SHEET,
    Intent.LAST_TRICK: Panel.LAST_TRICK,
    Intent.HELP: Panel.HELP,
    Intent.TABLE: Panel.TABLE,
    Intent.MENU: Panel.MENU,
    Intent.SAY: Panel.SAY,
}


def _play(
    intent: Intent,
    key: str,
    sight: Sight,
    interface: Interface,
    settings: Settings,
    context: Context,
) -> Step:
    view = sight.state.view
    if view is None:
        return Step(interface)
    if intent is Intent.UNDO:
        return Step(interface, Undo())
    if intent is Intent.NEXT:
        if sight.ask is Ask.NEXT_HAND:
            return Step(interface, NextHand())
        return Step(replace(interface, notice="You are ready; the others are not yet."))
    if context is Context.BLIND:
        return _choose_blind(intent, interface)
    if context is Context.BID:
        return _bid(intent, key, view, interface)
    moved = move_cursor(intent, sight, view, interface)
    if moved is not None:
        return Step(moved)
    if context is Context.WATCH:
        return Step(replace(interface, notice=_whose_turn(sight)))
    card = cursor_of(sight, interface)
    if intent is Intent.LESS:
        return Step(replace(interface, picked=interface.picked - {card} if card else frozenset()))
    if intent is Intent.PASS:
        return _pass(view, interface)
    return Step(interface) if card is None else touch(card, sight, interface, settings)


def _whose_turn(sight: Sight) -> str:
    table = sight.state.table
    if sight.sending is not None:
        return "Your last move is still on its way."
    if table is None or table.match is None or table.match.turn is None:
        return "Nothing is asked of you now."
    return f"It is {people(table, table.match.turn, sight.state.seat)}'s turn."


def touch(card: Card, sight: Sight, interface: Interface, settings: Settings) -> Step:
    """Picks a card, or plays one that is picked; for a click and for a key."""
    context = context_of(sight, interface)
    view = sight.state.view
    if view is None or card not in view.hand:
        return Step(interface)
    interface = replace(interface, cursor=card, notice="")
    if context is Context.PASS:
        return _pick_to_pass(card, view, interface)
    if context is not Context.PLAY:
        notice = "" if sight.holding else _whose_turn(sight)
        return Step(replace(interface, notice=notice), Order.GO_ON if sight.holding else None)
    if settings.one_press or card in interface.picked or card not in view.legal_plays:
        # Why a card cannot be played is for the server to say: it judges, the client shows.
        return Step(replace(interface, picked=frozenset()), Play(card))
    return Step(replace(interface, picked=frozenset({card})))


def _pick_to_pass(card: Card, view: SeatView, interface: Interface) -> Step:
    if card in interface.picked:
        return Step(replace(interface, picked=interface.picked - {card}))
    if len(interface.picked) >= view.pass_count:
        notice = f"{view.pass_count} are picked: P passes them, or lay one down first."
        return Step(replace(interface, notice=notice))
    return Step(replace(interface, picked=interface.picked | {card}))


def _pass(view: SeatView, interface: Interface) -> Step:
    if len(interface.picked) != view.pass_count:
        picked = len(interface.picked)
        verb = "is" if picked == 1 else "are"
        notice = f"Pick {view.pass_count} cards to pass; {picked} {verb} picked."
        return Step(replace(interface, notice=notice))
    cards = tuple(card for card in view.hand if card in interface.picked)
    return Step(interface, PassCards(cards))


def _choose_blind(intent: Intent, interface: Interface) -> Step:
    match intent:
        case Intent.MORE:
            return Step(replace(interface, blind=not interface.blind))
        case Intent.BLIND:
            return Step(replace(interface, blind=True))
        case Intent.LOOK:
            return Step(replace(interface, blind=False))
        case _:
            return Step(interface, MakeBid(BLIND_NIL) if interface.blind else Look())


def _bid(intent: Intent, key: str, view: SeatView, interface: Interface) -> Step:
    legal = sorted(bid.tricks for bid in view.legal_bids if not bid.blind)
    now = bid_of(view, interface)
    match intent:
        case Intent.MORE:
            above = [tricks for tricks in legal if tricks > now]
            return Step(replace(interface, bid=above[0] if above else now))
        case Intent.LESS:
            below = [tricks for tricks in legal if tricks < now]
            return Step(replace(interface, bid=below[-1] if below else now))
        case Intent.DIGIT:
            return _digit(key, legal, interface)
        case _:
            return Step(interface, MakeBid(Bid(now)))


def _digit(key: str, legal: Sequence[int], interface: Interface) -> Step:
    typed = interface.digits + key
    number = int(typed)
    if number not in legal:
        typed, number = key, int(key)
    if number not in legal:
        few = f"{legal[0]} to {legal[-1]}"
        return Step(replace(interface, digits="", notice=f"{number} cannot be bid: {few} can."))
    return Step(replace(interface, bid=number, digits=typed if typed == "1" else ""))


# In a panel.


def _scrolled(interface: Interface, intent: Intent) -> Interface:
    return replace(interface, row=max(interface.row + _STEPS[intent], 0))


_STEPS = {
    Intent.UP: -1,
    Intent.DOWN: 1,
    Intent.PAGE_UP: -10,
    Intent.PAGE_DOWN: 10,
    Intent.TOP: -10_000,
    Intent.BOTTOM: 10_000,
}
_TURNED = {
    Intent.UP: Intent.DOWN,
    Intent.DOWN: Intent.UP,
    Intent.PAGE_UP: Intent.PAGE_DOWN,
    Intent.PAGE_DOWN: Intent.PAGE_UP,
    Intent.TOP: Intent.BOTTOM,
    Intent.BOTTOM: Intent.TOP,
}
_AGAIN = ("q", "c-d")
"""The keys that leave when they are pressed again."""


def _in_panel(
    key: str, intent: Intent, sight: Sight, interface: Interface, settings: Settings
) -> Step:
    panel = interface.panel
    assert panel is not None, "keys mean this in a panel only"
    if panel is Panel.LEAVE and key in _AGAIN:
        return Step(replace(interface, panel=None, row=0), Order.LEAVE)
    if intent is Intent.CLOSE:
        return Step(replace(interface, panel=None, row=0))
    if intent in _ORDERS:
        return Step(interface, _ORDERS[intent])
    listed = choices(panel, sight, settings)
    changes = panel is Panel.SETTINGS and key in ("left", "right")
    if intent is Intent.ENTER or changes:
        if key == "c-d":
            return Step(replace(interface, panel=Panel.LEAVE, row=0))
        if not listed:
            return Step(replace(interface, panel=None, row=0))
        return _take(listed[min(interface.row, len(listed) - 1)], interface)
    if panel is Panel.LAST_TRICK and key != "l":
        # The panel counts back from the last trick: up is earlier, and so is L.
        intent = _TURNED[intent]
    moved = _scrolled(interface, intent)
    return Step(replace(moved, row=min(moved.row, len(listed) - 1)) if listed else moved)


def _take(choice: Choice, interface: Interface) -> Step:
    closed = replace(interface, panel=None, row=0)
    match choice.takes:
        case Panel():
            return Step(replace(interface, panel=choice.takes, row=0))
        case BotsAt(seat):
            return Step(replace(interface, panel=Panel.BOT_LEVELS, row=0, bot_seat=seat))
        case SeatBots(level):
            return Step(closed, SeatBots(level, interface.bot_seat))
        case Courtesy() | Surrender() | Order():
            return Step(closed, choice.takes)
        case str():
            return Step(interface, Change(choice.takes))
        case None:
            return Step(closed)
