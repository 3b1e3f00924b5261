/**
 * A process that sends prepared contributions to the data user: for each a fresh proof of possession as the owner's client makes it,
 * over TLS connections that stay open, as many requests at a time as there are connections.
 */
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { createHistogram } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { TaskId } from '@eigenveil/task';
import { createProof, importSigningKey, type Piece, ReceiptResponse, type SigningKey } from '@eigenveil/wire';
import { type Latency, latencyOf, recordLatency } from './latency.ts';
import type { PreparedOwner, Slice } from './prepared.ts';

export interface ClientAssignment {
  /** The addresses of the data user's processes; connections are spread over them. */
  readonly urls: readonly string[];
  readonly ca: string;
  readonly taskId: TaskId;
  readonly slices: readonly Slice[];
  readonly contributionBytes: number;
  /** The pieces of a contribution that is too long for one request. */
  readonly pieces: readonly Piece[];
  readonly ciphertextBytes: number;
  readonly connections: number;
  /** Receipts after which the client reports. */
  readonly window: number;
}

export type ClientMessage =
  /** Owners have their keys; nothing has been sent. */
  | { readonly kind: 'ready' }
  /** A window is full. */
  | {
      readonly kind: 'window';
      readonly contributions: number;
      readonly seconds: number;
      readonly latency: Latency;
    }
  /** Everything has been sent and has its receipt. */
  | { readonly kind: 'done'; readonly seconds: number; readonly latency: Latency };

interface Sender {
  readonly key: SigningKey;
  readonly ownerToken: string;
  readonly record: string;
  readonly file: FileHandle;
  readonly position: number;
}

class Client {
  readonly #assignment: ClientAssignment;
  readonly #senders: readonly Sender[];
  readonly #agents: readonly Agent[];
  readonly #all = createHistogram();
  readonly #window = createHistogram();
  #next = 0;
  #received = 0;
  #started = 0;

  constructor(assignment: ClientAssignment, senders: readonly Sender[]) {
    this.#assignment = assignment;
    this.#senders = senders;
    this.#agents = assignment.urls.map(
      () => new Agent({ keepAlive: true, ca: assignment.ca, minVersion: 'TLSv1.3' }),
    );
  }

  async run(): Promise<void> {
    this.#started = performance.now();
    const { connections } = this.#assignment;
    await Promise.all(Array.from({ length: connections }, (_, connection) => this.#sendOn(connection)));
    const seconds = (performance.now() - this.#started) / 1000;
    for (const agent of this.#agents) agent.destroy();
    tell({ kind: 'done', seconds, latency: latencyOf(this.#all) });
  }

  async #sendOn(connection: number): Promise<void> {
    for (let sender = this.#take(); sender !== undefined; sender = this.#take()) {
      const milliseconds = await this.#send(sender, connection % this.#agents.length);
      this.#record(milliseconds);
    }
  }

  #take(): Sender | undefined {
    return this.#senders[this.#next++];
  }

  /** Sends one contribution and returns how long its receipt took. */
  async #send(sender: Sender, at: number): Promise<number> {
    const { contributionBytes, pieces, ciphertextBytes } = this.#assignment;
    const started = performance.now();
    for (const { number, from, to } of pieces)
      await this.#put(sender, at, `/pieces/${number}`, [from * ciphertextBytes, to * ciphertextBytes]);
    const answer = await this.#put(sender, at, '', [0, pieces.length === 0 ? contributionBytes : 0]);
    ReceiptResponse.parse(JSON.parse(answer));
    return performance.now() - started;
  }

  /** Bytes of a contribution, as one request; its answer. */
  async #put(
    { key, ownerToken, record, file, position }: Sender,
    at: number,
    path: string,
    [from, to]: readonly [number, number],
  ): Promise<string> {
    const { taskId, urls } = this.#assignment;
    const body = Buffer.allocUnsafe(to - from);
    await file.read(body, 0, body.length, position + from);
    const url = `${urls[at]}/tasks/${taskId}/contribution${path}`;
    const method = 'PUT';
    const headers = {
      'content-type': 'application/octet-stream',
      'content-length': body.length,
      'eigenveil-record': record,
      dpop: await createProof(key, { method, url, token: ownerToken }),
      authorization: `DPoP ${ownerToken}`,
    };
    const outgoing = request(url, { method, headers, agent: this.#agents[at] });
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    outgoing.once('error', reject).once('response', (incoming) => {
      text(incoming).then((answer) => {
        if (incoming.statusCode === 200) resolve(answer);
        else reject(new Error(`a contribution got status ${incoming.statusCode}: ${answer}`));
      }, reject);
    });
    outgoing.end(body);
    return await promise;
  }

  #record(milliseconds: number): void {
    recordLatency(this.#all, milliseconds);
    recordLatency(this.#window, milliseconds);
    this.#received += 1;
    if (this.#received % this.#assignment.window > 0) return;
    const seconds = (performance.now() - this.#started) / 1000;
    tell({ kind: 'window', contributions: this.#received, seconds, latency: latencyOf(this.#window) });
    this.#window.reset();
  }
}

/** Everything that owners have before they send: their keys in use, and where their contribution lies. */
async function readSenders({ slices, contributionBytes }: ClientAssignment): Promise<Sender[]> {
  const senders: Sender[] = [];
  for (const { ownersFile, contributionsFile } of slices) {
    const file = await open(contributionsFile);
    let position = 0;
    for await (const line of createInterface({ input: createReadStream(ownersFile) })) {
      const { privateJwk, ownerToken, record } = JSON.parse(line) as PreparedOwner;
      senders.push({ key: await importSigningKey(privateJwk), ownerToken, record, file, position });
      position += contributionBytes;
    }
  }
  return senders;
}

function tell(message: ClientMessage): void {
  process.send!(message);
}

process.once('message', (assignment: ClientAssignment) => {
  readSenders(assignment)
    .then((senders) => {
      const client = new Client(assignment, senders);
      process.once('message', () => {
        client.run().then(() => leave(senders), fail);
      });
      tell({ kind: 'ready' });
    })
    .catch(fail);
});

/** Files must be closed by hand: one that memory is freed of before ends the process with an error. */
async function leave(senders: readonly Sender[]): Promise<void> {
  for (const file of new Set(senders.map(({ file }) => file))) await file.close();
  process.disconnect!();
}

function fail(error: unknown): void {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
}
