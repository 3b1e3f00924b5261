/**
 * Records the random tape of a process: loaded before a program (`node --import …/preload.ts`), it writes down everything that the
 * program draws through node:crypto and WebCrypto, in the main thread and in workers, in order, at once. It knows nothing about Eigenveil,
 * and Eigenveil nothing of it. With the tape goes every secret of the process, so that it says loudly what it does.
 *
 * What it cannot see is drawn inside OpenSSL: the ephemeral keys of TLS, the inner draws of a prime or a key (whose results are on the
 * tape), the witnesses of prime tests, and in SQLite. `Math.random` is no source of secrets and is left out.
 */
import crypto, { type ECDH, KeyObject } from 'node:crypto';
import { mkdirSync, openSync, writeSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { isMainThread, threadId } from 'node:worker_threads';
import { TAPE_FOLDER } from './tape-folder.ts';

/** Any function of a module; what it takes and gives is looked at when it is called. */
type Source = (this: unknown, ...args: unknown[]) => unknown;

const folder = process.env[TAPE_FOLDER];
if (folder === undefined)
  throw new Error(`${TAPE_FOLDER} expected the folder of the tapes: nothing starts unrecorded`);
mkdirSync(folder, { recursive: true, mode: 0o700 });
const file = openSync(join(folder, `${process.pid}-${threadId}.jsonl`), 'wx', 0o600);
const write = (line: object) => writeSync(file, `${JSON.stringify(line)}\n`);
write({ pid: process.pid, thread: threadId });
if (isMainThread) {
  process.stderr.write(
    `WARNING: EVERY SECRET of this process (${process.pid}) IS BEING RECORDED in ${folder}, for an evaluation. Stop it if anything here is real.\n`,
  );
}

/** By a program that is killed, too: the line is with the system before the draw is used. */
function record(source: string, drawn: unknown): void {
  const bytes = bytesOf(drawn);
  write({ at: performance.timeOrigin + performance.now(), source, bytes: bytes.toString('base64') });
}

function bytesOf(drawn: unknown): Buffer {
  if (drawn instanceof ArrayBuffer) return Buffer.from(drawn);
  if (ArrayBuffer.isView(drawn)) return Buffer.from(drawn.buffer, drawn.byteOffset, drawn.byteLength);
  if (typeof drawn === 'bigint') return Buffer.from(evenHex(drawn), 'hex');
  if (drawn instanceof KeyObject) {
    return drawn.type === 'secret' ? drawn.export() : drawn.export({ type: 'pkcs8', format: 'der' });
  }
  if (drawn instanceof CryptoKey) return bytesOf(KeyObject.from(drawn));
  if (typeof drawn === 'object' && drawn !== null && 'privateKey' in drawn) return bytesOf(drawn.privateKey);
  return Buffer.from(String(drawn)); // numbers, UUIDs, keys as PEM
}

function evenHex(value: bigint): string {
  const hex = value.toString(16);
  return hex.padStart(hex.length + (hex.length % 2), '0');
}

/** The draw, in terms of what a function gives, what it took, and whose method it is. */
type Drawn = (result: unknown, args: readonly unknown[], self: unknown) => unknown;

/** The function with its drawn value recorded, whether it is returned, promised or handed to a callback. */
function recorded(source: string, draw: Source, drawnOf: Drawn): Source {
  const wrapper: Source = function (...args) {
    const callback = args.at(-1);
    if (typeof callback === 'function') {
      args[args.length - 1] = (error: unknown, ...results: unknown[]) => {
        if (!error) record(source, drawnOf(results.at(-1), args, this));
        return callback(error, ...results);
      };
      return draw.apply(this, args);
    }
    const result = draw.apply(this, args);
    if (!(result instanceof Promise)) {
      record(source, drawnOf(result, args, this));
      return result;
    }
    return result.then((value) => {
      record(source, drawnOf(value, args, this));
      return value;
    });
  };
  // The wrapper has the property that promisify knows it by.
  return Object.defineProperties(wrapper, Object.getOwnPropertyDescriptors(draw));
}

function patch(owner: object, name: string, drawnOf: Drawn): void {
  const functions = owner as Record<string, Source | undefined>;
  const draw = functions[name];
  if (draw === undefined) return; // newer than this runtime
  const value = recorded(name, draw, drawnOf);
  Object.defineProperty(owner, name, { ...Object.getOwnPropertyDescriptor(owner, name), value });
}

/** The value that it returns, or hands on last: of a pair of keys the private one. */
const given: Drawn = (result) => result;

/** The bytes that it fills: the part of the buffer that was asked for, in the buffer's own unit. */
const filled: Drawn = (_, [buffer, offset, size]) => {
  const view = ArrayBuffer.isView(buffer) ? buffer : new Uint8Array(buffer as ArrayBuffer);
  const unit = 'BYTES_PER_ELEMENT' in view ? Number(view.BYTES_PER_ELEMENT) : 1;
  const from = typeof offset === 'number' ? offset * unit : 0;
  const length = typeof size === 'number' ? size * unit : view.byteLength - from;
  return new Uint8Array(view.buffer, view.byteOffset + from, length);
};

const heldAfterwards: Drawn = (_result, _args, self) => (self as ECDH).getPrivateKey();

const GIVING = [
  ...['randomBytes', 'randomInt', 'randomUUID', 'randomUUIDv7', 'generatePrime', 'generatePrimeSync'],
  ...['generateKey', 'generateKeySync', 'generateKeyPair', 'generateKeyPairSync'],
];
for (const name of GIVING) patch(crypto, name, given);
for (const name of ['randomFill', 'randomFillSync']) patch(crypto, name, filled);
for (const { prototype } of [crypto.ECDH, crypto.DiffieHellman, crypto.DiffieHellmanGroup]) {
  patch(prototype, 'generateKeys', heldAfterwards);
}
const { webcrypto } = crypto;
patch(Object.getPrototypeOf(webcrypto), 'getRandomValues', filled);
patch(Object.getPrototypeOf(webcrypto), 'randomUUID', given);
patch(Object.getPrototypeOf(webcrypto.subtle), 'generateKey', given);
syncBuiltinESMExports();
