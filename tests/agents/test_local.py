"""Matches in process: any kind of agent, the same record again, and sentences for what is wrong."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest

from spades import (
    BLIND_NIL,
    Bid,
    BidMade,
    Card,
    Deal,
    Deck,
    ExplicitDeals,
    IllegalBid,
    IllegalPass,
    IllegalPlay,
    Phase,
    Reason,
    Seat,
    SeatView,
    SpadesError,
    TableView,
)
from spades_agents import HOUSE_BOTS, Agent, LocalMatch, Malformed, play_local, play_local_async
from spades_agents.bots import Beginner, Gentle, RandomBot
from spades_proto.verification import read_records, verify

SOUTH, WEST, NORTH, EAST = Seat

EVERY_OPTION = (
    "classic",
    "quick,undo=on",
    "larch,spade_lead=any",
    "karty,min_team_bid=4",
    "jokers,bag_limit=3,bag_penalty=50",
    "nyc,nil_value=50,double_nil=bonus",
    "larch,blind_nil=behind,blind_nil_deficit=0,blind_exchange=2",
    "larch,blind_nil=behind,blind_nil_deficit=0,double_nil=wins",
    "classic,blind_nil=behind,blind_nil_deficit=50,blind_exchange=2,min_team_bid=4",
    "jokers,blind_nil=behind,blind_nil_deficit=0,blind_exchange=2,bag_penalty=0",
    "nyc,blind_nil=behind,blind_nil_deficit=0,blind_exchange=2,first_dealer=east",
)


class Watched(Agent):
    """Plays as another agent does, and checks every answer twice."""

    def __init__(self, inner: Agent, *, blind: bool = False) -> None:
        self.inner = inner
        self.blind = blind
        self.name = inner.name
        self.decisions = 0

    def bid(self, view: SeatView) -> Bid:
        bid = self.twice(self.inner.bid, view)
        assert isinstance(bid, Bid)
        assert bid in view.legal_bids
        assert 0 <= bid.tricks <= 13
        return bid

    def play(self, view: SeatView) -> Card:
        card = self.twice(self.inner.play, view)
        assert isinstance(card, Card)
        assert card in view.legal_plays
        return card

    def pass_cards(self, view: SeatView) -> Sequence[Card]:
        cards = cast("Sequence[Card]", self.twice(self.inner.pass_cards, view))
        assert len(set(cards)) == view.pass_count == 2
        assert set(cards) <= set(view.hand)
        return cards

    def blind_bid(self, view: SeatView) -> bool:
        assert not view.hand
        return self.blind and self.inner.blind_bid(view) is False

    def twice(self, method: Callable[[SeatView], Any], view: SeatView) -> Any:
        """The same view and seed give the same answer, to another agent of the class as well."""
        self.decisions += 1
        answer = method(view)
        assert method(view) == answer
        again = getattr(type(self.inner)(), method.__name__)
        assert again(view) == answer
        return answer


@pytest.mark.parametrize("rules", EVERY_OPTION)
@pytest.mark.parametrize("bot", HOUSE_BOTS)
def test_b24_every_answer_of_a_house_bot_is_legal_and_repeatable(bot: str, rules: str) -> None:
    decisions = 0
    for number in range(4):
        agents = [Watched(HOUSE_BOTS[bot](), blind=seat == number) for seat in range(4)]
        played = play_local(agents, f"{rules},max_hands=2", seed=f"{bot}-{number}")
        assert played.match.phase is Phase.MATCH_OVER
        decisions += sum(agent.decisions for agent in agents)
    assert decisions >= 4 * 56


def test_b24_many_deals_are_played_out_by_mixed_house_bots() -> None:
    names = list(HOUSE_BOTS)
    for number in range(33):
        agents = [names[(number + seat) % len(names)] for seat in range(4)]
        rules = f"{EVERY_OPTION[number % len(EVERY_OPTION)]},max_hands=4"
        played = play_local(agents, rules, seed=f"mixed-{number}")
        assert played.outcome == verify(played.record()).match.outcome


# Kinds of agents.


class Plain(Agent):
    def bid(self, view: SeatView) -> int:
        return 2 + view.rng_seed % 3

    def play(self, view: SeatView) -> Card:
        return view.rng().choice(view.legal_plays)


class Async(Agent):
    async def bid(self, view: SeatView) -> Bid:
        await asyncio.sleep(0)
        return Bid(2 + view.rng_seed % 3)

    async def play(self, view: SeatView) -> Card:
        await asyncio.sleep(0)
        return view.rng().choice(view.legal_plays)


class Blocking(Plain):
    blocking = True
    threads: ClassVar[set[int]] = set()

    def play(self, view: SeatView) -> Card:
        self.threads.add(threading.get_ident())
        return super().play(view)


class BlockingAsync(Async):
    blocking = True


class Words(Agent):
    def bid(self, view: SeatView) -> int:
        return 2 + view.rng_seed % 3

    def play(self, view: SeatView) -> str:
        return str(view.rng().choice(view.legal_plays)).lower()


class Coroutines(Agent):
    """Answers with something that can be awaited and is no coroutine."""

    def bid(self, view: SeatView) -> Awaitable[int]:
        return self.later(2 + view.rng_seed % 3)

    def play(self, view: SeatView) -> Awaitable[Card]:
        return self.later(view.rng().choice(view.legal_plays))

    def later(self, answer: Any) -> Awaitable[Any]:
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        future.get_loop().call_soon(future.set_result, answer)
        return future


KINDS = [Async, Blocking, BlockingAsync, Words, Coroutines]


def game_of(played: LocalMatch) -> object:
    return json.loads(played.record())["game"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_agent_gives_the_same_game(kind: type[Agent]) -> None:
    plain = play_local([Plain, "beginner", Plain, "gentle"], "max_hands=2", seed="kinds")
    other = play_local([kind, "beginner", kind(), "gentle"], "max_hands=2", seed="kinds")
    assert game_of(other) == game_of(plain)


def test_a_blocking_agent_is_asked_in_a_thread_of_its_own() -> None:
    Blocking.threads.clear()
    play_local([Blocking, "random", "random", "random"], "max_hands=1", seed="threads")
    assert Blocking.threads
    assert threading.get_ident() not in Blocking.threads


def test_agents_classes_factories_and_specs_can_be_mixed() -> None:
    played = play_local([Plain(), Plain, lambda: Plain(), "random"], "max_hands=1")  # noqa: PLW0108
    assert [agent.name for agent in played.agents] == ["Plain", "Plain", "Plain", "random"]


def test_one_agent_can_play_all_four_seats_and_its_partner_draws_other_numbers() -> None:
    seen: dict[Seat, int] = {}

    class Curious(Plain):
        def bid(self, view: SeatView) -> int:
            seen[view.seat] = view.rng_seed
            return super().bid(view)

    agent = Curious()
    play_local([agent] * 4, "max_hands=1", seed="one for all")
    assert len(set(seen.values())) == 4


async def test_a_match_can_be_played_within_a_running_loop() -> None:
    played = await play_local_async(["random"] * 4, "max_hands=1", seed="7")
    assert game_of(played) == await asyncio.to_thread(
        lambda: game_of(play_local(["random"] * 4, "max_hands=1", seed="7"))
    )


# Records and secrets.


def test_the_same_agents_rules_and_seed_give_the_same_record() -> None:
    one, two, other = (
        play_local(["gentle", "random", "beginner", "gentle"], "max_hands=3", seed=seed)
        for seed in ("same", "same", "other")
    )
    assert one.record() == two.record()
    assert one.record() != other.record()
    assert one.seed_chosen


def test_without_a_seed_every_match_is_another_and_nobody_chose_it() -> None:
    one, two = (play_local(["random"] * 4, "max_hands=1") for _ in range(2))
    assert one.record() != two.record()
    assert not one.seed_chosen
    assert not verify(one.record()).circumstances.seed_chosen


def test_a_secret_changes_what_its_own_seat_draws_and_nobody_elses_bids() -> None:
    def bids(secrets: dict[Seat, bytes]) -> list[Bid]:
        played = play_local(["random"] * 4, "max_hands=1", seed="secrets", agent_secrets=secrets)
        log = played.match.log
        return [event.bid for event in log if isinstance(event, BidMade)]

    plain = bids({})
    changed = [bids({WEST: bytes([number])}) for number in range(8)]
    assert len({bid[1] for bid in changed}) > 2
    for some in changed:
        assert [some[0], *some[2:]] == [plain[0], *plain[2:]]


def test_records_are_appended_to_a_file_that_verifies(tmp_path: Path) -> None:
    path = tmp_path / "matches.jsonl"
    matches = [play_local(["random"] * 4, "max_hands=1", seed=str(number)) for number in range(3)]
    for one in matches:
        one.save(path)
    with path.open(encoding="utf-8") as file:
        verified = list(read_records(file))
    assert [one.match.outcome for one in verified] == [one.outcome for one in matches]
    players = dict(verified[0].circumstances.players)
    assert {seat: occupant.name for seat, occupant in players.items()} == dict.fromkeys(
        Seat, "random"
    )


def one_deal(south: str) -> ExplicitDeals:
    """A deal in which South holds the cards that are named."""
    deck = Deck.STANDARD
    mine = [Card(word) for word in south.split()]
    rest = [card for card in deck if card not in mine]
    hands = [mine, rest[:13], rest[13:26], rest[26:]]
    first, second, third, fourth = map(deck.mask, hands)
    return ExplicitDeals((Deal(deck, (first, second, third, fourth)),), b"salt")


def test_explicit_deals_are_played_as_they_were_written_down() -> None:
    deals = one_deal("AS 2H 3H 4H 5H 2D 3D 4D 5D 2C 3C 4C 5C")
    seen: list[tuple[Card, ...]] = []

    class Looks(Plain):
        def bid(self, view: SeatView) -> int:
            seen.append(view.hand)
            return super().bid(view)

    played = play_local([Looks, "random", "random", "random"], "max_hands=1", deals=deals)
    assert set(seen[0]) == set(deals.deals[0].hand(SOUTH))
    assert verify(played.record()).match.deals == deals


# What is wrong is said.


def lone(agent: Agent, rules: str = "max_hands=1") -> LocalMatch:
    return play_local([agent, "random", "random", "random"], rules, seed="lone")


class Answers(Agent):
    """Answers what it was made with."""

    def __init__(self, bid: object = 3, card: object = None, passed: object = None) -> None:
        self.answers = (bid, card, passed)

    def bid(self, view: SeatView) -> Bid:
        return cast("Bid", self.answers[0])

    def play(self, view: SeatView) -> Card:
        return cast("Card", self.answers[1])

    def blind_bid(self, view: SeatView) -> bool:
        return self.answers[0] is BLIND_NIL

    def pass_cards(self, view: SeatView) -> Sequence[Card]:
        return cast("Sequence[Card]", self.answers[2])


@pytest.mark.parametrize(
    "bid", [None, "3", 3.0, [3], "nil", float("nan"), Bid(cast("int", 3.0)), 10**12, Bid(-(10**12))]
)
def test_an_answer_that_is_no_bid_is_named_in_a_sentence(bid: object) -> None:
    with pytest.raises(Malformed, match=r"^bid\(\) answered .*: a number or a Bid is expected\.$"):
        lone(Answers(bid))


@pytest.mark.parametrize("bid", [14, -1, 99, Bid(14)])
def test_r12_a_bid_out_of_range_is_refused_by_the_referee(bid: object) -> None:
    with pytest.raises(IllegalBid) as caught:
        lone(Answers(bid))
    assert caught.value.reason is Reason.BID_OUT_OF_RANGE


@pytest.mark.parametrize("card", [None, 7, ("A", "S"), b"AS"])
def test_an_answer_that_is_no_card_is_named_in_a_sentence(card: object) -> None:
    with pytest.raises(Malformed, match=r"is no card: a Card or a text such as 'QS' is expected"):
        lone(Answers(3, card))


def test_a_text_that_is_no_card_is_no_answer() -> None:
    with pytest.raises(Malformed, match="'queen of spades' is not a card"):
        lone(Answers(3, "queen of spades"))


@pytest.mark.parametrize("card", ["BJ", "LJ"])
def test_a_card_that_is_not_held_is_refused_by_the_referee(card: str) -> None:
    with pytest.raises(IllegalPlay, match="is not in South's hand") as caught:
        lone(Answers(3, card))
    assert caught.value.reason is Reason.CARD_NOT_HELD


BLIND = "max_hands=1,blind_nil=behind,blind_nil_deficit=0,blind_exchange=2"


@pytest.mark.parametrize(
    ("passed", "error", "sentence"),
    [
        (None, Malformed, "a sequence of cards is expected"),
        (7, Malformed, "a sequence of cards is expected"),
        ([1, 2], Malformed, "is no card"),
        ([], IllegalPass, "2 different cards are to be"),
        (["2S", "2S"], IllegalPass, "2 different cards are to be"),
        (["BJ", "LJ"], IllegalPlay, "is not in South's hand"),
    ],
)
def test_cards_that_cannot_be_passed_are_named_in_a_sentence(
    passed: object, error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        lone(Answers(BLIND_NIL, None, passed), BLIND)


def test_an_agent_needs_both_methods() -> None:
    class Half(Agent):
        def bid(self, view: SeatView) -> int:
            return 1

    with pytest.raises(TypeError, match=r"abstract.* '?play"):
        Half()  # type: ignore[abstract]  # pyright: ignore[reportAbstractUsage]


@pytest.mark.parametrize("count", [0, 3, 5])
def test_a_table_has_four_seats(count: int) -> None:
    with pytest.raises(ValueError, match=f"{count} agents were given and a table has four seats"):
        play_local(["random"] * count)


@pytest.mark.parametrize(
    ("agents", "rules", "seed"),
    [
        (["nobody"] + ["random"] * 3, "", "7"),
        (["random"] * 4, "whist", "7"),
        (["random"] * 4, "target=-1", "7"),
        (["random"] * 4, "", " "),
    ],
)
def test_what_cannot_be_played_is_refused_before_the_first_card(
    agents: list[str], rules: str, seed: str
) -> None:
    with pytest.raises(SpadesError) as caught:
        play_local(agents, rules, seed)
    assert str(caught.value).endswith(".")


def test_an_error_of_an_agent_in_process_reaches_its_author_as_it_is() -> None:
    class Failing(Plain):
        def play(self, view: SeatView) -> Card:
            raise ZeroDivisionError("my own fault")

    with pytest.raises(ZeroDivisionError, match="my own fault"):
        lone(Failing())


# What an agent is given.


def test_an_agent_gets_a_view_and_nothing_that_leads_to_another_hand() -> None:
    views: list[SeatView] = []

    class Hoarder(Plain):
        def bid(self, view: SeatView) -> int:
            views.append(view)
            return super().bid(view)

        def play(self, view: SeatView) -> Card:
            views.append(view)
            return super().play(view)

    play_local([Hoarder, "random", "random", "random"], "max_hands=1", seed="views")
    assert len(views) == 14
    for number, view in enumerate(views):
        assert type(view) is SeatView
        assert isinstance(view, TableView)
        assert view.seat is SOUTH
        # A view stays as it was, whatever happened since.
        assert len(view.hand) == (13 if number == 0 else 14 - number)
        assert view.decision is not None
    assert len({view.rng_seed for view in views}) == 14
    assert len({hash(view) for view in views}) == 14


def test_the_default_passes_rid_a_nil_bidder_of_its_highest_cards() -> None:
    given: dict[Seat, tuple[tuple[Card, ...], tuple[Card, ...]]] = {}

    class Passes(Plain):
        def blind_bid(self, view: SeatView) -> bool:
            return view.seat is SOUTH

        def pass_cards(self, view: SeatView) -> Sequence[Card]:
            cards = cast("Sequence[Card]", super().pass_cards(view))
            given[view.seat] = (view.hand, tuple(cards))
            return cards

    play_local([Passes, "random", Passes, "random"], BLIND, seed="pass")
    hand, passed = given[SOUTH]
    kept = [card.rank for card in hand if card not in passed]
    assert min(card.rank for card in passed) >= max(kept)
    hand, passed = given[NORTH]
    kept = [card.rank for card in hand if card not in passed]
    assert max(card.rank for card in passed) <= min(kept)


def test_an_agent_without_an_opinion_on_blind_bids_looks_and_bids() -> None:
    played = play_local(["random"] * 4, BLIND, seed="look")
    bids = [event.bid for event in played.match.log if isinstance(event, BidMade)]
    assert len(bids) == 4
    assert BLIND_NIL not in bids


@pytest.mark.parametrize("bot", [Beginner, Gentle, RandomBot])
def test_house_bots_are_ordinary_agents_by_their_own_names(bot: type[Agent]) -> None:
    assert HOUSE_BOTS[bot().name] is bot
