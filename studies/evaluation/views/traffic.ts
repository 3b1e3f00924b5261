/** The traffic in front of the services, put together: messages in clear for their receivers, sizes and times for the network. */
import { CodedError } from '@eigenveil/platform';
import { CountingProxy, type Direction } from '@eigenveil/testbed/proxies/counting-proxy';
import { nameOfRequest, readFrames, readHttp } from '@eigenveil/testbed/proxies/http-messages';
import { EVALUATION_CODES } from '../codes.ts';
import { clientRandomOf, decrypted, type KeyLog, type Passed, recordsOf } from './tls.ts';
import type { Message, Party, Passage } from './view.ts';

interface Watched {
  readonly toService: Passed[];
  readonly fromService: Passed[];
}

/** All of it is held in memory, more than once. */
const MOST_BYTES = 400_000_000;

/** The wire in front of one service, which sees ciphertext alone. */
export class Wire {
  readonly service: Party;
  readonly #proxy: CountingProxy<'peer'>;
  readonly #connections: Watched[] = [];
  #bytes = 0;
  #last: Direction | undefined;

  private constructor(service: Party, proxy: CountingProxy<'peer'>, turned: () => void) {
    this.service = service;
    this.#proxy = proxy;
    proxy.observe = (connection, direction, bytes) => {
      this.#connections[connection] ??= { toService: [], fromService: [] };
      const watched = this.#connections[connection];
      const side = direction === 'to service' ? watched.toService : watched.fromService;
      this.#bytes += bytes.length;
      if (this.#bytes <= MOST_BYTES) side.push({ at: performance.timeOrigin + performance.now(), bytes });
      if (direction !== this.#last) turned();
      this.#last = direction;
    };
  }

  /** `turned` is called, before anything is passed on, whenever bytes begin to go the other way. */
  static async start(service: Party, turned: () => void): Promise<Wire> {
    return new Wire(service, await CountingProxy.start('peer'), turned);
  }

  /** The address under which everybody reaches the service. */
  get url(): string {
    return `https://127.0.0.1:${this.#proxy.port}`;
  }

  /** Call this before anybody connects. */
  attach(listensOn: string): void {
    this.#proxy.target = Number(new URL(listensOn).port);
  }

  /**
   * Connections of TLS; whoever hung up before a hello was whole said nothing.
   * @throws ERR_VIEW_UNREADABLE
   */
  connections(): readonly Watched[] {
    if (this.#bytes > MOST_BYTES) {
      const message = `more than ${MOST_BYTES} bytes passed in front of the ${this.service}: record a task with fewer features, or by rotated`;
      throw new CodedError(EVALUATION_CODES.ERR_VIEW_UNREADABLE, message);
    }
    return this.#connections.filter((it) => it !== undefined && clientRandomOf(it) !== undefined);
  }

  close(): void {
    this.#proxy.close();
  }
}

export interface Traffic {
  /** The messages by receiver. */
  readonly received: ReadonlyMap<Party, Message[]>;
  readonly passages: readonly Passage[];
  /** Every byte on the wire. */
  readonly ciphertext: readonly Buffer[];
}

/**
 * @param logs the TLS secrets of each process: who connected is whose log, beside the service's, has the connection's; otherwise the operator
 * @param began milliseconds since 1970, from which times count
 * @throws ERR_VIEW_UNREADABLE
 */
export function trafficOf(wires: readonly Wire[], logs: ReadonlyMap<Party, KeyLog>, began: number): Traffic {
  const received = new Map<Party, Message[]>();
  const passages: Omit<Passage, 'connection'>[][] = [];
  for (const wire of wires) {
    for (const connection of wire.connections()) {
      const random = clientRandomOf(connection)!;
      const others = [...logs].filter(([party, log]) => party !== wire.service && log.has(random));
      const client = others[0]?.[0] ?? 'operator';
      const keys = logs.get(wire.service) ?? new Map();
      const between = { client, service: wire.service };
      // One that ended before the service answered has no secrets, and nobody has read anything by it.
      const isAnswered = recordsOf(connection.fromService).length > 0;
      const messages = isAnswered ? messagesOf(decrypted(connection, keys), between, began) : [];
      for (const [to, message] of messages) {
        const known = received.get(to) ?? [];
        received.set(to, known);
        known.push(message);
      }
      passages.push(passagesOf(connection, between, began));
    }
  }
  for (const messages of received.values()) messages.sort((a, b) => a.at - b.at);
  return {
    received,
    passages: passages
      .sort((a, b) => a[0]!.at - b[0]!.at)
      .flatMap((records, i) => records.map((record) => ({ ...record, connection: i + 1 })))
      .sort((a, b) => a.at - b.at),
    ciphertext: wires.flatMap((wire) =>
      wire.connections().flatMap(({ toService, fromService }) => [toService, fromService].map(whole)),
    ),
  };
}

interface Between {
  readonly client: Party;
  readonly service: Party;
}

function passagesOf({ toService, fromService }: Watched, { client, service }: Between, began: number) {
  const along = (passed: readonly Passed[], from: Party, to: Party) =>
    recordsOf(passed).map(({ at, type, bytes }) => ({
      at: since(began, at),
      from,
      to,
      type,
      size: bytes.length + 5,
    }));
  return [...along(toService, client, service), ...along(fromService, service, client)].sort(
    (a, b) => a.at - b.at,
  );
}

function messagesOf(clear: Watched, { client, service }: Between, began: number): [Party, Message][] {
  const [to, from] = [whole(clear.toService), whole(clear.fromService)];
  const [requests, answers] = [httpOf(to), httpOf(from)];
  const name = (i: number) => nameOfRequest(requests.messages[i]?.head ?? '');
  const at = (passed: readonly Passed[], end: number) => since(began, timeOf(passed, end));
  const asked = requests.messages.map(({ head, body, end }, i): [Party, Message] => [
    service,
    {
      at: at(clear.toService, end),
      from: client,
      kind: 'request',
      name: name(i),
      bytes: asBytes(head, body),
    },
  ]);
  const answered = answers.messages.map(({ head, body, end }, i): [Party, Message] => [
    client,
    {
      at: at(clear.fromService, end),
      from: service,
      kind: 'answer',
      name: name(i),
      bytes: asBytes(head, body),
    },
  ]);
  const framed = (
    bytes: Buffer,
    passed: readonly Passed[],
    start: number | undefined,
    sides: [Party, Party],
  ) =>
    readFrames(bytes, start ?? bytes.length).map(({ payload, end }): [Party, Message] => [
      sides[1],
      {
        ...{ at: at(passed, end), from: sides[0], kind: 'frame' },
        ...{ name: name(requests.messages.length - 1), bytes: payload },
      },
    ]);
  return [
    ...asked,
    ...answered,
    ...framed(to, clear.toService, requests.upgradedAt, [client, service]),
    ...framed(from, clear.fromService, answers.upgradedAt, [service, client]),
  ];
}

function httpOf(bytes: Buffer) {
  try {
    return readHttp(bytes);
  } catch (cause) {
    throw new CodedError(
      EVALUATION_CODES.ERR_VIEW_UNREADABLE,
      'what passed was no whole HTTP: record the task again',
      {
        cause,
      },
    );
  }
}

const asBytes = (head: string, body: Buffer) =>
  Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), body]);
const whole = (passed: readonly Passed[]) => Buffer.concat(passed.map(({ bytes }) => bytes));
const since = (began: number, at: number) => Math.max(0, at - began);

/** Returns when the byte before `end` passed. */
function timeOf(passed: readonly Passed[], end: number): number {
  let arrived = 0;
  for (const { at, bytes } of passed) {
    arrived += bytes.length;
    if (arrived >= end) return at;
  }
  return passed.at(-1)?.at ?? 0;
}
