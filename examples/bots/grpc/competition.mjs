// A competition, from the entry to its end.

import { setTimeout as sleep } from "node:timers/promises";

const TRIES = 20;
const CALLED_OFF = "COMPETITION_STAGE_CALLED_OFF";
const OVER = { COMPETITION_STAGE_FINISHED: "is over", [CALLED_OFF]: "was called off" };

/** Enters a competition and has a bot play until it is over; says how it ended, and whether there was anything to play. */
export async function compete(server, name, competition, bot) {
  const entered = await server.call(server.competitions, "EnterCompetition", { competition, name });
  const { id } = entered.competition;
  let { stage } = entered.competition;
  // An entry is good for ever, so that whoever was ended can come back: also when it is too late.
  if (!(stage in OVER)) {
    console.log(`${entered.name} is entered in ${id}.`);
    console.log(`${name} waits for seats.`);
    const playing = bot.play();
    const watching = new AbortController();
    try {
      stage = await Promise.race([playing, ending(server, id, watching.signal)]);
    } finally {
      // Whoever may not play any more has nothing to wait for.
      watching.abort();
    }
    bot.leave();
    await playing;
  }
  console.log(`${id} ${OVER[stage]}.`);
  return stage !== CALLED_OFF;
}

/** Waits until a competition is over; a lost line is opened again. */
async function ending(server, id, signal) {
  for (let tries = 0; tries < TRIES; tries++) {
    const stage = await new Promise((resolve) => {
      const stream = server.watch(id);
      signal.addEventListener("abort", () => stream.cancel(), { once: true });
      stream.on("data", ({ competition }) => {
        tries = 0;
        if (competition.stage in OVER) resolve(competition.stage);
      });
      stream.on("error", () => resolve(""));
      stream.on("end", () => resolve(""));
    });
    if (stage) return stage;
    await sleep(Math.min(5_000, 200 * 2 ** tries), undefined, { signal });
  }
  throw new Error("The server did not come back.");
}
