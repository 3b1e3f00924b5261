/** The data user tells when the CSP's certificate will be refused, and when it is. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createLogger, Metrics } from '@eigenveil/server';
import { generate } from 'selfsigned';
import { afterEach, expect, test } from 'vitest';
import { CspCertificate } from '../../src/tasks/csp.ts';

const DAY = 86_400_000;
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** A CSP whose certificate is valid from so many milliseconds from now to so many, and what a data user tells of it. */
async function look(from: number, to: number, trusted = true) {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    ...{
      keyType: 'ec',
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
    },
    ...{ notBeforeDate: new Date(Date.now() + from), notAfterDate: new Date(Date.now() + to) },
  });
  const asked: string[] = [];
  const server = createServer({ cert, key }, ({ url, headers }, response) => {
    asked.push(`${url} ${Object.keys(headers).join()}`);
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  stops.push(() => server.close());
  const lines: { level: string; msg: string; err?: { code: string } }[] = [];
  const log = createLogger(
    { service: 'data-user', level: 'info' },
    { write: (line) => void lines.push(JSON.parse(line)) },
  );
  const metrics = new Metrics('data_user');
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  const seen = new CspCertificate({ url, ca: () => (trusted ? cert : undefined), metrics, log });
  await seen.look();
  const text = await metrics.registry.metrics();
  const value = (name: string) =>
    Number(new RegExp(`^eigenveil_csp_certificate_${name}\\{.*\\} (\\S+)$`, 'm').exec(text)?.[1]);
  return {
    ...{ told: lines.map(({ level, msg, err }) => [level, msg, ...(err === undefined ? [] : [err.code])]) },
    ...{ asked, server, seen, expires: value('expiry_seconds'), accepted: value('accepted') },
  };
}

test('nothing is told of a good one, for which nothing but a path was sent', async () => {
  const { told, asked, expires, accepted } = await look(-DAY, 100 * DAY);
  expect([told, asked, accepted]).toEqual([[], ['/healthz Host,Connection'.toLowerCase()], 1]);
  expect(Math.abs(expires - (Date.now() + 100 * DAY) / 1000)).toBeLessThan(60);
});

test.each([
  ['expires soon', 29],
  ['expires very soon', 6],
])('one that %s is told of', async (validity, days) => {
  const { told, accepted } = await look(-300 * DAY, days * DAY);
  expect([told, accepted]).toEqual([[['warn', `the CSP's certificate ${validity}: tell its operator`]], 1]);
});

test.each([
  ['has expired', -100 * DAY, -DAY, true],
  ['is not yet valid', DAY, 100 * DAY, true],
  ['nobody vouches for', -DAY, 100 * DAY, false],
])('one that %s is refused, which is told', async (_, from, to, trusted) => {
  const { told, accepted, expires } = await look(from, to, trusted);
  const words = "the CSP's certificate is not accepted: no task goes on";
  expect([told, accepted, expires]).toEqual([[['error', words, 'ERR_PEER_CERTIFICATE']], 0, Number.NaN]);
});

test('a CSP that is down is no news of its certificate', async () => {
  const { server, seen, told } = await look(-DAY, 100 * DAY);
  await new Promise((resolve) => server.close(resolve));
  await seen.look();
  expect(told).toEqual([]);
});
