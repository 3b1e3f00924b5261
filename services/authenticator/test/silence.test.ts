/**
 * What logs, metrics, refusals and the database tell: no window, no score, no template, no token, and
 * nobody's name.
 *
 * @claims S-189
 */
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { createLogger } from '@eigenveil/server';
import { expect, test } from 'vitest';
import { newKey, PATHS, PROJECTION, Site, strangeWindows, windowsOf } from './authenticator.ts';

test('logs, metrics and refusals hold no window, no token and no user; the database holds no window and no token', async () => {
  let log = '';
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      log += chunk.toString();
      done();
    },
  });
  const site = await Site.start(
    {},
    { log: createLogger({ service: 'authenticator', level: 'trace' }, destination) },
  );
  let told = '';
  const windows: number[][] = [];
  const noted = (batch: number[][]) => {
    windows.push(...batch);
    return batch;
  };
  const users: string[] = [];
  const tokens: string[] = [];
  const stored: Buffer[] = [];
  try {
    const device = await site.device();
    users.push(device.userId);
    await device.admitted();
    const token = await site.invite(device.userId, 'renew');
    tokens.push(token);
    const session = device.session!;
    const answers = [
      await device.show(noted(windowsOf(device.seed, 10))),
      await device.sendAt(99, noted(windowsOf(device.seed, 2))),
      await device.show(noted(strangeWindows(3))),
      await device.show([...noted(strangeWindows(2)), [0.123_456_789]]),
      await device.show(noted(windowsOf(device.seed, 2).map(([first, ...rest]) => [first! + 1000, ...rest]))),
      await device.show([['0.987654321234', 1, 2, 3]]),
      await site.send(await newKey(), 'POST', PATHS.windows(session), {
        first: 0,
        windows: noted(strangeWindows(1)),
      }),
      await site.enrol(device.key, token, { projection: PROJECTION, windows: noted(windowsOf(0.2, 5)) }),
      await site.enrol(await newKey(), token, { projection: PROJECTION, windows: noted(windowsOf(0.2, 40)) }),
      await site.enrol(await newKey(), token, { projection: PROJECTION, windows: noted(windowsOf(0.2, 40)) }),
      await site.ask('GET', PATHS.user(device.userId)),
      await site.ask('DELETE', PATHS.user(device.userId)),
      await site.send(device.key, 'POST', PATHS.sessions),
      await site.send(undefined, 'GET', `/users/${device.userId}x`),
      await site.send(undefined, 'GET', `/${device.userId}`),
    ];
    expect(answers.map(({ status }) => status)).toContain(422);
    told += answers
      .filter(({ status }) => status >= 400)
      .map(({ text }) => text)
      .join('\n');
    const metrics = await site.metrics();
    expect(metrics).toMatch(/eigenveil_decisions_total\{decision="step-up",reason="behaviour",.*\} 1/);
    expect(metrics).toMatch(/eigenveil_windows_total\{.*\} 13/);
    told += metrics;
    tokens.push(await site.adminToken());
  } finally {
    await site.shut();
    const { dataDirectory } = site.config;
    for (const name of await readdir(dataDirectory))
      if (name.startsWith('eigenveil.sqlite')) stored.push(readFileSync(join(dataDirectory, name)));
    await site.close();
  }
  expect(log).toContain('ERR_WINDOW_INVALID');
  expect(told).toContain('ERR_ENROLMENT_TOKEN');
  const numbers = windows
    .flat()
    .map(String)
    .filter(({ length }) => length > 8);
  expect(numbers.length).toBeGreaterThan(300);
  for (const secret of [...numbers, '0.987654321234', '0.123456789', ...users, ...tokens]) {
    expect(log).not.toContain(secret);
    expect(told).not.toContain(secret);
  }
  for (const file of stored) {
    for (const secret of [...numbers, ...tokens.slice(0, 1)]) expect(file.includes(secret)).toBe(false);
    const bytes = windows.flat().map((entry) => Buffer.from(Float64Array.of(entry).buffer));
    expect(bytes.some((entry) => file.includes(entry))).toBe(false);
  }
  expect(stored.some((file) => file.includes(users[0]!))).toBe(true); // it is looked for where it could be
});
