// A bot that talks in lines of JSON, in plain JavaScript without any library.
//
// spades agent run 'cmd:node lines.mjs' --server localhost:7450

import { createInterface } from "node:readline";
import { act } from "./player.mjs";

const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  if (request.hello) {
    say({ ready: { name: "lines.mjs", version: "1" } });
  } else if (request.ask) {
    const { decision, view } = request.ask;
    say({ command: { decision: decision.id, action: act(decision, view.hand?.cards ?? []) } });
  } else if (request.refused) {
    console.error(request.refused.refusal.sentence);
  }
}
