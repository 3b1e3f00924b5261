/**
 * The webhook: every event, in order, signed, until it is taken, whatever the receiver does and whenever the
 * service stops.
 *
 * @claims S-209, S-210
 */
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createLocalCertificate } from '@eigenveil/server';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { DecisionEvent } from '../../src/messages.ts';
import { receiveEvent } from '../../src/relying.ts';
import { Site } from '../authenticator.ts';

/** How the receiver answers: like an honest one, or in a way that takes nothing. */
type Manner = 'take' | 'fail' | 'hang' | 'lie' | 'redirect' | 'lose the answer' | 'send without end';

const TIMES = { answerMilliseconds: 60_000, firstBackoffMilliseconds: 5 };
/** Where it is waited for that the service gives up: honest answers may be late, too, and come again. */
const IMPATIENT = { ...TIMES, answerMilliseconds: 300 };

let server: Server;
let manner: Manner;
let received: DecisionEvent[];
/** Requests in that manner. */
let asked: number;
let site: Site;

beforeAll(async () => {
  const tls = await createLocalCertificate();
  server = createServer(tls, async (request, response) => {
    const body = await text(request);
    asked += 1;
    switch (manner) {
      case 'fail':
        response.writeHead(500).end('no');
        return;
      case 'hang':
        return;
      case 'lie':
        response.writeHead(200, { 'content-type': 'text/html' }).end('<p>taken</p>');
        return;
      case 'redirect':
        response.writeHead(307, { location: '/elsewhere' }).end();
        return;
      case 'send without end': {
        response.writeHead(200, { 'content-type': 'application/json' });
        const timer = setInterval(() => response.write(' '.repeat(65_536)), 20);
        response.once('close', () => clearInterval(timer));
        return;
      }
    }
    expect(request).toMatchObject({ method: 'POST', url: '/events?from=authenticator' });
    expect(request.headers.authorization ?? request.headers.dpop).toBeUndefined();
    received.push((await receiveEvent({ body, headers: request.headers }, site.running.thumbprint, 0)).event);
    if (manner === 'lose the answer') request.socket.destroy();
    else response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  site = await Site.start({}, { webhookTimes: TIMES });
  const webhookCa = join(site.folder, 'webhook.pem');
  await writeFile(webhookCa, tls.cert);
  Object.assign(site.config, {
    webhookUrl: `https://127.0.0.1:${port}/events?from=authenticator`,
    webhookCa,
  });
});
beforeEach(async () => {
  manner = 'take';
  await site.restart();
  // Whoever was at allow is not any more, which is told before the test begins.
  await nothingWaits();
  [received, asked] = [[], 0];
});
afterEach(() => {
  server.closeAllConnections();
});
afterAll(async () => {
  await site.close();
  server.close();
});

/** The service has heard that every event was taken, which is later than that it came. */
const nothingWaits = () => expect.poll(() => site.metrics()).toMatch(/webhook_events_waiting\{[^}]*\} 0/);

/** Sequences that have come, each once. */
const sequences = () => [...new Set(received.map(({ sequence }) => sequence))];
const isWhole = async () => {
  const last = (await site.events()).at(-1)!.sequence;
  await expect.poll(() => sequences().at(-1)).toBe(last);
};

test('takes every event in order, as the relying application reads them', async () => {
  const device = await (await site.device()).admitted();
  await site.ask('DELETE', `/users/${device.userId}`);
  await isWhole();
  expect(received).toEqual(await site.events());
  expect(received.slice(-4).map(({ reason }) => reason)).toEqual([
    'enrolled',
    'session-opened',
    'confirmed',
    'revoked',
  ]);
});

test.each<Manner>(['fail', 'hang', 'lie', 'redirect', 'lose the answer', 'send without end'])(
  'loses nothing at a receiver that does: %s',
  async (how) => {
    if (how === 'hang') await site.restart({}, { webhookTimes: IMPATIENT });
    manner = how;
    const device = await site.device();
    await expect.poll(() => asked).toBeGreaterThan(1); // tried again
    await device.admitted(); // nobody waits for the receiver
    if (how !== 'lose the answer') expect(received).toEqual([]);
    // Not one event is passed over.
    expect(new Set(received.map(({ sequence }) => sequence)).size).toBeLessThan(2);
    manner = 'take';
    await isWhole();
    const { sequence: first } = received[0]!;
    expect(sequences()).toEqual(Array.from({ length: sequences().length }, (_, i) => first + i));
    expect(new Set(received.map(({ userId }) => userId))).toEqual(new Set([device.userId]));
  },
);

test('has what came while it was away, and what the service did not get rid of before it stopped', async () => {
  manner = 'fail';
  await site.device();
  await expect.poll(() => asked).toBeGreaterThan(0);
  await site.restart({ webhookUrl: undefined });
  await site.device(); // while there is no webhook
  manner = 'take';
  await site.restart();
  await isWhole();
  expect(received.map(({ reason }) => reason)).toEqual(['enrolled', 'enrolled']);
  const events = received.length;
  await nothingWaits();
  await site.restart();
  await (await site.device()).openSession();
  await isWhole();
  expect(received).toHaveLength(events + 2); // none of them again
});

test('does not keep a service that stops waiting', async () => {
  manner = 'hang';
  await site.device();
  await expect.poll(() => asked).toBeGreaterThan(0);
  await site.shut();
  expect(received).toEqual([]);
});
