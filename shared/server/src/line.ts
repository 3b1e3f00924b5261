/** What is answered below Express, straight to a socket: upgrades that are refused, and what is no request at all. */
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ServiceError, toProblem } from '@eigenveil/wire';

export const PROBLEM_TYPE = 'application/problem+json';

/** Answers a request that will not be handled with problem+json and closes its socket. */
export function refuse(socket: Duplex, error: unknown): void {
  const problem = toProblem(error);
  const body = JSON.stringify(problem);
  const retryAfter = error instanceof ServiceError ? error.retryAfterSeconds : undefined;
  const lines = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`,
    'connection: close',
    'cache-control: no-store',
    ...(retryAfter === undefined ? [] : [`retry-after: ${Math.ceil(retryAfter)}`]),
    `content-type: ${PROBLEM_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.on('error', () => {}); // the peer may be gone, which is no concern of ours any more
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** Listener for a server's `clientError` event: what the parser refuses, what came too slowly. */
export function refuseLine(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
  else refuse(socket, problemOfLine(error.code));
}

/** Without the parser's own words, which quote what was sent. */
function problemOfLine(code: string | undefined): ServiceError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ServiceError(
        'ERR_HEADERS_TOO_LARGE',
        'the request line and the headers expected fewer bytes',
      );
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ServiceError('ERR_BODY_TOO_LARGE', '"body" expected fewer bytes of chunk extensions');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ServiceError('ERR_REQUEST_TIMEOUT', 'the request expected to arrive sooner');
    default:
      return new ServiceError('ERR_BODY_MALFORMED', 'expected a request of HTTP/1.1');
  }
}
