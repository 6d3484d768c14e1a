"""Keys and clicks, without a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from spades import (
    BLIND_NIL,
    Bid,
    DecisionKind,
    Look,
    MakeBid,
    NextHand,
    PassCards,
    Phase,
    Play,
    Seat,
    Suit,
    Surrender,
    Undo,
)
from spades_client.asks import Ask, offered_bid
from spades_client.screen.choices import choices
from spades_client.screen.cursor import cursor_of
from spades_client.screen.effects import Change, Order, SeatBots
from spades_client.screen.interface import Context, Interface, Panel, Sight, context_of
from spades_client.screen.keymap import BINDINGS, Intent
from spades_client.screen.moves import Step, press, touch
from spades_client.settings import Settings
from spades_proto.table import Courtesy, SeatStatus, TableStage, TakeSeatBack

SETTINGS = Settings()
Evenings = Callable[..., Sequence[Any]]
LookAt = Callable[..., Sight]
BLIND = "blind_nil=behind,blind_nil_deficit=0,blind_exchange=2,max_hands=2,undo=on"


@pytest.fixture
def sights(evening: Evenings, look: LookAt) -> list[Sight]:
    """Everything that West sees of a match with every option."""
    return [look(step, Seat.WEST) for step in evening(BLIND, "keys", ("Ann", "Bob", "Cyd", "Dan"))]


def first(sights: Sequence[Sight], context: Context) -> Sight:
    return next(one for one in sights if context_of(one, Interface()) is context)


def pressed(keys: Sequence[str], sight: Sight, interface: Interface | None = None) -> Step:
    step = Step(interface or Interface())
    for key in keys:
        step = press(key, sight, step.interface, SETTINGS)
    return step


# Bidding


def test_a_bid_starts_at_the_quick_count_and_b_makes_it(sights: list[Sight]) -> None:
    sight = first(sights, Context.BID)
    view = sight.state.view
    assert view is not None
    assert pressed("b", sight).effect == MakeBid(Bid(offered_bid(view)))


@pytest.mark.parametrize(
    ("keys", "bid"),
    [
        (["0"], 0),
        (["7"], 7),
        (["1"], 1),
        (["1", "3"], 13),
        (["1", "9"], 9),
        (["1", "up", "2"], 2),
        (["5", "up", "+"], 7),
        (["5", "down", "-"], 3),
        (["0", "down"], 0),
        (["1", "3", "up"], 13),
    ],
)
def test_arrows_signs_and_digits_change_the_bid(
    sights: list[Sight], keys: list[str], bid: int
) -> None:
    assert pressed([*keys, "b"], first(sights, Context.BID)).effect == MakeBid(Bid(bid))


def test_the_bid_is_sent_by_b_alone(sights: list[Sight]) -> None:
    sight = first(sights, Context.BID)
    for key in ("enter", "space", "n", "0", "up", "tab"):
        assert pressed([key], sight).effect is None


def test_cards_face_down_are_looked_at_unless_blind_nil_is_chosen(sights: list[Sight]) -> None:
    sight = first(sights, Context.BLIND)
    assert pressed(["enter"], sight).effect == Look()
    assert pressed(["z", "enter"], sight).effect == MakeBid(BLIND_NIL)
    assert pressed(["z", "k", "enter"], sight).effect == Look()
    assert pressed(["right", "enter"], sight).effect == MakeBid(BLIND_NIL)
    assert pressed(["right", "left", "enter"], sight).effect == Look()


# Playing


def test_one_press_picks_a_card_and_another_plays_it(sights: list[Sight]) -> None:
    sight = first(sights, Context.PLAY)
    view = sight.state.view
    assert view is not None
    picked = pressed(["enter"], sight)
    assert picked.effect is None
    assert picked.interface.picked == {view.legal_plays[0]}
    assert pressed(["enter", "space"], sight).effect == Play(view.legal_plays[0])
    assert pressed(["enter", "down"], sight).interface.picked == set()


def test_with_the_setting_one_press_plays(sights: list[Sight]) -> None:
    sight = first(sights, Context.PLAY)
    settings = replace(SETTINGS, one_press=True)
    step = press("space", sight, Interface(), settings)
    assert isinstance(step.effect, Play)


def test_moving_on_lays_down_nothing_and_plays_what_the_cursor_is_on(sights: list[Sight]) -> None:
    sight = first(sights, Context.PLAY)
    view = sight.state.view
    assert view is not None
    step = pressed(["home", "end"], sight)
    assert cursor_of(sight, step.interface) is view.hand[-1]
    step = pressed(["home", "left", "right"], sight)
    assert cursor_of(sight, step.interface) is view.hand[1]


def test_tab_goes_round_the_suits_of_the_hand(sights: list[Sight]) -> None:
    sight = first(sights, Context.PLAY)
    view = sight.state.view
    assert view is not None
    suits = list(dict.fromkeys(map(view.rules.deck.suit_of, view.hand)))
    interface = Interface(cursor=view.hand[0])
    seen: list[Suit] = []
    for _ in suits:
        card = cursor_of(sight, interface)
        assert card is not None
        seen.append(view.rules.deck.suit_of(card))
        interface = press("tab", sight, interface, SETTINGS).interface
    assert seen == suits
    assert cursor_of(sight, interface) is view.hand[0]
    back = press("s-tab", sight, Interface(cursor=view.hand[0]), SETTINGS).interface
    card = cursor_of(sight, back)
    assert card is not None
    assert view.rules.deck.suit_of(card) is suits[-1]


def test_a_card_that_cannot_be_played_is_sent_so_that_the_server_says_why(
    sights: list[Sight],
) -> None:
    for sight in sights:
        view = sight.state.view
        if context_of(sight, Interface()) is not Context.PLAY or view is None:
            continue
        illegal = [card for card in view.hand if card not in view.legal_plays]
        if illegal:
            assert touch(illegal[0], sight, Interface(), SETTINGS).effect == Play(illegal[0])
            return
    pytest.fail("no such card in the match")


def test_a_click_picks_and_another_plays(sights: list[Sight]) -> None:
    sight = next(
        one
        for one in sights
        if context_of(one, Interface()) is Context.PLAY
        and one.state.view is not None
        and len(one.state.view.legal_plays) > 1
    )
    view = sight.state.view
    assert view is not None
    card = view.legal_plays[-1]
    once = touch(card, sight, Interface(), SETTINGS)
    assert once.effect is None
    assert touch(card, sight, once.interface, SETTINGS).effect == Play(card)
    other = touch(view.legal_plays[0], sight, once.interface, SETTINGS)
    assert other.interface.picked == {view.legal_plays[0]}


def test_c10_keys_before_ones_turn_send_nothing_and_pick_nothing(sights: list[Sight]) -> None:
    for sight in sights:
        if context_of(sight, Interface()) is not Context.WATCH:
            continue
        for keys in (["3", "enter"], ["space"], ["5", "enter", "b"], ["enter", "enter"]):
            step = pressed(keys, sight)
            assert step.effect is None
            assert not step.interface.picked
            assert step.interface.bid is None


def test_c10_while_a_full_trick_is_looked_at_a_key_only_goes_on(sights: list[Sight]) -> None:
    sight = replace(first(sights, Context.PLAY), holding=True)
    view = sight.state.view
    assert view is not None
    step = pressed(["enter"], sight)
    assert step == Step(Interface(), Order.GO_ON)
    assert touch(view.hand[0], sight, Interface(), SETTINGS).effect is Order.GO_ON


def test_c09_while_something_is_on_its_way_keys_play_nothing(sights: list[Sight]) -> None:
    sight = first(sights, Context.PLAY)
    view = sight.state.view
    assert view is not None
    waits = replace(sight, ask=Ask.NOTHING, sending=Play(view.hand[0]))
    step = pressed(["enter", "enter"], waits)
    assert step.effect is None
    assert step.interface.notice == "Your last move is still on its way."


# Passing


def test_cards_are_picked_one_by_one_and_p_passes_them(sights: list[Sight]) -> None:
    sight = first(sights, Context.PASS)
    view = sight.state.view
    assert view is not None
    assert view.decision is not None and view.decision.kind is DecisionKind.PASS_CARDS
    one = pressed(["home", "space", "p"], sight)
    assert one.effect is None
    assert one.interface.notice == "Pick 2 cards to pass; 1 is picked."
    two = pressed(["home", "space", "right", "space"], sight)
    assert two.interface.picked == set(view.hand[:2])
    more = pressed(["right", "space"], sight, two.interface)
    assert more.interface.picked == two.interface.picked
    assert more.interface.notice
    assert press("p", sight, two.interface, SETTINGS).effect == PassCards(view.hand[:2])
    down = pressed(["home", "space", "space"], sight)
    assert not down.interface.picked


# Between hands, and at any time


def test_n_asks_for_the_next_hand_and_only_once(sights: list[Sight]) -> None:
    sight = next(
        one for one in sights if one.ask is Ask.NEXT_HAND and one.state.phase is Phase.HAND_OVER
    )
    assert pressed(["n"], sight).effect == NextHand()
    ready = replace(sight, ask=Ask.NOTHING)
    step = pressed(["n"], ready)
    assert step.effect is None
    assert step.interface.notice == "You are ready; the others are not yet."


def test_b_lets_the_host_choose_a_seat_and_a_level_for_it(sights: list[Sight]) -> None:
    waiting = replace(
        first(sights, Context.WAITING), is_host=True, levels=(("one", "First."), ("two", "Second."))
    )
    seats = pressed(["b"], waiting)
    assert (seats.effect, seats.interface.panel) == (None, Panel.BOT_SEATS)
    listed = choices(Panel.BOT_SEATS, waiting, SETTINGS)
    assert [one.text for one in listed] == ["Every free seat", *map(str, Seat)]
    levels = pressed(["b", "enter"], waiting)
    assert levels.interface.panel is Panel.BOT_LEVELS
    told = [(one.text, one.about) for one in choices(Panel.BOT_LEVELS, waiting, SETTINGS)]
    assert told == [("one", "First."), ("two", "Second.")]
    assert pressed(["b", "enter", "down", "enter"], waiting) == Step(
        Interface(), SeatBots("two", None)
    )
    north = pressed(["b", "down", "down", "down", "enter", "enter"], waiting)
    assert north.effect == SeatBots("one", Seat.NORTH)
    again = pressed(["b", "enter", "enter"], waiting, north.interface)
    assert again.effect == SeatBots("one", None)
    assert pressed(["b", "escape"], waiting) == Step(Interface())


def test_b_says_why_nobody_can_be_seated(sights: list[Sight]) -> None:
    waiting = first(sights, Context.WAITING)
    guest = pressed(["b"], replace(waiting, is_host=False))
    assert guest == Step(Interface(notice="Only the host seats house bots."))
    full = next(
        one
        for one in reversed(sights)
        if context_of(one, Interface()) is Context.WAITING
        or (one.state.table is not None and all(s.occupant for s in one.state.table.seats))
    )
    table = full.state.table
    assert table is not None
    open_ = table.copy()
    open_.stage, open_.match = TableStage.OPEN, None
    taken = replace(full, is_host=True, state=replace(full.state, table=open_))
    assert pressed(["b"], taken) == Step(Interface(notice="All seats are taken."))
    free = list(open_.seats)
    free[Seat.NORTH] = SeatStatus()
    open_.seats = tuple(free)
    one_left = replace(taken, levels=(("one", "First."),))
    assert pressed(["b"], one_left).interface.panel is Panel.BOT_LEVELS
    assert pressed(["b", "enter"], one_left).effect == SeatBots("one", None)


def test_h_asks_for_a_hint_at_any_moment_of_a_match_and_changes_nothing(
    sights: list[Sight],
) -> None:
    contexts = set(Context) - {Context.WAITING, Context.PANEL, Context.STAND_IN}
    for context in contexts:
        assert pressed(["h"], first(sights, context)) == Step(Interface(), Order.HINT)
    watched = replace(first(sights, Context.PLAY), ask=Ask.STAND_IN)
    assert pressed(["H"], watched).effect is Order.HINT
    assert pressed(["h"], first(sights, Context.WAITING)) == Step(Interface())


def test_undo_is_asked_of_the_server(sights: list[Sight]) -> None:
    assert pressed(["u"], first(sights, Context.WATCH)).effect == Undo()


@pytest.mark.parametrize(
    ("key", "panel"),
    [
        ("s", Panel.SHEET),
        ("l", Panel.LAST_TRICK),
        ("?", Panel.HELP),
        ("f1", Panel.HELP),
        ("i", Panel.TABLE),
        ("escape", Panel.MENU),
        ("q", Panel.LEAVE),
        ("c-d", Panel.LEAVE),
    ],
)
def test_panels_open_at_any_moment_of_a_hand_and_escape_closes_them(
    sights: list[Sight], key: str, panel: Panel
) -> None:
    for context in (Context.BID, Context.PLAY, Context.WATCH, Context.PASS, Context.BETWEEN):
        sight = first(sights, context)
        step = pressed([key], sight)
        assert step.interface.panel is panel
        assert press("escape", sight, step.interface, SETTINGS).interface.panel is None


def test_leaving_asks_once(sights: list[Sight]) -> None:
    sight = first(sights, Context.PLAY)
    assert pressed(["q"], sight).effect is None
    assert pressed(["q", "q"], sight).effect is Order.LEAVE
    assert pressed(["q", "down", "enter"], sight).effect is Order.LEAVE
    assert pressed(["q", "enter"], sight) == Step(Interface())
    assert pressed(["q", "escape"], sight) == Step(Interface())
    assert pressed(["c-d", "c-d"], sight).effect is Order.LEAVE
    assert pressed(["s", "c-d"], sight).effect is None
    assert pressed(["s", "c-d", "c-d"], sight).effect is Order.LEAVE
    assert pressed(["c-c"], sight).effect is Order.LEAVE
    assert pressed(["s", "c-c"], sight).effect is Order.LEAVE


def test_giving_up_is_in_the_menu_and_asks_once(sights: list[Sight]) -> None:
    sight = first(sights, Context.PLAY)
    menu = pressed(["escape", *["down"] * 7, "enter"], sight)
    assert menu.interface.panel is Panel.SURRENDER
    assert press("enter", sight, menu.interface, SETTINGS) == Step(Interface())
    assert pressed(["down", "enter"], sight, menu.interface).effect == Surrender()


def test_courtesies_are_chosen_from_a_list_between_hands(sights: list[Sight]) -> None:
    sight = first(sights, Context.BETWEEN)
    assert pressed(["a", "down", "enter"], sight).effect is list(Courtesy)[1]
    assert pressed(["a"], first(sights, Context.PLAY)) == Step(Interface())


def test_a_spectator_may_look_and_not_touch(evening: Evenings, look: LookAt) -> None:
    names = ("Ann", "Bob", "Cyd", "Dan")
    for step in evening(BLIND, "keys", names)[::7]:
        sight = look(step, None)
        for key in ("b", "enter", "space", "u", "n", "7", "p"):
            effect = pressed([key], sight).effect
            assert effect is None or effect is Order.START


def test_no_key_leads_nowhere(sights: list[Sight]) -> None:
    """Every binding changes something, does something, or says why not, somewhere in a match."""
    late = replace(first(sights, Context.WATCH), ask=Ask.STAND_IN)
    for binding in BINDINGS:
        # Drawing anew is the skin's affair.
        for key in binding.keys if binding.intent is not Intent.REDRAW else ():
            assert any(
                step.effect is not None or step.interface != interface
                for sight in (*sights, late)
                for interface in (
                    Interface(),
                    Interface(panel=Panel.MENU, row=2),
                    Interface(blind=True, row=5),
                    Interface(
                        picked=frozenset(sight.state.view.hand[:1] if sight.state.view else ())
                    ),
                )
                if context_of(sight, interface) in binding.contexts
                and (step := press(key, sight, interface, SETTINGS))
            ), (key, binding)


def test_whatever_is_pressed_nothing_breaks(sights: list[Sight]) -> None:
    keys = [key for binding in BINDINGS for key in binding.keys]
    for number, sight in enumerate(sights):
        interface = Interface()
        for key in keys[number % 7 :: 3]:
            interface = press(key, sight, interface, SETTINGS).interface


def test_settings_are_changed_where_they_are_listed(sights: list[Sight]) -> None:
    sight = first(sights, Context.PLAY)
    opened = pressed(["escape", *["down"] * 6, "enter"], sight)
    assert opened.interface.panel is Panel.SETTINGS
    assert press("enter", sight, opened.interface, SETTINGS).effect == Change("colours")
    assert pressed(["f"], sight).effect == Change("colours")
    assert pressed(["m"], sight).effect == Change("mouse")


def test_a_seat_that_a_bot_plays_is_taken_back_by_one_key(sights: list[Sight]) -> None:
    late = replace(first(sights, Context.WATCH), ask=Ask.STAND_IN)
    for key in ("enter", "space", "b"):
        assert press(key, late, Interface(), SETTINGS).effect == TakeSeatBack()
    assert context_of(replace(late, holding=True), Interface()) is Context.WATCH
