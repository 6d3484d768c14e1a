// A server of Spades from outside: its link, its certificate and its services.

import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import tls from "node:tls";
import grpc from "@grpc/grpc-js";
import loader from "@grpc/proto-loader";

/** The folder that holds spades_proto/v1/*.proto. */
const PROTOS = process.env.SPADES_PROTOS ?? fileURLToPath(new URL("../../../proto", import.meta.url));

/** An address is no name for TLS; pings tell that a line is dead. */
const OPTIONS = { "grpc.ssl_target_name_override": "spades", "grpc.keepalive_time_ms": 20_000 };

/** Reads spades://HOST:PORT/TABLE#FINGERPRINT; the table and the fingerprint may be left out. */
export function parseLink(text) {
  const found = /^spades:\/\/([^/#]+):(\d+)(?:\/(\w*))?(?:#([\w-]{43}))?$/.exec(text);
  if (!found) throw new Error(`${text} is no link: spades://HOST:PORT/TABLE#FINGERPRINT is one.`);
  const [, host, port, table = "", fingerprint = ""] = found;
  return { host: host.replace(/^\[|\]$/g, ""), target: `${host}:${port}`, port: +port, table, fingerprint };
}

/** Has the server show its certificate (DER), before anything is sent. */
function shownCertificate({ host, port }) {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ host, port, rejectUnauthorized: false, ALPNProtocols: ["h2"] }, () => {
      resolve(socket.getPeerCertificate().raw);
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

/** Credentials that trust the certificate with the link's fingerprint, and no other. */
async function pinned(link) {
  const certificate = await shownCertificate(link);
  const fingerprint = createHash("sha256").update(certificate).digest("base64url");
  if (fingerprint !== link.fingerprint) {
    throw new Error(`The server at ${link.target} is not the one that the link is for. Nothing was sent.`);
  }
  const pem = `-----BEGIN CERTIFICATE-----\n${certificate.toString("base64")}\n-----END CERTIFICATE-----\n`;
  // It is recognised by itself and not by a name.
  return grpc.credentials.createSsl(Buffer.from(pem), null, null, { checkServerIdentity: () => undefined });
}

/** Connects to a server: pinned by the fingerprint of its link, without encryption on this machine alone. */
export async function connect(link) {
  if (!link.fingerprint && !/^(localhost|127\..*|::1)$/.test(link.host)) {
    throw new Error("A distant server is reached by the whole link, with its #FINGERPRINT.");
  }
  const credentials = link.fingerprint ? await pinned(link) : grpc.credentials.createInsecure();
  const files = ["agents", "competitions", "lobby", "players"].map((name) => `spades_proto/v1/${name}.proto`);
  const loaded = loader.loadSync(files, {
    includeDirs: [PROTOS], keepCase: true, longs: String, enums: String, defaults: true, oneofs: true,
  });
  const { v1 } = grpc.loadPackageDefinition(loaded).spades;
  const services = [v1.Players, v1.Lobby, v1.Agents, v1.Competitions];
  return new Server(...services.map((Service) => new Service(link.target, credentials, OPTIONS)));
}

/** The calls that a bot needs; each carries the player's token once there is one. */
class Server {
  constructor(players, lobby, agents, competitions) {
    Object.assign(this, { players, lobby, agents, competitions, metadata: new grpc.Metadata() });
  }

  set token(token) {
    this.metadata.set("authorization", `Bearer ${token}`);
  }

  call(service, method, request) {
    return new Promise((resolve, reject) => {
      service[method](request, this.metadata, { deadline: Date.now() + 10_000 }, (error, answer) =>
        error ? reject(new Error(error.details)) : resolve(answer),
      );
    });
  }

  stream() {
    return this.agents.Connect(this.metadata);
  }

  watch(competition) {
    return this.competitions.WatchCompetition({ competition }, this.metadata);
  }

  close() {
    for (const service of [this.players, this.lobby, this.agents, this.competitions]) service.close();
  }
}
