/** A service on this machine whose answers a test has written down. */
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';

interface Answer {
  readonly status?: number;
  readonly type?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

/** An answer, 'drop' to close the connection, 'silence' for none. */
export type Scripted = Answer | 'drop' | 'silence' | ((response: ServerResponse) => void);

export type Certificate = { readonly cert: string; readonly private: string };

/** Self-signed, for this machine unless the options say otherwise. */
export function certificateWith(options: Parameters<typeof generate>[1]): Promise<Certificate> {
  return generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
    ...options,
  });
}

/** A service that gives the scripted answers one after the other; then `{"ok":true}`. */
export async function serveScripted(
  certificate: Certificate,
  answers: readonly Scripted[],
  tls: object = {},
) {
  const requests: { method: string; url: string; headers: Record<string, unknown> }[] = [];
  const server = createServer(
    { cert: certificate.cert, key: certificate.private, ...tls },
    (request, response) => {
      const answer = answers[requests.length] ?? {};
      requests.push({ method: request.method!, url: request.url!, headers: request.headers });
      if (answer === 'drop') request.socket.destroy();
      else if (typeof answer === 'function') answer(response);
      else if (answer !== 'silence') {
        const { status = 200, type = 'application/json', body = '{"ok":true}', headers = {} } = answer;
        response.writeHead(status, { 'content-type': type, ...headers }).end(body);
      }
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, close };
}
