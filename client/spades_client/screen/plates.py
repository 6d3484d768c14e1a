"""Name plates, the header and the score: who sits where, and how things stand."""

from __future__ import annotations

from spades import Phase, Seat, Side, contract
from spades.state import MatchState
from spades_client.phrases import bag_words, minutes, partners, people, sides
from spades_client.screen.canvas import Piece, Row, clip, literal, width
from spades_client.screen.interface import Sight
from spades_client.screen.looks import Glyphs
from spades_proto.table import OccupantKind, TableState

BAGS_TO_WATCH = 7
"""From so many bags on a side should bid a trick more rather than collect the rest."""


SHORT_S = 10
"""With so few seconds left a clock stands out."""


def match_of(sight: Sight) -> tuple[TableState, MatchState]:
    """The table and its match; only while there is one."""
    table = sight.state.table
    assert table is not None and table.match is not None, "a match is drawn"
    return table, table.match


def around(viewer: Seat | None) -> tuple[Seat, Seat, Seat, Seat]:
    """The seats at the left, across, at the right and at the bottom: left is left (rules.md 1.1)."""
    own = viewer if viewer is not None else Seat.SOUTH
    return own.left, own.partner, own.right, own


def name_of(table: TableState, seat: Seat, viewer: Seat | None) -> str:
    """A player's name with the level of a house bot, as it can be shown."""
    who = people(table, seat, viewer)
    status = table.seats[seat]
    if status.occupant is not None and status.occupant.kind is OccupantKind.HOUSE_BOT:
        who = f"{who} ({status.occupant.name})"
    if status.stand_in:
        who += ", a bot stands in"
    elif status.away:
        who += ", away"
    return literal(who)


def tricks_of(match: MatchState, seat: Seat) -> str:
    """Tricks taken against the bid, or the bid while the hand is being bid."""
    bid = match.bids[seat]
    said = "" if bid is None else str(bid)
    if match.phase is Phase.BIDDING:
        return f"bids {said}" if said else "to bid"
    if bid is None:
        return ""
    if bid.is_nil:
        return f"{said}, took {match.taken[seat]}"
    return f"{match.taken[seat]} of {said}"


def plate(sight: Sight, seat: Seat, glyphs: Glyphs, cells: int) -> Row:
    """One player: whose turn it is, the name, tricks against bid, the dealer."""
    (mark, name), (_, tricks) = side_plate(sight, seat, glyphs, cells)
    text = f"  {tricks.text}"
    room = max(cells - width(text) - 2, 4)
    return (mark, name._replace(text=clip(name.text.rstrip(), room)), tricks._replace(text=text))


def side_plate(
    sight: Sight, seat: Seat, glyphs: Glyphs, cells: int
) -> tuple[tuple[Piece, Piece], tuple[Piece, Piece]]:
    """The same in two lines, for where there is little room at the side."""
    table, match = match_of(sight)
    turn = match.turn is seat and not sight.holding
    style = "turn" if turn else ("you" if seat is sight.state.seat else "plate")
    dealer = f" {glyphs.dot} dealer" if match.dealer is seat else ""
    bid = match.bids[seat]
    caught = bid is not None and bid.is_nil and match.taken[seat] > 0
    name = clip(name_of(table, seat, sight.state.seat), cells - 2)
    mark = "bad" if caught else style
    left = clock_words(sight, seat)
    if left and sight.time_left_s is not None and sight.time_left_s <= SHORT_S:
        mark = "warn"
    return (
        (Piece(f"{glyphs.turn} " if turn else "  ", "turn"), Piece(name, style)),
        (Piece("  "), Piece(tricks_of(match, seat) + dealer + left, mark)),
    )


def clock_words(sight: Sight, seat: Seat) -> str:
    """The time that a seat has left, where its clock runs."""
    clock = sight.state.clock
    if clock is None or clock.seat is not seat or sight.time_left_s is None or sight.holding:
        return ""
    return f"  {minutes(sight.time_left_s)}"


def header(sight: Sight, glyphs: Glyphs, columns: int) -> Row:
    """The first line: where the match stands."""
    table, match = match_of(sight)
    left = f" Hand {match.deal_number}"
    if match.phase is Phase.PLAYING:
        # While the full trick lies there it is the one that counts.
        number = len(match.tricks) + (0 if sight.holding else 1)
        left += f", trick {min(max(number, 1), 13)}{' of 13' if columns >= 60 else ''}"
    elif match.phase is not Phase.MATCH_OVER:
        left += f", {match.phase.value}"
    spade = glyphs.spade
    broken = f"{spade} broken" if match.spades_broken else f"{spade} not broken"
    right = f"{broken} "
    if columns >= 60:
        right = f"table {table.opened.code}   {broken}   to {match.rules.target} "
    room = columns - len(right)
    return (Piece(clip(left, room).ljust(room) + right, "header"),)


def score(sight: Sight, columns: int) -> Row:
    """The second line: totals and bags of both sides, the own one first."""
    table, match = match_of(sight)
    viewer = sight.state.seat
    names = {side: short_side(table, side, viewer) for side in Side}
    if columns < 60 and viewer is not None:
        names = {viewer.side: "We", viewer.side.other: "They"}
    pieces: list[Piece] = []
    for side in sides(viewer):
        standing = match.standings[side]
        bags = bag_words(standing.bags)
        watch = standing.bags >= BAGS_TO_WATCH
        room = columns // 2 - len(f"{standing.total}{bags}") - (20 if columns >= 80 else 6)
        pieces += [
            Piece(f" {clip(names[side], max(room, 4))}  "),
            Piece(f"{standing.total}", "score"),
            Piece(f" {bags}{'!' if watch else ''} ", "warn" if watch else ""),
            Piece(f"{_against(match, side)}  " if columns >= 80 else "  " if columns >= 60 else ""),
        ]
    if columns < 60:
        # There is no line to spare for the bids.
        pieces[-1] = Piece(f" bids {contract(match.bids)}", "plate")
        return tuple(pieces)
    pieces[-1] = Piece(pieces[-1].text.rstrip())
    return tuple(pieces)


def _against(match: MatchState, side: Side) -> str:
    """The tricks that a side has taken towards its contract (rules.md 4.1)."""
    bids = [match.bids[seat] for seat in side.seats]
    if match.phase is Phase.BIDDING or None in bids:
        return ""
    taken = sum(
        match.taken[seat]
        for seat, bid in zip(side.seats, bids, strict=True)
        if bid is not None and not bid.is_nil
    )
    return f" {taken} of {contract(bids)}"


def short_side(table: TableState, side: Side, viewer: Seat | None) -> str:
    """Two partners in few letters."""
    first, second = partners(side, viewer)
    return literal(f"{people(table, first, viewer)} + {people(table, second, viewer)}")


def bid_sum(sight: Sight) -> str:
    """The bids so far and what they add up to against thirteen tricks."""
    _, match = match_of(sight)
    made = [bid for seat in match.dealer.left.clockwise() if (bid := match.bids[seat]) is not None]
    if not made:
        return "no bids so far"
    said = "+".join("blind" if bid.blind else "nil" if bid.is_nil else str(bid) for bid in made)
    return f"bids {said} = {contract(made)} of 13"
