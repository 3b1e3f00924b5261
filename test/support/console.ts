/** The console's session and its streams, read as they come. */
import { request } from 'node:https';
import { createInterface } from 'node:readline';
import { ConsoleSession } from '@eigenveil/wire/console';
import { type Address, send } from './requests.ts';

export interface OpenStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The next line as JSON; undefined when there is none any more. */
  next(): Promise<unknown>;
  leave(): void;
}

/** Exchanges the operator's token. */
export async function signIn(address: Address, token: string): Promise<ConsoleSession> {
  const { json } = await send(address, {
    method: 'POST',
    path: '/console/session',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  return ConsoleSession.parse(json);
}

export function openStream({ url, ca }: Address, path: string, bearer: string): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${bearer}` };
    const outgoing = request(`${url}${path}`, { ca, headers, agent: false });
    outgoing.on('error', reject); // what comes after the answer changes nothing any more
    outgoing.on('response', (incoming) => {
      const lines = createInterface({ input: incoming })[Symbol.asyncIterator]();
      resolve({
        status: incoming.statusCode!,
        headers: incoming.headers,
        next: async () => {
          const { value, done } = await lines.next();
          return done === true ? undefined : (JSON.parse(value) as unknown);
        },
        leave: () => outgoing.destroy(),
      });
    });
    outgoing.end();
  });
}
