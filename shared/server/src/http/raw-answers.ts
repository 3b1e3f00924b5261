/**
 * Answers below Express, straight to a socket: to upgrades that are refused, and to bytes that are not a
 * request.
 */
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { CodedError } from '@eigenveil/platform';
import { CODES, toProblem } from '@eigenveil/wire';
import { LINGER_MILLISECONDS } from './connections.ts';

export const PROBLEM_TYPE = 'application/problem+json';

/** Answers a request that will not be handled with problem+json and closes its socket. */
export function refuse(socket: Duplex, error: unknown): void {
  const problem = toProblem(error);
  const body = JSON.stringify(problem);
  const retryAfter = error instanceof CodedError ? error.parameters.retryAfterSeconds : undefined;
  const lines = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`,
    'connection: close',
    'cache-control: no-store',
    ...(retryAfter === undefined ? [] : [`retry-after: ${Math.ceil(retryAfter)}`]),
    `content-type: ${PROBLEM_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.on('error', () => {}); // the peer may be gone, which is no concern of ours any more
  // A peer that does not read is not waited for.
  const timer = setTimeout(() => socket.destroy(), LINGER_MILLISECONDS);
  socket.once('close', () => clearTimeout(timer));
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/**
 * Handles a server's `clientError` event: a request that the parser refuses, or that came too slowly, gets an
 * answer. A connection without a TLS handshake, or without one in time, gets none: nothing can be written,
 * and the server would wait without end for the answer to be sent. Returns what happened to it, for code that
 * counts.
 */
export function refuseLine(
  error: NodeJS.ErrnoException,
  socket: Duplex,
): 'handshake' | 'request' | 'refused' | 'gone' {
  const isHttp = error.code?.startsWith('HPE_') === true || error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  if (isHttp && socket.writable) {
    refuse(socket, problemOfLine(error.code));
    return error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request' : 'refused';
  }
  socket.destroy();
  return isHttp || error.code === 'ECONNRESET' ? 'gone' : 'handshake';
}

/** Returns the problem without the parser's own words, which quote what was sent. */
function problemOfLine(code: string | undefined): CodedError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new CodedError(
        CODES.ERR_HEADERS_TOO_LARGE,
        'the request line and the headers expected fewer bytes',
      );
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new CodedError(CODES.ERR_BODY_TOO_LARGE, '"body" expected fewer bytes of chunk extensions');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new CodedError(CODES.ERR_REQUEST_TIMEOUT, 'the request expected to arrive sooner');
    default:
      return new CodedError(CODES.ERR_BODY_MALFORMED, 'expected a request of HTTP/1.1');
  }
}
