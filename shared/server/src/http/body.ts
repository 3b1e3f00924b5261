/**
 * Reads request bodies within bounds that are known beforehand. It does not use body-parser, which goes on
 * reading after a refusal for as long as the peer sends, and takes JSON in any character set.
 */
import type { IncomingMessage } from 'node:http';
import { CodedError } from '@eigenveil/platform';
import { CODES, explainIssues } from '@eigenveil/wire';
import type { z } from 'zod';

/** Any message here nests far less deeply; deeper ones could exhaust the stack of code that walks them. */
const DEEPEST_JSON = 32;
/**
 * The number of bytes of an unwanted body that are read and dropped. Some are read, because a peer that is
 * still sending would see only a reset if the connection were closed under it, and never the answer. Not all
 * are read, because the body may be endless.
 */
const DRAIN_BYTES = 1024 * 1024;
/**
 * A body must come at 64 kbit/s after its first ten seconds: a slower peer keeps a connection busy, which for
 * small bodies the limit of every request (120 s) would allow for long.
 */
const BODY_GRACE_MILLISECONDS = 10_000;
const SLOWEST_BYTES_PER_MILLISECOND = 8;

/**
 * Reads the JSON body, checked by `schema`.
 * @throws ERR_CONTENT_TYPE, ERR_BODY_TOO_LARGE, ERR_BODY_MALFORMED (not UTF-8, not JSON, nested too deep),
 *   ERR_REQUEST_TIMEOUT or ERR_BODY_INVALID, which names the place and the expectation but not the value
 */
export async function readJson<Schema extends z.ZodType>(
  request: IncomingMessage,
  schema: Schema,
  limitBytes: number,
): Promise<z.output<Schema>> {
  expectContent(request, 'application/json');
  const bytes = await readBytes(request, limitBytes);
  return parseWith(schema, parseJson(bytes), 'body');
}

/**
 * Reads a binary body (application/octet-stream) of exactly the expected length. A declared length that
 * differs is refused before anything is read.
 * @throws ERR_CONTENT_TYPE, ERR_BODY_LENGTH (shorter), ERR_REQUEST_TIMEOUT or ERR_BODY_TOO_LARGE
 */
export async function readBinary(request: IncomingMessage, expectedBytes: number): Promise<Uint8Array> {
  expectContent(request, 'application/octet-stream');
  const declared = declaredLength(request);
  if (declared !== undefined && declared < expectedBytes) throw wrongLength(expectedBytes, declared);
  const bytes = await readBytes(request, expectedBytes);
  if (bytes.length !== expectedBytes) throw wrongLength(expectedBytes, bytes.length);
  return bytes;
}

/** Reads and drops the rest of a body, up to DRAIN_BYTES; then the connection is closed. */
export function drain(request: IncomingMessage): void {
  let left = DRAIN_BYTES;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.destroy();
  });
}

/**
 * Returns `value` as the schema gives it.
 * @throws ERR_BODY_INVALID
 */
export function parseWith<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  whole: string,
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new CodedError(CODES.ERR_BODY_INVALID, explainIssues(result.error, whole));
}

function expectContent(request: IncomingMessage, expected: string): void {
  // Compressed bodies would need a second bound, on what they expand to; nothing here compresses well anyway.
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new CodedError(CODES.ERR_CONTENT_TYPE, '"Content-Encoding" expected no compression');
  }
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  const charsets = parameters.map((parameter) => parameter.trim()).filter((it) => it.startsWith('charset='));
  if (type.trim() !== expected || charsets.some((it) => it.replaceAll('"', '') !== 'charset=utf-8')) {
    throw new CodedError(CODES.ERR_CONTENT_TYPE, `"Content-Type" expected ${expected}`);
  }
}

async function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  const declared = declaredLength(request);
  if (declared !== undefined && declared > limit) throw tooLarge(limit);
  // If the peer left while the handler was looking something up, the events below will never come.
  if (request.destroyed || request.readableEnded) throw brokenOff();
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let length = 0;
  const onData = (chunk: Buffer): void => {
    length += chunk.length;
    if (length <= limit) chunks.push(chunk);
    else settle(() => reject(tooLarge(limit)));
  };
  const onEnd = (): void => settle(() => resolve(Buffer.concat(chunks, length)));
  const onClose = (): void => settle(() => reject(brokenOff()));
  const timer = setTimeout(
    () => settle(() => reject(new CodedError(CODES.ERR_REQUEST_TIMEOUT, '"body" expected to arrive sooner'))),
    BODY_GRACE_MILLISECONDS + (declared ?? limit) / SLOWEST_BYTES_PER_MILLISECOND,
  );
  const settle = (outcome: () => void): void => {
    clearTimeout(timer);
    request.off('data', onData).off('end', onEnd).off('close', onClose);
    outcome();
  };
  request.on('data', onData).on('end', onEnd).on('close', onClose);
  return promise;
}

function declaredLength(request: IncomingMessage): number | undefined {
  const header = request.headers['content-length'];
  return header === undefined ? undefined : Number(header); // Node's parser admits digits only
}

function tooLarge(limit: number): CodedError {
  return new CodedError(CODES.ERR_BODY_TOO_LARGE, `"body" expected at most ${limit} bytes`);
}

function brokenOff(): CodedError {
  return new CodedError(CODES.ERR_BODY_LENGTH, 'the request was broken off before its end, or read before');
}

function wrongLength(expected: number, actual: number): CodedError {
  const message = `"body" expected ${expected} bytes, got ${actual}`;
  return new CodedError(CODES.ERR_BODY_LENGTH, message);
}

function parseJson(bytes: Buffer): unknown {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // The error has no cause: the message of JSON.parse quotes the text, which may hold a token.
    throw new CodedError(CODES.ERR_BODY_MALFORMED, '"body" expected JSON in UTF-8');
  }
  if (isDeeperThan(value, DEEPEST_JSON)) {
    throw new CodedError(
      CODES.ERR_BODY_MALFORMED,
      `"body" expected at most ${DEEPEST_JSON} levels of nesting`,
    );
  }
  return value;
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}
