"""Matches in process: the same referee and the same views as on a server, and nothing in between."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from spades import (
    PRESETS,
    Card,
    DecisionKind,
    ExplicitDeals,
    Match,
    Outcome,
    Rules,
    Seat,
    SeatView,
    SeededDeals,
    agent_secret,
    parse_rules,
    parse_seed,
    rng_key,
)
from spades.actions import Action
from spades.phases import PLAYING
from spades_agents.agent import Agent, decide, finish
from spades_agents.failures import Exited
from spades_agents.hooks import closing, in_match
from spades_agents.specs import AgentFactory, agent_of
from spades_proto.records import Circumstances, record_line
from spades_proto.software import SOFTWARE
from spades_proto.table import Occupant, OccupantKind

Seats = Sequence[Agent | AgentFactory | str]
"""Four agents, for South, West, North and East: agents, classes or specs."""


@dataclass(frozen=True, slots=True)
class LocalMatch:
    """A match that was played in process."""

    match: Match
    agents: tuple[Agent, ...]
    seed_chosen: bool

    @property
    def outcome(self) -> Outcome:
        """How it ended."""
        assert self.match.outcome is not None, "a local match is played to its end"
        return self.match.outcome

    def record(self) -> str:
        """The match as one line that ``spades verify`` accepts."""
        players = tuple(
            (seat, Occupant(OccupantKind.AGENT, self.agents[seat].name)) for seat in Seat
        )
        circumstances = Circumstances(
            players=players, software=SOFTWARE, seed_chosen=self.seed_chosen
        )
        return record_line(self.match, circumstances)

    def save(self, path: str | Path) -> None:
        """Appends the record to a file."""
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(self.record() + "\n")


def play_local(
    agents: Seats,
    rules: Rules | str = PRESETS["classic"],
    seed: str | bytes | None = None,
    *,
    deals: ExplicitDeals | None = None,
    agent_secrets: Mapping[Seat, bytes] | None = None,
) -> LocalMatch:
    """Plays one match between four agents.

    The same agents, rules and seed give the same record. ``agent_secrets`` are what the agents' random
    numbers are made from; they follow from the seed unless they are given. Agents that are given as classes
    or specs are closed at the end.

    >>> play_local(["beginner", "random", "beginner", "random"], "quick", seed="7").outcome.winner
    Side.SOUTH_NORTH

    :raises SpadesError: if a spec names no agent, the rules are wrong, or an agent does something illegal.
    :raises AgentFailure: if a program does not start or ends, or an agent's answer is no bid or card.
    """
    return asyncio.run(
        play_local_async(agents, rules, seed, deals=deals, agent_secrets=agent_secrets)
    )


async def play_local_async(
    agents: Seats,
    rules: Rules | str = PRESETS["classic"],
    seed: str | bytes | None = None,
    *,
    deals: ExplicitDeals | None = None,
    agent_secrets: Mapping[Seat, bytes] | None = None,
) -> LocalMatch:
    """Plays one match within a running event loop; see :func:`play_local`."""
    if len(agents) != len(Seat):
        raise ValueError(f"{len(agents)} agents were given and a table has four seats.")
    players = tuple(map(agent_of, agents))
    if isinstance(rules, str):
        rules = parse_rules(rules)
    if isinstance(seed, str):
        seed = parse_seed(seed)
    source = deals or SeededDeals(seed or secrets.token_bytes(32))
    root = source.seed if isinstance(source, SeededDeals) else source.salt
    match = Match(rules, source, people=frozenset())
    given = agent_secrets or {}
    keys = [
        rng_key(given.get(seat) or agent_secret(root, seat), match.state.commitment, seat)
        for seat in Seat
    ]
    made = [player for player, given in zip(players, agents, strict=True) if player is not given]
    async with closing(made), in_match(players, match):
        while match.outcome is None:
            await _play_hand(match, players, keys)
            if match.outcome is None:
                match.deal_next()
    return LocalMatch(match, players, seed_chosen=seed is not None or deals is not None)


async def _play_hand(match: Match, agents: tuple[Agent, ...], keys: Sequence[bytes]) -> None:
    state = match.state
    players = [(agent, key, not agent.blocking) for agent, key in zip(agents, keys, strict=True)]
    while (seat := state.turn) is not None:
        agent, key, plain = players[seat]
        view = SeatView(state, seat, key)
        action: Action | Awaitable[Action]
        if plain and state.phase is PLAYING:
            try:
                answer = agent.play(view)
            except SystemExit as error:
                raise Exited(error) from error
            if isinstance(answer, Card):
                match.play(seat, answer)
                continue
            action = finish(DecisionKind.PLAY, answer)
        else:
            action = decide(agent, view)
        match.act(seat, await action if isinstance(action, Awaitable) else action)
