/** Structured logs, one JSON object per line, in which no secret and no plaintext can appear. */
import type { NextFunction, Request, Response } from 'express';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from '../cli/settings.ts';
import { type Context, contextOf } from '../http/context.ts';
import type { PeerNames } from '../http/peer-names.ts';
import { redact } from './redact.ts';

export type { Logger };

/**
 * A pino logger whose every argument and binding is made safe first: members with a secret's name, big integers, bytes
 * and class instances are never written, errors are written as name, code, message, stack and cause. (pino's own
 * `redact` knows only paths that are listed beforehand.)
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

/** Logs each request once it is over: no body, no query, no header, and the route's pattern instead of the path. */
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

/** Machines ask these every few seconds; at level info they would drown everything else. */
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

/** Children inherit these methods, so bindings are made safe at any depth of children. */
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
