"""Seeds, shuffles and commitments: what makes a deal verifiable."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from collections.abc import Iterator

import pytest

from spades import (
    ALGORITHM,
    PRESETS,
    Deal,
    Deck,
    ExplicitDeals,
    IllegalAction,
    Match,
    NotationError,
    Reason,
    Rules,
    Seat,
    SeededDeals,
    agent_secret,
    format_cards,
    format_deal,
    parse_deal,
    parse_seed,
    rng_key,
    view,
)
from spades.deals import shuffled

S, W, N, E = Seat
SEED = parse_seed("7")

# Written once and never again: an old record must verify for ever. A change here is a new ALGORITHM.
KNOWN_DEALS = """
standard 1 S:J6.A6.QJT3.Q8754 AK.QT87543.5.A93 Q8732.K92.AK97.T T954.J.8642.KJ62
standard 2 S:8432.K73.AJ3.975 97.Q982.QT974.J4 AQ.A654.K2.AKT86 KJT65.JT.865.Q32
jokers 1 S:A94.8.QJT3.K9865 BL.AQT97653.5.T4 2JT653.J4.AK97.J KQ87.K.8642.AQ73
jokers 2 S:J7653.95.AJ3.T86 QT.AJT4.QT974.Q5 B24.8763.K2.AJ97 LAK98.KQ.865.K43
jokers_nyc 1 S:2T5.9.KQJ4.AT976 BL3.KJT8764.6.J5 QJ764.Q5.2AT8.Q3 AK98.A3.9753.K84
jokers_nyc 2 S:Q8764.T6.Q4.J973 KJ3.QJ5.KJT85.K6 B5.98743.2A3.QT8 L2AT9.AK.976.A54
"""


@pytest.mark.parametrize("row", KNOWN_DEALS.strip().splitlines(), ids=lambda row: row[:12])
def test_a_known_seed_gives_the_known_deal(row: str) -> None:
    assert ALGORITHM == "hmac-sha256-fisher-yates-1"
    name, number, text = row.split(maxsplit=2)
    deal = SeededDeals(SEED).deal(int(number), Deck(name), E)
    assert format_deal(deal) == text
    assert parse_deal(text, Deck(name)) == deal


def test_a_known_word_gives_the_known_seed_commitment_and_first_dealers() -> None:
    assert SEED.hex() == "291bff343d743181827389e7ffccd638c5d502c02ebf142fd824e48ca7128f3c"
    assert SeededDeals(SEED).commitment() == (
        "4adbf54f66ba9b2d1ab0ee9218c4a1ca6f6dff9786bf6a0bdf78815b40ccbda9"
    )
    dealers = [SeededDeals(parse_seed(str(n))).first_dealer(PRESETS["karty"]) for n in range(8)]
    assert "".join(seat.letter for seat in dealers) == "ESEEESEE"


def test_a_known_seed_gives_the_house_bots_the_known_numbers() -> None:
    secret = agent_secret(SEED, S)
    assert secret.hex() == "2108ada80dbe5822f573274c1b39885a6ca707317c679c2c48153ce803bc040d"
    assert rng_key(secret, SeededDeals(SEED).commitment(), S).hex() == (
        "f9acc43469f2edf712df6848d1d8c2a789a542fb1b0960e0844a58e82a64edf3"
    )
    seen = view(Match(PRESETS["classic"], SeededDeals(SEED)), S, secret)
    assert seen.rng_seed == (
        72045662326672025580625964419818312859955245063092018185535140670584206672730
    )


def pack_of(seed: bytes, number: int) -> list[int]:
    """The algorithm once more: HMAC-SHA256 in counter mode, bytes, Fisher and Yates, rejection."""

    def drawn_bytes() -> Iterator[int]:
        for counter in range(1000):
            label = f"spades/deal/1/{number}/".encode() + counter.to_bytes(4, "big")
            yield from hmac.new(seed, label, hashlib.sha256).digest()

    stream = drawn_bytes()
    pack = list(range(52))
    for last in range(51, 0, -1):
        choices = last + 1
        fair = 256 // choices * choices
        drawn = next(byte for byte in stream if byte < fair)
        pack[last], pack[drawn % choices] = pack[drawn % choices], pack[last]
    return pack


def test_a_second_writing_of_the_algorithm_gives_the_same_packs() -> None:
    for number in range(300):
        seed = parse_seed(str(number))
        assert shuffled(Deck.STANDARD, seed, number + 1) == pack_of(seed, number + 1)


def test_the_shuffle_moves_every_card_to_every_place_equally_often() -> None:
    times = Counter[tuple[int, int]]()
    for number in range(5200):
        times.update(enumerate(shuffled(Deck.STANDARD, SEED, number)))
    assert len(times) == 52 * 52
    # Each place holds each card 100 times, with a deviation of 9.9: six of them, for 2704 cells.
    assert all(40 < count < 160 for count in times.values())
    chi_square = sum((count - 100) ** 2 / 100 for count in times.values())
    # 51 * 51 degrees of freedom: 2601, deviation 72.
    assert 2241 < chi_square < 2961


def test_the_deal_of_a_hand_does_not_depend_on_the_hands_before() -> None:
    match = Match(Rules(target=10_000, floor=None), SeededDeals(SEED))
    while match.hand_number < 3:
        while match.turn is not None:
            match.act(match.turn, match.legal(match.turn)[0])
        match.deal_next()
    third = SeededDeals(SEED).deal(3, Deck.STANDARD, match.state.dealer)
    assert match.state.hands == list(third.masks)


def test_the_decks_are_shuffled_alike_and_differ_in_their_cards() -> None:
    packs = [shuffled(deck, SEED, 1) for deck in Deck]
    assert packs[0] == packs[1] == packs[2]


def test_explicit_deals_are_played_in_their_order_and_no_further() -> None:
    deals = tuple(SeededDeals(SEED).deal(number, Deck.STANDARD, E) for number in (1, 2))
    explicit = ExplicitDeals(deals, b"salt")
    assert [explicit.deal(number, Deck.STANDARD, S) for number in (1, 2)] == list(deals)
    with pytest.raises(IllegalAction, match="no deal for hand 3: only 2") as error:
        explicit.deal(3, Deck.STANDARD, S)
    assert error.value.reason is Reason.DEALS_EXHAUSTED


def test_a_commitment_to_explicit_deals_binds_the_salt_the_deck_the_cards_and_their_order() -> None:
    one, two = (SeededDeals(SEED).deal(number, Deck.STANDARD, E) for number in (1, 2))
    other_deck = Deal(Deck.JOKERS, one.masks)
    turned = Deal(one.deck, (one.masks[1], one.masks[2], one.masks[3], one.masks[0]))
    several = [
        ExplicitDeals((one, two), b"salt"),
        ExplicitDeals((two, one), b"salt"),
        ExplicitDeals((one,), b"salt"),
        ExplicitDeals((other_deck, two), b"salt"),
        ExplicitDeals((turned, two), b"salt"),
        ExplicitDeals((one, two), b"pepper"),
    ]
    commitments = [deals.commitment() for deals in several]
    assert len(set(commitments)) == len(several)
    assert commitments[0] == ExplicitDeals((one, two), b"salt").commitment()
    assert all(len(commitment) == 64 for commitment in commitments)


def test_a_known_explicit_deal_has_the_known_commitment() -> None:
    deal = SeededDeals(SEED).deal(1, Deck.STANDARD, E)
    assert ExplicitDeals((deal,), b"salt").commitment() == (
        "5010d1779cfbe7388de5d7673bb794fb573146197f833cc422b4ffb496afd3b1"
    )


def test_a_match_publishes_the_commitment_before_the_first_card() -> None:
    match = Match(PRESETS["classic"], SeededDeals(SEED))
    assert match.state.commitment == hashlib.sha256(SEED).hexdigest()
    assert type(match.log[0]).__name__ == "MatchStarted"
    assert type(match.log[1]).__name__ == "HandDealt"


@pytest.mark.parametrize("text", ["", " ", "\n\t"])
def test_a_seed_is_never_empty(text: str) -> None:
    with pytest.raises(NotationError, match="it was empty"):
        parse_seed(text)


def test_sixty_four_characters_that_are_no_number_are_a_word() -> None:
    assert parse_seed("z" * 64) == hashlib.sha256(b"spades/seed/1/" + b"z" * 64).digest()
    with_spaces = "ab " * 20 + "cdef"
    assert (
        parse_seed(with_spaces) == hashlib.sha256(b"spades/seed/1/" + with_spaces.encode()).digest()
    )


def test_other_seeds_give_other_secrets_and_no_secret_is_a_seed() -> None:
    secrets = {agent_secret(parse_seed(str(n)), seat) for n in range(50) for seat in Seat}
    assert len(secrets) == 200
    assert not secrets & {parse_seed(str(n)) for n in range(50)}


def test_a_deal_lists_a_hand_as_it_shows() -> None:
    deal = parse_deal("S:.AJ952.KJT.KJT76 KQ73.K74.A85.A84 AJT652.Q86.96.Q9 984.T3.Q7432.532")
    assert format_cards(deal.hand(E)) == "2D 3D 4D 7D QD 2C 3C 5C 3H TH 4S 8S 9S"
