// A bot that sits down at a table and plays a match over gRPC.
//
// node bot.mjs spades://HOST:PORT/TABLE#FINGERPRINT [NAME] [--stay | --entry=COMPETITION]
//
// Without a table it opens one with three house bots. With --stay it opens none and plays, until it is stopped, at
// every table at which its player is seated; with --entry it enters a competition first and plays until that is over.
// SPADES_TOKEN holds the token of a player that exists; without it one is registered.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { act } from "../player.mjs";
import { compete } from "./competition.mjs";
import { Hand } from "./hand.mjs";
import { connect, parseLink } from "./server.mjs";

const PROTOCOL = 1;
const TRIES = 20;
/** Something between two frames is missing: the stream is opened again, and begins with a snapshot. */
const GAP = Symbol("gap");

const SIDES = { SIDE_SOUTH_NORTH: "South and North", SIDE_WEST_EAST: "West and East" };

class Bot {
  seats = new Map();
  /** How many matches of each table were told of: at a competition's table there is news for each seat of a side. */
  told = new Map();
  outcome = null;

  /** Without a table it plays at all of them, and never ends. */
  constructor(server, name, table = "") {
    Object.assign(this, { server, name, table });
  }

  /** Plays until a match is over; a lost line is opened again, and begins with a snapshot. */
  async play() {
    for (let tries = 0; !this.outcome; tries++) {
      if (await this.#listen()) tries = 0;
      if (!this.outcome && tries >= TRIES) throw new Error("The server did not come back.");
      if (!this.outcome) await sleep(Math.min(5_000, 200 * 2 ** tries));
    }
    return this.outcome;
  }

  /** Ends the playing: no more tables are to come. */
  leave() {
    this.outcome ??= {};
    this.stream?.end();
  }

  /** Serves one stream to its end; says whether it was welcome. */
  #listen() {
    // What was answered before may not have got there.
    for (const known of this.seats.values()) known.asked = "";
    return new Promise((resolve, reject) => {
      let welcome = false;
      const stream = this.server.stream();
      this.stream = stream;
      stream.write({ hello: { protocol: PROTOCOL, agent: this.name, delivery: "DELIVERY_ON_DECISION" } });
      stream.on("data", (response) => {
        welcome ||= Boolean(response.welcome);
        const commands = response.frames.flatMap((some) => this.#take(some));
        if (commands.includes(GAP)) return stream.cancel();
        const echoes = response.heartbeat?.echo > 0 ? [response.heartbeat.echo] : [];
        for (const { refusal } of response.answered) if (refusal) console.error(refusal.sentence);
        if (commands.length || echoes.length) stream.write({ commands, echoes });
        if (this.outcome) stream.end();
        const goodbye = response.goodbye;
        if (goodbye && goodbye.retry_after_ms === undefined) reject(new Error(goodbye.sentence));
      });
      stream.on("error", (error) => {
        // 14: the line is lost, 1: it was ended, 8: too much at once, 10: somebody else took over.
        if ([14, 1, 8].includes(error.code)) resolve(welcome);
        else reject(new Error(error.details));
      });
      stream.on("end", () => resolve(welcome));
    });
  }

  /** Takes in the frames of a seat; returns what is to be answered. */
  #take({ table, seat, frames }) {
    if (this.table && table !== this.table) return [];
    const place = `${table} ${seat}`;
    const known = this.seats.get(place) ?? { hand: new Hand(seat), seq: 0, asked: "", matches: 0 };
    this.seats.set(place, known);
    let open = null;
    for (const frame of frames) {
      // What was seen before comes again now and then.
      const seen = frame.epoch === known.epoch && +frame.seq <= known.seq;
      if (frame.snapshot && (!seen || +frame.seq === known.seq)) {
        known.epoch = frame.epoch;
        known.hand = new Hand(seat);
        frame.snapshot.match.forEach((event) => known.hand.take(event));
      } else if (seen || !(frame.event || frame.snapshot)) {
        continue;
      } else if (+frame.seq > known.seq + 1) {
        return [GAP];
      } else {
        known.hand.take(frame.event);
        if (frame.event.match_ended) this.#over(table, ++known.matches, frame.event.match_ended.outcome);
        // The turn has passed, or the decision was withdrawn, unless this frame opens another.
        if (["card_played", "bid_made", "cards_passed", "play_taken_back"].includes(frame.event.kind)) open = null;
      }
      known.seq = +frame.seq;
      if (frame.decision) open = { decision: frame.decision, epoch: frame.epoch };
    }
    return open ? this.#answer(table, seat, known, open) : [];
  }

  #over(table, number, { winner, reason, totals }) {
    if (number > (this.told.get(table) ?? 0)) {
      this.told.set(table, number);
      const given = reason === "END_REASON_SURRENDER" ? ": the other side gave the game up" : ` ${totals.join(" to ")}`;
      console.log(`Table ${table}: ${winner in SIDES ? `${SIDES[winner]} have won` : "a draw"}${given}.`);
    }
    if (this.table) this.outcome = { winner, reason, totals };
  }

  #answer(table, seat, known, { decision, epoch }) {
    const asked = `${decision.id} ${decision.may_look}`;
    if (known.asked === asked) return [];
    known.asked = asked;
    const action = act(decision, known.hand.cards);
    // A look answers no decision: it names the hand.
    const which = action.look ? { hand_number: known.hand.number } : { decision: decision.id };
    return [{ table, seat, request_id: randomUUID(), epoch, action, ...which }];
  }
}

/** Sits down at the table of the link, or opens one with house bots and starts. */
async function sitDown(server, table) {
  if (table) {
    await server.call(server.lobby, "Sit", { table, kind: "OCCUPANT_KIND_AGENT" });
    return table;
  }
  const bots = ["SEAT_WEST", "SEAT_NORTH", "SEAT_EAST"].map((seat) => ({ seat, bot: "gentle" }));
  const made = await server.call(server.lobby, "CreateTable", {
    rules: process.env.SPADES_RULES ?? "", seats: ["SEAT_SOUTH"], bots, kind: "OCCUPANT_KIND_AGENT", start: true,
  });
  return made.table.code;
}

async function main(words) {
  const competition = words.find((word) => word.startsWith("--entry="))?.slice("--entry=".length);
  const stay = words.includes("--stay");
  const [text, name = `js-${randomUUID().slice(0, 8)}`] = words.filter((word) => !word.startsWith("--"));
  const link = parseLink(text ?? "");
  const server = await connect(link);
  try {
    server.token =
      process.env.SPADES_TOKEN ?? (await server.call(server.players, "Register", { name })).token;
    if (competition) {
      if (!(await compete(server, name, competition, new Bot(server, name)))) process.exitCode = 1;
      return;
    }
    const table = stay && !link.table ? "" : await sitDown(server, link.table);
    console.log(table ? `${name} sits at table ${table}.` : `${name} waits for seats.`);
    await new Bot(server, name, stay ? "" : table).play();
  } finally {
    server.close();
  }
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
