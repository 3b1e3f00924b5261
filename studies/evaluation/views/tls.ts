/**
 * The bytes that went through a connection of TLS 1.3, in clear (RFC 8446, sections 5 and 7), from the bytes that passed and the secrets that either
 * end wrote down (`--tls-keylog`): the processes and their connections stay as they are, and nobody sits in the midst.
 */
import { type CipherGCMTypes, createDecipheriv, createHmac } from 'node:crypto';
import { CodedError } from '@eigenveil/platform';
import { EVALUATION_CODES } from '../codes.ts';

/** Some bytes in one direction, and when they passed: milliseconds since 1970. */
export interface Passed {
  readonly at: number;
  readonly bytes: Buffer;
}

interface Connection {
  readonly toService: readonly Passed[];
  readonly fromService: readonly Passed[];
}

/** By client random (hexadecimal) and label, such as `CLIENT_TRAFFIC_SECRET_0`. */
export type KeyLog = ReadonlyMap<string, ReadonlyMap<string, Buffer>>;

export function readKeyLog(text: string): KeyLog {
  const log = new Map<string, Map<string, Buffer>>();
  for (const line of text.split('\n')) {
    const [label, random, secret] = line.split(' ');
    if (label === undefined || random === undefined || secret === undefined) continue;
    const labels = log.get(random) ?? new Map<string, Buffer>();
    log.set(random, labels.set(label, Buffer.from(secret, 'hex')));
  }
  return log;
}

/** The part of a record that the network sees: its header is in clear. */
interface TlsRecord {
  readonly at: number;
  readonly type: number;
  /** The bytes that follow the header. */
  readonly bytes: Buffer;
}

const HEADER_BYTES = 5;
const HANDSHAKE = 22;
const APPLICATION_DATA = 23;
const FINISHED = 20;
const KEY_UPDATE = 24;

/** Whole records, each at the time when its last byte passed; one that was broken off is left out. */
export function recordsOf(passed: readonly Passed[]): TlsRecord[] {
  const bytes = Buffer.concat(passed.map((it) => it.bytes));
  const records: TlsRecord[] = [];
  let [chunk, arrived] = [0, passed[0]?.bytes.length ?? 0];
  for (let start = 0; start + HEADER_BYTES <= bytes.length; ) {
    const end = start + HEADER_BYTES + bytes.readUInt16BE(start + 3);
    if (end > bytes.length) break;
    while (arrived < end) {
      chunk += 1;
      arrived += passed[chunk]!.bytes.length;
    }
    records.push({
      at: passed[chunk]!.at,
      type: bytes[start]!,
      bytes: bytes.subarray(start + HEADER_BYTES, end),
    });
    start = end;
  }
  return records;
}

/** By which a connection is found in a log of keys, hexadecimal; undefined before its first message is whole. */
export function clientRandomOf({ toService }: Connection): string | undefined {
  const [hello] = recordsOf(toService);
  // Handshake message: type, three bytes of length, two of version, then the random.
  return hello?.type === HANDSHAKE ? hello.bytes.toString('hex', 6, 38) : undefined;
}

/**
 * The application's data in either direction.
 * @throws ERR_VIEW_UNREADABLE when the secrets of the connection are not in the log, or do not open it
 */
export function decrypted(connection: Connection, keys: KeyLog): Record<keyof Connection, Passed[]> {
  const secrets = keys.get(clientRandomOf(connection) ?? '');
  if (secrets === undefined) throw unreadable('has no secrets in the logs of the processes');
  const suite = suiteOf(connection);
  const open = (side: 'CLIENT' | 'SERVER', passed: readonly Passed[]) => {
    const [handshake, traffic] = [`${side}_HANDSHAKE_TRAFFIC_SECRET`, `${side}_TRAFFIC_SECRET_0`];
    const [first, second] = [secrets.get(handshake), secrets.get(traffic)];
    if (first === undefined || second === undefined) throw unreadable('has not all its secrets in the logs');
    return openRecords(recordsOf(passed), suite, first, second);
  };
  return {
    toService: open('CLIENT', connection.toService),
    fromService: open('SERVER', connection.fromService),
  };
}

interface Suite {
  readonly cipher: CipherGCMTypes;
  readonly keyBytes: number;
  readonly hash: 'sha256' | 'sha384';
}

/** The cipher that OpenSSL's two ends agree on where the processor has AES; a connection with ChaCha20 is refused. */
const SUITES: Readonly<Record<number, Suite>> = {
  4865: { cipher: 'aes-128-gcm', keyBytes: 16, hash: 'sha256' },
  4866: { cipher: 'aes-256-gcm', keyBytes: 32, hash: 'sha384' },
};
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** From the server's hello: the session id, of one byte of length, comes before it. */
function suiteOf({ fromService }: Connection): Suite {
  const [hello] = recordsOf(fromService);
  const suite =
    hello?.type === HANDSHAKE ? SUITES[hello.bytes.readUInt16BE(39 + hello.bytes[38]!)] : undefined;
  if (suite === undefined) throw unreadable('expected TLS 1.3 with AES-GCM');
  return suite;
}

/** HKDF-Expand-Label with an empty context. One block is enough for a key, a nonce and another secret. */
function expand({ hash }: Suite, secret: Buffer, label: string, length: number): Buffer {
  const name = Buffer.from(`tls13 ${label}`);
  const info = Buffer.from([length >> 8, length & 255, name.length, ...name, 0, 1]);
  return createHmac(hash, secret).update(info).digest().subarray(0, length);
}

/** One direction: keys of its present epoch, and the records that came under them. */
class Opener {
  readonly #suite: Suite;
  readonly #secret: Buffer;
  readonly #key: Buffer;
  readonly #iv: Buffer;
  #sequence = 0n;

  constructor(suite: Suite, secret: Buffer) {
    this.#suite = suite;
    this.#secret = secret;
    this.#key = expand(suite, secret, 'key', suite.keyBytes);
    this.#iv = expand(suite, secret, 'iv', NONCE_BYTES);
  }

  /** Returns the opener under the secret that follows from the present one. */
  next(): Opener {
    return new Opener(this.#suite, expand(this.#suite, this.#secret, 'traffic upd', this.#secret.length));
  }

  /** The content with its type. */
  open(record: Buffer): { content: Buffer; type: number } {
    const nonce = Buffer.from(this.#iv);
    nonce.writeBigUInt64BE(nonce.readBigUInt64BE(4) ^ this.#sequence, 4);
    this.#sequence += 1n;
    const decipher = createDecipheriv(this.#suite.cipher, this.#key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from([APPLICATION_DATA, 3, 3, record.length >> 8, record.length & 255]));
    decipher.setAuthTag(record.subarray(-TAG_BYTES));
    const padded = decipher.update(record.subarray(0, -TAG_BYTES));
    try {
      decipher.final();
    } catch {
      throw unreadable('was not opened by the secrets in the logs');
    }
    let last = padded.length - 1;
    while (padded[last] === 0) last -= 1;
    return { content: padded.subarray(0, last), type: padded[last]! };
  }
}

function openRecords(
  records: readonly TlsRecord[],
  suite: Suite,
  handshake: Buffer,
  traffic: Buffer,
): Passed[] {
  let opener = new Opener(suite, handshake);
  let pending = Buffer.alloc(0);
  const data: Passed[] = [];
  for (const { at, type, bytes } of records) {
    if (type !== APPLICATION_DATA) continue;
    const opened = opener.open(bytes);
    if (opened.type === APPLICATION_DATA) data.push({ at, bytes: opened.content });
    if (opened.type !== HANDSHAKE) continue;
    pending = Buffer.concat([pending, opened.content]);
    for (let length = lengthOf(pending); length <= pending.length; length = lengthOf(pending)) {
      if (pending[0] === FINISHED) opener = new Opener(suite, traffic);
      if (pending[0] === KEY_UPDATE) opener = opener.next();
      pending = pending.subarray(length);
    }
  }
  return data;
}

/** The length of the first handshake message; more than there is when it is not whole. */
function lengthOf(messages: Buffer): number {
  return messages.length < 4 ? 4 : 4 + messages.readUIntBE(1, 3);
}

function unreadable(problem: string): CodedError {
  return new CodedError(
    EVALUATION_CODES.ERR_VIEW_UNREADABLE,
    `a connection that was recorded ${problem}: record the task again`,
  );
}
