"""The line client at a table: prompts, what is typed at the wrong moment, refusals, and leaving."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

import pytest

from spades import (
    Bid,
    BidMade,
    Card,
    CardPlayed,
    MakeBid,
    MatchEnded,
    Play,
    PlayTakenBack,
    Seat,
    SeatView,
    Suit,
    format_cards,
    parse_card,
    parse_cards,
    quick_count,
)
from spades_agents import Advice
from spades_client.line import LineClient, LineOptions
from spades_client.session import TableSession
from spades_proto.table import AnyEvent, Courtesy, CourtesySent, TableStage
from spades_proto.verification import verify
from spades_server.host import TableHost

NOT_YOUR_TURN = "It is not your turn; nothing was sent."


class Parlour(Protocol):
    @property
    def client(self) -> LineClient: ...
    @property
    def session(self) -> TableSession: ...
    @property
    def host(self) -> TableHost: ...
    @property
    def told(self) -> list[str]: ...
    def type(self, line: str, /) -> None: ...
    def press(self, keys: str, /) -> None: ...
    async def hear(self, text: str, /) -> str: ...
    async def ended(self) -> None: ...
    def hang_up(self) -> None: ...
    def move(self) -> Seat: ...
    def move_all(self) -> None: ...
    def events(self) -> list[AnyEvent]: ...


OpenParlour = Callable[..., Awaitable[Parlour]]


def deeds(parlour: Parlour) -> list[Bid | Card]:
    """What South has bid and played, by the server's log."""
    made: list[Bid | Card] = []
    for event in parlour.events():
        if isinstance(event, BidMade) and event.seat is Seat.SOUTH:
            made.append(event.bid)
        elif isinstance(event, CardPlayed) and event.seat is Seat.SOUTH:
            made.append(event.card)
    return made


async def offered(parlour: Parlour) -> list[Card]:
    """Waits for the prompt for a card; gives the cards that it offers."""
    prompt = await parlour.hear("Your card? You may play ")
    return list(parse_cards(prompt.removesuffix(".").split(" play ")[1]))


async def at_the_first_card(parlour: Parlour) -> list[Card]:
    await parlour.hear("Your bid?")
    parlour.type("4")
    await parlour.hear("You bid 4.")
    parlour.move_all()
    return await offered(parlour)


async def play_on(parlour: Parlour, until: str) -> str:
    """Plays whatever is offered first until something is said."""
    heard = 0
    while True:
        parlour.move_all()
        table = parlour.host.table
        match = table.match
        if match is None or match.turn is not Seat.SOUTH:
            return await parlour.hear(until)
        cards = await offered(parlour)
        parlour.type(str(cards[0]))
        await parlour.hear(f"You play the {cards[0].name}.")
        heard += 1
        assert heard <= 26


# Hints


async def test_hint_tells_what_sharp_would_do_and_each_time_the_next_reason(
    parlour: OpenParlour, advice: Callable[..., Advice]
) -> None:
    def adviser(view: SeatView) -> list[Advice]:
        return [
            advice(MakeBid(Bid(5)), "five is a good number", f"{len(view.hand)} cards are many"),
            advice(MakeBid(Bid(0)), "it is brave"),
        ]

    table = await parlour(options=LineOptions(adviser=adviser))
    await table.hear("Your bid?")
    for line, told in (
        ("hint", "Bid 5: five is a good number (1 of 3)."),
        ("h", "Bid 5; moreover, 13 cards are many (2 of 3)."),
        ("HINT", "Or bid nil: it is brave (3 of 3)."),
        ("hi", "Bid 5: five is a good number (1 of 3)."),
    ):
        table.type(line)
        assert await table.hear(told) == told
    assert deeds(table) == []
    table.type("4")
    await table.hear("You bid 4.")
    table.type("hint")
    await table.hear("There is no hint now: it is West's turn.")


async def test_a_hint_can_be_had_at_every_turn_of_a_hand(parlour: OpenParlour) -> None:
    table = await parlour()
    await table.hear("Your bid?")
    table.type("hint")
    await table.hear("Bid ")
    table.type("4")
    await table.hear("You bid 4.")
    table.move_all()
    while (match := table.host.table.match) is not None and match.turn is Seat.SOUTH:
        await offered(table)
        table.type("hint")
        told = await table.hear("Play ")
        card = parse_card(told.removeprefix("Play ").split(":")[0])
        assert Play(card) in match.legal(Seat.SOUTH)
        table.type(str(card))
        await table.hear(f"You play the {card.name}.")
        table.move_all()


# Prompts


async def test_the_quick_count_is_offered_and_an_empty_line_bids_it(parlour: OpenParlour) -> None:
    table = await parlour()
    prompt = await table.hear("Your bid?")
    view = table.session.state.view
    assert view is not None
    count = quick_count(view.hand)
    assert prompt == f"Your bid? The quick count is {count}; an empty line bids it."
    table.type("")
    await table.hear(f"You bid {Bid(count)}.")
    assert deeds(table) == [Bid(count)]


async def test_nil_is_never_bid_by_an_empty_line(parlour: OpenParlour) -> None:
    table = await parlour(seed="18")
    await table.hear("Your bid? The quick count is 0; an empty line bids 1.")
    table.type("")
    await table.hear("You bid 1.")
    assert deeds(table) == [Bid(1)]


async def test_an_empty_line_where_a_card_is_asked_for_asks_again(parlour: OpenParlour) -> None:
    table = await parlour()
    await at_the_first_card(table)
    table.type("")
    await table.hear("Your card? You may play ")
    assert deeds(table) == [Bid(4)]


async def test_a_prompt_comes_once_a_turn_and_names_every_legal_card(parlour: OpenParlour) -> None:
    table = await parlour()
    cards = await at_the_first_card(table)
    view = table.session.state.view
    assert view is not None
    assert tuple(cards) == view.legal_plays
    for word in ("hand", "score", "who"):
        table.type(word)
    await table.hear("South you; ")
    assert sum(line.startswith("Your card?") for line in table.told) == 1
    assert sum(line.startswith("Your bid?") for line in table.told) == 1


async def test_blind_nil_is_offered_before_the_cards_are_seen_and_a_look_brings_the_bid(
    parlour: OpenParlour,
) -> None:
    table = await parlour("max_hands=1,blind_nil=behind,blind_nil_deficit=0")
    await table.hear("Your cards are face down: bid blind nil, or look.")
    await table.hear("Your turn: type blind to bid blind nil, or look.")
    # An empty line bids nothing unseen.
    table.type("")
    table.type("hand")
    await table.hear("Your cards are face down")
    assert deeds(table) == []
    table.type("look")
    await table.hear("Your hand: ")
    await table.hear("Your bid? The quick count is ")
    table.type("blind")
    await table.hear("Blind nil is not possible: you have seen your cards.")
    await table.hear("Your bid?")
    table.type("3")
    await table.hear("You bid 3.")


async def test_cards_are_passed_after_a_blind_nil(parlour: OpenParlour) -> None:
    table = await parlour("max_hands=1,blind_nil=behind,blind_nil_deficit=0,blind_exchange=2")
    await table.hear("Your turn: type blind")
    table.type("blind")
    await table.hear("You bid blind nil.")
    for _ in range(3):
        seat = table.host.table.match
        assert seat is not None
        view = table.host.table.bot_view(seat.turn or Seat.SOUTH)
        if view.may_look:
            seat.look(view.seat)
        table.move()
    assert await table.hear("Pass 2 cards") == "Pass 2 cards to North: pass, and the cards."
    state = table.session.state.view
    assert state is not None
    table.type("pass")
    await table.hear("Say which cards you pass: pass 2C 3D.")
    two = state.hand[:2]
    table.type(f"pass {format_cards(two)}")
    await table.hear(f"You pass 2 cards to North: {', '.join(card.name for card in two)}.")


# C10: what is typed at the wrong moment


async def test_c10_lines_typed_before_ones_turn_send_nothing_then_or_later(
    parlour: OpenParlour,
) -> None:
    table = await parlour()
    await table.hear("Your bid?")
    table.type("4")
    await table.hear("You bid 4.")
    for line in ("3", "5", "", "nil", "play QS"):
        table.type(line)
    for _ in range(4):
        await table.hear("nothing was sent.")
    table.move_all()
    await offered(table)
    table.type("who")
    await table.hear("South you; ")
    assert deeds(table) == [Bid(4)]
    assert sum("nothing was sent." in line for line in table.told) == 4


async def test_c10_an_empty_line_after_a_won_trick_plays_nothing(parlour: OpenParlour) -> None:
    table = await parlour()
    card, *_ = await at_the_first_card(table)
    table.type(str(card))
    await table.hear("You play ")
    table.move_all()
    await table.hear("trick 1.")
    await offered(table)
    table.type("")
    table.type("who")
    await table.hear("South you; ")
    assert deeds(table) == [Bid(4), card]


async def test_c10_after_a_refusal_one_can_play_at_once(parlour: OpenParlour) -> None:
    table = await parlour()
    cards = await at_the_first_card(table)
    table.type("2S")
    await table.hear("2S")
    again = await offered(table)
    assert again == cards
    table.type(str(again[-1]))
    await table.hear(f"You play the {again[-1].name}.")
    assert deeds(table) == [Bid(4), again[-1]]


async def test_lines_from_a_pipe_wait_for_the_question_that_they_answer(
    parlour: OpenParlour,
) -> None:
    table = await parlour(terminal=False)
    hand = table.host.table.bot_view(Seat.SOUTH).hand
    card = next(card for card in hand if card.suit is not Suit.SPADES)
    for line in ("4", str(card), "score"):
        table.type(line)
    await table.hear("You bid 4.")
    table.move_all()
    await table.hear(f"You play the {card.name}.")
    table.move_all()
    await table.hear("trick 1.")
    await table.hear("The match goes to 500")
    assert deeds(table) == [Bid(4), card]
    assert NOT_YOUR_TURN not in table.told


# Refusals in words


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("14", "14"),
        ("-3", "-3"),
        ("99999999999", "999999"),
        ("blind", "Blind nil"),
        ("look", ""),
        ("QS", ""),
        ("pass 2C 3D", ""),
        ("next", ""),
        ("undo", ""),
        ("say thanks", "thank"),
    ],
)
async def test_what_cannot_be_done_while_bidding_is_refused_in_words_and_asked_again(
    parlour: OpenParlour, line: str, words: str
) -> None:
    table = await parlour()
    await table.hear("Your bid?")
    before = len(table.told)
    table.type(line)
    await table.hear("Your bid?")
    (refusal,) = table.told[before:-1]
    assert refusal.endswith(".")
    assert words in refusal or words == "thank"
    assert deeds(table) == []
    table.type("4")
    await table.hear("You bid 4.")


async def test_a_revoke_is_refused_with_the_cards_that_would_do(parlour: OpenParlour) -> None:
    table = await parlour()
    cards = await at_the_first_card(table)
    table.type(str(cards[0]))
    await table.hear("You play ")
    table.move_all()
    followed = await offered(table)
    view = table.session.state.view
    assert view is not None
    wrong = next(card for card in view.hand if card not in view.legal_plays)
    table.type(f"play {wrong}")
    refusal = await table.hear(f"{wrong} is not legal")
    assert all(str(card) in refusal for card in followed)
    assert await offered(table) == followed


async def test_what_is_not_understood_is_said_and_sends_nothing(parlour: OpenParlour) -> None:
    table = await parlour()
    await table.hear("Your bid?")
    for line in ("xyzzy", "\x1b[A", "bid", "--5", "p 2C"):
        table.type(line)
    await table.hear("'xyzzy' is not understood")
    await table.hear("understood")
    await table.hear("Say what you bid")
    await table.hear("'--5' is not understood")
    await table.hear("'p' could be pass or play.")
    assert deeds(table) == []
    assert all(line.isprintable() for line in table.told)


# Undo, the next hand, the end


async def test_undo_takes_the_last_card_back_while_nobody_has_followed_it(
    parlour: OpenParlour,
) -> None:
    table = await parlour()
    cards = await at_the_first_card(table)
    table.type(str(cards[0]))
    await table.hear(f"You play the {cards[0].name}.")
    table.type("undo")
    await table.hear(f"You take the {cards[0].name} back.")
    assert await offered(table) == cards
    table.type(str(cards[1]))
    await table.hear(f"You play the {cards[1].name}.")
    table.move()
    await table.hear("West plays")
    table.type("undo")
    await table.hear("You have no card to take back: ")
    assert sum(isinstance(event, PlayTakenBack) for event in table.events()) == 1


async def test_a_whole_match_of_two_hands_is_played_and_played_again(parlour: OpenParlour) -> None:
    table = await parlour("max_hands=2,floor=none")
    cards = await at_the_first_card(table)
    table.type("last")
    await table.hear("No trick of this hand is gathered yet.")
    table.type(str(cards[0]))
    await table.hear("You play ")
    await play_on(table, "Hand 1 is over.")
    await table.hear("Type next, or an empty line, for the next hand.")
    table.type("say well played")
    await table.hear("You say: well played.")
    assert CourtesySent(Seat.SOUTH, Courtesy.WELL_PLAYED) in table.events()
    table.type("last 13")
    await table.hear("Trick 13: ")
    table.type("")
    await table.hear("Hand 2.")
    table.move_all()
    await table.hear("Your bid?")
    table.type("nil")
    await table.hear("You bid nil.")
    await play_on(table, "The match is over.")
    await table.hear("The record of the match is ")
    await table.hear("Type again for a rematch, or quit.")
    table.type("sheet")
    await table.hear("Hand 2: ")
    table.type("again")
    await table.hear("The match begins")
    assert table.host.table.state.stage is TableStage.PLAYING
    table.type("quit")
    await table.hear("You leave the table. Your seat stays yours: join again to come back.")
    await table.ended()
    assert table.client.failure is None


async def test_the_record_of_a_match_is_written_and_verifies(
    parlour: OpenParlour, tmp_path: Path
) -> None:
    path = tmp_path / "m.jsonl"
    table = await parlour(options=LineOptions(record=path))
    cards = await at_the_first_card(table)
    table.type(str(cards[0]))
    await table.hear("You play")
    await play_on(table, "The match is over.")
    await table.hear(f"The record is written to {path}.")
    match = table.host.table.match
    assert match is not None
    assert (
        verify(path.read_text(encoding="utf-8").removesuffix("\n")).match.outcome == match.outcome
    )


async def test_a_record_that_cannot_be_written_is_said_and_the_table_goes_on(
    parlour: OpenParlour, tmp_path: Path
) -> None:
    table = await parlour(options=LineOptions(record=tmp_path / "nowhere" / "m.jsonl"))
    await table.hear("Your bid?")
    table.type("surrender")
    await table.hear("The match is over.")
    await table.hear("The record could not be written to ")
    await table.hear("Type again")


async def test_a_surrender_ends_the_match_when_the_partner_is_a_house_bot(
    parlour: OpenParlour,
) -> None:
    table = await parlour()
    await table.hear("Your bid?")
    table.type("surrender")
    await table.hear("You want to surrender.")
    await table.hear("The match is over. West and East win")
    assert any(isinstance(event, MatchEnded) for event in table.events())


# C02: the end of the input


async def test_c02_the_end_of_a_pipe_leaves_the_table_like_a_quit(parlour: OpenParlour) -> None:
    table = await parlour(terminal=False)
    table.type("4")
    table.hang_up()
    await table.hear("You bid 4.")
    await table.hear("You leave the table. Your seat stays yours")
    await table.ended()
    assert deeds(table) == [Bid(4)]
    assert table.host.table.state.seats[Seat.SOUTH].away


async def test_c02_the_last_line_of_a_pipe_counts_without_a_line_end(parlour: OpenParlour) -> None:
    table = await parlour(terminal=False)
    await table.hear("Your bid?")
    table.press("3")
    table.hang_up()
    await table.hear("You bid 3.")
    await table.ended()
    assert deeds(table) == [Bid(3)]


async def test_c02_control_d_asks_once_and_leaves_the_second_time(parlour: OpenParlour) -> None:
    table = await parlour()
    await at_the_first_card(table)
    table.press("\x04")
    await table.hear("End of input: once more leaves the table.")
    table.type("score")
    await table.hear("The match goes to 500")
    # A line in between means that one stays.
    table.press("\x04")
    await table.hear("End of input: once more leaves the table.")
    table.press("\x04")
    await table.hear("You leave the table.")
    await table.ended()


async def test_c02_a_terminal_that_hangs_up_leaves_the_table(parlour: OpenParlour) -> None:
    table = await parlour()
    await at_the_first_card(table)
    table.hang_up()
    await table.hear("You leave the table.")
    await table.ended()
    assert table.host.table.state.seats[Seat.SOUTH].away
    # There is nobody to ask whether it is meant.
    assert not any("once more" in line for line in table.told)
