/** Certificates out of their time: told of at the start, later and on reload, and never taken in place of a good one. */
import { writeFile } from 'node:fs/promises';
import { generate } from 'selfsigned';
import { afterEach, expect, test, vi } from 'vitest';
import { createLogger, openService, Reloader, type Service } from '../../src/index.ts';
import { temporaryDirectory } from '../temporary.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let service: Service | undefined;
afterEach(() => {
  service?.release();
  service = undefined;
  vi.useRealTimers();
});

/** A service whose certificate is valid from so many milliseconds from now to so many. */
async function startWith(from: number, to: number) {
  const directory = await temporaryDirectory();
  const files = { tlsCertificate: `${directory}/cert.pem`, tlsKey: `${directory}/key.pem` };
  const write = async (begin: number, end: number) => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
      keyType: 'ec',
      notBeforeDate: new Date(Date.now() + begin),
      notAfterDate: new Date(Date.now() + end),
    });
    await writeFile(files.tlsCertificate, cert);
    await writeFile(files.tlsKey, key);
  };
  await write(from, to);
  const lines: string[] = [];
  const log = createLogger({ service: 'csp', level: 'info' }, { write: (line) => lines.push(line) });
  const limits = {
    requestsPerMinute: 1,
    connectionsPerAddress: 1,
    logLevel: 'info',
    logPeers: 'none',
  } as const;
  const place = { dataDirectory: `${directory}/data`, host: '127.0.0.1', port: 0 };
  const config = { ...place, ...files, ...limits };
  const opened = await openService('csp', config, log);
  const reloader = new Reloader(config, log, opened.renewables);
  service = opened;
  const told = () =>
    lines.splice(0).map((line) => {
      const { level, msg, err } = JSON.parse(line) as {
        level: string;
        msg: string;
        err?: { message: string };
      };
      return [level, msg, ...(err === undefined ? [] : [err.message])];
    });
  const isValid = async () =>
    /^eigenveil_tls_certificate_valid\{.*\} ([01])$/m.exec(await opened.metrics.registry.metrics())?.[1] ===
    '1';
  return { reload: () => reloader.reload(() => config), write, told, isValid };
}

const advice = ': renew it, and reload it with SIGHUP';

test.each([
  ['has expired', 'error', -DAY, -HOUR, false],
  ['is not yet valid', 'error', HOUR, 30 * DAY, false],
  ['expires soon', 'warn', -300 * DAY, 29 * DAY, true],
  ['expires very soon', 'warn', -300 * DAY, 6 * DAY, true],
  ['expires soon', 'warn', -5 * DAY, 2 * DAY, true], // a third of a week
])('a certificate that %s is told of at the start', async (validity, level, from, to, valid) => {
  const { told, isValid } = await startWith(from, to);
  expect(told()).toEqual([[level, `the certificate ${validity}${advice}`]]);
  expect(await isValid()).toBe(valid);
});

test('a certificate that expires while the service runs is told of 30 days before, from 7 days before twice a day, and afterwards', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  const { told, isValid } = await startWith(-300 * DAY, 30 * DAY + HOUR);
  expect([told(), await isValid()]).toEqual([[], true]);
  vi.advanceTimersByTime(DAY / 2);
  expect(told()).toEqual([['warn', `the certificate expires soon${advice}`]]);
  vi.advanceTimersByTime(22.5 * DAY);
  expect(told()).toEqual([]);
  vi.advanceTimersByTime(DAY);
  expect(told()).toEqual(Array(2).fill(['warn', `the certificate expires very soon${advice}`]));
  vi.advanceTimersByTime(7 * DAY);
  expect(told().at(-1)).toEqual(['error', `the certificate has expired${advice}`]);
  expect(await isValid()).toBe(false);
});

test('a certificate out of its time is not taken in place of a good one, but in place of another bad one', async () => {
  const { told, isValid, write, reload } = await startWith(-DAY, 60 * DAY);
  await write(-DAY, -HOUR);
  await reload();
  expect(told()).toEqual([
    [
      'error',
      'settings not reloaded: nothing has changed',
      'the new certificate has expired: renew it, and reload again',
    ],
  ]);
  expect(await isValid()).toBe(true);
  service!.release();
  const bad = await startWith(-DAY, -HOUR);
  bad.told();
  await bad.write(HOUR, DAY);
  await bad.reload();
  expect(bad.told()).toEqual([
    ['info', 'certificate reloaded'],
    ['error', `the certificate is not yet valid${advice}`],
    ['info', 'settings reloaded'],
  ]);
  await bad.write(-HOUR, 60 * DAY);
  await bad.reload();
  expect(bad.told()).toEqual([
    ['info', 'certificate reloaded'],
    ['info', 'settings reloaded'],
  ]);
  expect(await bad.isValid()).toBe(true);
});
