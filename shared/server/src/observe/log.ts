/** Structured logs, one JSON object per line, in which no secret and no plaintext can appear. */

import type { NextFunction, Request, Response } from 'express';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from '../cli/settings.ts';
import { type Context, contextOf } from '../http/context.ts';
import type { PeerNames } from '../http/peer-names.ts';

export type { Logger };

/**
 * A pino logger that makes every argument and binding safe first: members with a secret's name, big
 * integers, bytes and class instances are never written, errors are written as name, code, message, stack and
 * cause. (pino's own `redact` knows only paths that are listed beforehand.)
 * @param destination standard error when left out: standard output is for the results of commands.
 */
export function createLogger(
  options: { readonly service: string; readonly level: LogLevel },
  destination?: DestinationStream,
): Logger {
  const settings = {
    level: options.level,
    base: { service: options.service },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (level: string) => ({ level }) },
    serializers: { err: (described: unknown) => described }, // pino's own would describe it again
    hooks: { logMethod: logSafely },
  };
  const log = pino(settings, destination ?? pino.destination(process.stderr.fd));
  guardBindings(log);
  return log;
}

/**
 * Logs each request once it is over: no body, no query, no header, and the route's pattern instead of the
 * path.
 */
export function requestLog(log: Logger, peers: PeerNames) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const start = performance.now();
    const address = request.socket.remoteAddress; // which is forgotten when the connection closes
    response.once('close', () => {
      const { requestId, route, taskId, code, known } = contextOf(response);
      const peer = peers.name(address, known);
      const entry = {
        requestId,
        method: request.method,
        route: route ?? 'unknown',
        status: response.statusCode,
        milliseconds: Math.round(performance.now() - start),
        ...(peer === undefined ? {} : { peer }),
        ...(taskId === undefined ? {} : { taskId }),
        ...(code === undefined ? {} : { code }),
        ...(response.writableFinished ? {} : { aborted: true }),
      };
      log[isProbe(route) ? 'debug' : 'info'](entry, 'request');
    });
    next();
  };
}

/**
 * Says whether machines ask for the route every few seconds; at level info such requests would drown
 * everything else.
 */
function isProbe(route: Context['route']): boolean {
  return route === '/healthz' || route === '/readyz' || route === '/metrics';
}

type LogArguments = [unknown, string?, ...unknown[]];

function logSafely(this: Logger, args: unknown[], method: (...args: LogArguments) => void): void {
  const [first, ...rest] = args.map((argument) => redact(argument));
  if (args[0] instanceof Error) {
    const [message = args[0].message, ...values] = rest;
    method.apply(this, [{ err: first }, String(redact(message)), ...values]);
  } else {
    method.apply(this, [first, ...rest] as LogArguments);
  }
}

/** Makes bindings safe at any depth of children, since children inherit these methods. */
function guardBindings(log: Logger): void {
  const { child, setBindings } = log;
  Object.assign(log, {
    child(this: Logger, bindings: object, options?: object) {
      return Reflect.apply(child, this, [redact(bindings), options]);
    },
    setBindings(this: Logger, bindings: object) {
      Reflect.apply(setBindings, this, [redact(bindings)]);
    },
  });
}

const REDACTED = '[redacted]';
const DEEPEST = 6;
const LONGEST_LIST = 50;

/** A member with one of these parts anywhere in its name is not logged, whatever else the name says. */
const SECRET_PARTS = /authorization|blinding|cookie|dpop|password|plaintext|privatekey|secret|token/;
/**
 * A member with one of these words in its name is not logged either. The words are too short or too common to
 * look for inside other words.
 */
const SECRET_WORDS = new Set(
  'body lambda mu phi proof row rows seed share shares statistics value values'.split(' '),
);
/**
 * A name that ends in one of these words is a key; one that merely starts with it (keyBits) describes a key.
 */
const SECRET_LAST_WORDS = new Set(['key', 'keys', 'jwk', 'pem']);

/**
 * Credentials that have got into a text: an Authorization header's value, a compact JWS, a private key, a
 * number too long to be a count.
 */
const SECRET_TEXT = [
  /\b(?:Bearer|DPoP)\s+[\w.~+/-]+=*/gi,
  /\beyJ[\w-]+\.[\w-]*\.[\w-]*/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\d{25,}n?/g,
];

/**
 * Copies any value so that it is safe to log: secrets by name, big integers and bytes by kind, errors by
 * code, message and stack. It never throws: a part that cannot be read is left out.
 */
function redact(value: unknown, depth = 0): unknown {
  switch (typeof value) {
    case 'string':
      return redactText(value);
    case 'bigint': // keys, plaintexts and sums are; nothing that a log needs is
      return '[bigint]';
    case 'function':
    case 'symbol':
      return `[${typeof value}]`;
    case 'object':
      return value === null ? null : redactObject(value, depth);
    default:
      return value;
  }
}

function redactText(text: string): string {
  return SECRET_TEXT.reduce((safe, pattern) => safe.replace(pattern, REDACTED), text);
}

function redactObject(value: object, depth: number): unknown {
  if (value instanceof Error) return describeError(value, depth);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= DEEPEST) return '[deep]';
  if (Array.isArray(value)) {
    const items = value.slice(0, LONGEST_LIST).map((item) => redact(item, depth + 1));
    return value.length > LONGEST_LIST ? [...items, `[${value.length - LONGEST_LIST} more]`] : items;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  // Instances (keys, sockets, requests, maps) hold more than their author thought of when logging them.
  if (prototype !== Object.prototype && prototype !== null) return `[${value.constructor?.name ?? 'object'}]`;
  return redactMembers(value, depth);
}

function redactMembers(value: object, depth: number): Record<string, unknown> {
  const safe: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    safe[name] = isSecretName(name) ? REDACTED : redact(readMember(value, name), depth + 1);
  }
  return safe;
}

function readMember(value: object, name: string): unknown {
  try {
    return Reflect.get(value, name);
  } catch {
    return '[unreadable]';
  }
}

function isSecretName(name: string): boolean {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
  // The mathematics names its values by single letters: p, q, r, m, R, V, Q.
  if (words.length === 1 && /^[a-z]$/.test(words[0]!)) return true;
  if (SECRET_PARTS.test(words.join(''))) return true;
  return words.some((word) => SECRET_WORDS.has(word)) || SECRET_LAST_WORDS.has(words.at(-1) ?? '');
}

/**
 * Describes an error by the members that every error has, because libraries attach requests, bodies and
 * headers to theirs.
 */
function describeError(error: Error, depth: number): Record<string, unknown> {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return {
    name: error.name,
    ...(code === undefined ? {} : { code }),
    message: redactText(error.message),
    stack: redactText(error.stack ?? ''),
    ...(error.cause === undefined || depth >= DEEPEST ? {} : { cause: redact(error.cause, depth + 1) }),
  };
}
