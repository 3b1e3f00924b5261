/** The command line eigenveil-authenticator: a service as a process, killed at any moment, its relying application, and devices. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { authenticatorProgram } from '@eigenveil/authenticator/command';
import { DeviceClient, DeviceHome } from '@eigenveil/authenticator/device';
import type { DecisionEvent } from '@eigenveil/authenticator/relying';
import { saveProjection } from '@eigenveil/projection';
import { createLocalCertificate } from '@eigenveil/server';
import { freePort } from '@eigenveil/testbed/port';
import { Children, program, type RunningChild } from '@eigenveil/testbed/processes/programs';
import { tethered } from '@eigenveil/testbed/processes/tether';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Person, type Projected, projectedHere } from './support/authentication.ts';
import { jsonOf, problemOf, runInProcess } from './support/in-process.ts';
import { blocksOf, commandsOf } from './support/recipes.ts';

const children = new Children();
const run = (...args: string[]) => runInProcess('authenticator', '--json', ...args);
let folder: string;
let projected: Projected;
let service: RunningChild;
let serviceUrl: string;
const path = (name: string) => join(folder, name);
const asRelying = () => [
  '--home',
  path('relying'),
  '--service-url',
  serviceUrl,
  '--service-ca',
  path('cert.pem'),
];
const relying = (what: string, ...args: string[]) => run('relying', what, ...args, ...asRelying());
const device = (what: string, ...args: string[]) => run('device', what, '--home', path('device'), ...args);
const start = async () => {
  service = await children.serve('authenticator', ['--config', path('authenticator.json')]);
};

/** Lines of JSON, as "decisions" prints them. */
async function decisions(...args: string[]): Promise<DecisionEvent[]> {
  const { stdout, stderr, exitCode } = await relying('decisions', ...args);
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as DecisionEvent);
}

const says = (words: string) => expect.stringContaining(words) as string;

type Cells = readonly (string | number)[];

/** A file of rows in the order of the features, and of more columns behind them. */
async function writeRows(
  name: string,
  rows: readonly Cells[],
  more: readonly string[] = [],
): Promise<string> {
  const header = [...projected.evidence.task.features.map((it) => it.name), ...more];
  await writeFile(path(name), `${[header, ...rows].map((cells) => cells.join(',')).join('\n')}\n`);
  return path(name);
}

let setosa: Person;
let versicolor: Person;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-authentication-'));
  projected = await projectedHere();
  [setosa, versicolor] = projected.people as [Person, Person, Person];
  const tls = await createLocalCertificate();
  await writeFile(path('cert.pem'), tls.cert);
  await writeFile(path('key.pem'), tls.key);
  await saveProjection(path('evidence.json'), projected.evidence);
  const pilot = projected.people.flatMap(({ userId, enrolment }) => enrolment.map((row) => [...row, userId]));
  const calibrated = await run(
    ...['calibrate', '--projection', path('evidence.json'), '--csp-thumbprint', projected.csp],
    ...['--data', await writeRows('pilot.csv', pilot, ['user']), '--user', 'user'],
  );
  const { thumbprint } = jsonOf(await run('relying', 'identity', '--home', path('relying')));
  const port = await freePort();
  serviceUrl = `https://127.0.0.1:${port}`;
  const configuration = {
    ...{ dataDirectory: path('service'), port, tlsCertificate: path('cert.pem'), tlsKey: path('key.pem') },
    windowsPerMinute: 1_000_000,
    ...{ relyingApplications: [thumbprint], projections: [jsonOf(calibrated)], logLevel: 'warn' },
  };
  await writeFile(path('authenticator.json'), JSON.stringify(configuration));
  await start();
});
afterAll(async () => {
  await children.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('a device and a relying application', () => {
  let later: string;
  let token: string;
  beforeAll(async () => {
    later = await writeRows('later.csv', setosa.later);
    token = String(jsonOf(await relying('invite', 'alice')).token);
  });

  test('enrol and show who they are', async () => {
    const enrolment = await writeRows('enrolment.csv', setosa.enrolment);
    const to = ['--service-url', serviceUrl, '--service-ca', path('cert.pem'), '--token', token];
    const by = ['--projection', path('evidence.json'), '--csp-thumbprint', projected.csp];
    const enrolled = await device('enrol', ...to, ...by, '--data', enrolment);
    const told = { user: 'alice', windows: 30, skippedRows: 0, clipped: {} };
    expect(jsonOf(enrolled)).toEqual({ ...told, isRepeat: false });
    expect(jsonOf(await device('enrol', ...to, ...by, '--data', enrolment))).toEqual({
      ...told,
      isRepeat: true,
    });
    const shown = jsonOf(await device('show'));
    expect(shown).toMatchObject({ user: 'alice', service: serviceUrl, components: 2, csp: projected.csp });
    expect(jsonOf(await relying('user', 'alice'))).toMatchObject({
      device: shown.device,
      projection: shown.projection,
    });
  });

  test('are told beside a token how long it is good', async () => {
    const args = ['relying', 'invite', 'bob', ...asRelying()];
    const { stdout, stderr } = await runInProcess('authenticator', ...args);
    expect(stdout).toMatch(/^[\w-]{43}\n$/);
    expect(stderr).toMatch(/^note: for one device, until \d{4}-.* bob are void\n$/);
  });

  test('observe and are told decisions, each once', async () => {
    expect(jsonOf(await device('observe', '--data', later))).toEqual({
      sent: 20,
      skippedRows: 0,
      clipped: {},
    });
    const reasons = (await decisions()).map(({ reason }) => reason);
    expect(reasons).toEqual(['enrolled', 'session-opened']);
    expect(await decisions()).toEqual([]);
    expect((await decisions('--after', '0')).map(({ reason }) => reason)).toEqual(reasons);
  });

  test('follow decisions as they come, until Ctrl-C', async () => {
    const words = [program('authenticator'), '--json', 'relying', 'decisions', '--follow', ...asRelying()];
    const [first, ...rest] = tethered(process.execPath, ...words);
    const child = spawn(first, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'close');
    const observing = device('observe', '--data', later);
    const lines = createInterface(child.stdout);
    const [line] = (await once(lines, 'line')) as [string];
    expect(JSON.parse(line)).toMatchObject({
      userId: 'alice',
      decision: 'step-up',
      reason: 'session-opened',
    });
    await observing;
    child.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
  });

  test('confirm what waits, and nothing else', async () => {
    const client = new DeviceClient({ home: new DeviceHome(path('device')) });
    await client.observe(setosa.later); // a session that stays open
    const { event } = jsonOf(await relying('user', 'alice')) as { event: number };
    const stale = problemOf(await relying('confirm', 'alice', String(event - 1)));
    expect(stale).toMatchObject({ exitCode: 5, code: 'ERR_EVENT_STALE', detail: says('read the decisions') });
    expect(jsonOf(await relying('confirm', 'alice', String(event)))).toEqual({ confirmed: 'alice', event });
    expect(jsonOf(await relying('user', 'alice'))).toMatchObject({ decision: 'allow', hasSession: true });
    for (let i = 0; i < 5; i += 1) await client.observe(versicolor.later);
    const locked = jsonOf(await relying('user', 'alice')) as { event: number };
    expect(locked).toMatchObject({ state: 'locked' });
    const unconfirmed = problemOf(await relying('confirm', 'alice', String(locked.event)));
    expect(unconfirmed).toMatchObject({ code: 'ERR_EVENT_STALE', detail: says('this one is locked') });
    const unlocked = await relying('unlock', 'alice', String(locked.event));
    expect(jsonOf(unlocked)).toEqual({ unlocked: 'alice', event: locked.event });
    const again = problemOf(await relying('unlock', 'alice', String(locked.event + 1)));
    expect(again).toMatchObject({ code: 'ERR_EVENT_STALE', detail: says('a user who is locked') });
    await client.close();
    const { event: closed } = jsonOf(await relying('user', 'alice')) as { event: number };
    const without = problemOf(await relying('confirm', 'alice', String(closed)));
    expect(without).toMatchObject({ code: 'ERR_EVENT_STALE', detail: says('until the device opens it') });
  });

  test('renew, and are refused once revoked', async () => {
    const renewal = String(jsonOf(await relying('invite', 'alice', '--renew')).token);
    const renewed = await device('renew', '--token', renewal, '--data', path('enrolment.csv'));
    expect(jsonOf(renewed)).toMatchObject({ user: 'alice', windows: 30 });
    const again = await device('renew', '--token', renewal, '--data', later);
    expect(jsonOf(again)).toMatchObject({ user: 'alice', isRepeat: true });
    expect(jsonOf(await relying('revoke', 'alice'))).toEqual({ revoked: 'alice' });
    const refused = problemOf(await device('observe', '--data', later));
    expect(refused).toMatchObject({ exitCode: 3, code: 'ERR_DEVICE_REVOKED' });
  });

  test.each<[string, () => Promise<Awaited<ReturnType<typeof run>>>, RegExp]>([
    ['no user', () => relying('invite', 'a/b'), /"USER" expected/],
    ['no sequence', () => relying('confirm', 'alice', 'last'), /"SEQUENCE" expected/],
    [
      'a thumbprint without a projection',
      () => device('renew', '--token', 't'.repeat(43), '--data', later, '--csp-thumbprint', projected.csp),
      /expected with "--projection"/,
    ],
    ['no token', () => device('renew', '--token', 'secret', '--data', later), /expected a token/],
    [
      'one user alone',
      () =>
        run(
          'calibrate',
          '--projection',
          path('evidence.json'),
          '--csp-thumbprint',
          projected.csp,
          '--data',
          path('one.csv'),
          '--user',
          'user',
        ),
      /two users/,
    ],
  ])('%s is told before anything is sent', async (_, command, message) => {
    await writeRows(
      'one.csv',
      setosa.enrolment.map((row) => [...row, 'alice']),
      ['user'],
    );
    const { exitCode, detail } = problemOf(await command());
    expect({ exitCode, detail }).toEqual({ exitCode: 2, detail: expect.stringMatching(message) as string });
    expect(detail).not.toContain('secret');
  });

  test('a device that is not enrolled says how it would be', async () => {
    const { code, detail } = problemOf(
      await run('device', 'observe', '--home', path('nobody'), '--data', later),
    );
    expect({ code, detail }).toMatchObject({
      code: 'ERR_AUTH_REQUIRED',
      detail: expect.stringContaining('device enrol'),
    });
  });
});

test('docs/authentication.md gives commands that there are, with options that they have', async () => {
  const page = await readFile(new URL('../docs/authentication.md', import.meta.url), 'utf8');
  const commands = blocksOf(page).flatMap((block) => commandsOf(block));
  const ours = commands.flatMap(({ command }) => {
    const given = /npx eigenveil-authenticator (.*)/.exec(command);
    return given === null ? [] : [given[1]!.split(/ +/)];
  });
  expect(ours.length).toBeGreaterThan(10);
  for (const words of ours) {
    let command: Command = authenticatorProgram();
    for (const word of words) {
      const { commands: below }: Command = command;
      if (below.length === 0) break;
      command = below.find((it) => it.name() === word)!;
    }
    const flags = words.filter((word) => word.startsWith('--'));
    for (const flag of flags)
      expect({ words, flag, known: command.options.some((it) => it.long === flag) }).toEqual({
        words,
        flag,
        known: true,
      });
  }
});

async function killInStreams(times: number): Promise<void> {
  const { evidence, csp } = projected;
  const to = {
    service: { url: serviceUrl, ca: (await readFile(path('cert.pem'))).toString() },
    evidence,
    csp,
  };
  const enrol = async (user: string) => {
    const token = String(jsonOf(await relying('invite', user)).token);
    const client = new DeviceClient({ home: new DeviceHome(path(user)), patienceMilliseconds: 60_000 });
    await client.enrol({ ...to, token }, setosa.enrolment);
    return client;
  };
  const stateOf = async (user: string) => jsonOf(await relying('user', user));
  const confirm = async (user: string) => relying('confirm', user, String((await stateOf(user)).event));
  const [b, c] = [`bob-${times}`, `carol-${times}`];
  const [bob, carol] = [await enrol(b), await enrol(c)];
  for (const [user, client] of [
    [b, bob],
    [c, carol],
  ] as const) {
    await client.observe(setosa.later.slice(0, 1));
    await confirm(user);
  }
  for (let i = 0; i < 5; i += 1) await carol.observe(versicolor.later);
  const told = await decisions('--after', '0');
  expect([(await stateOf(b)).decision, (await stateOf(c)).decision]).toEqual(['allow', 'lock']);
  for (let kills = 0; kills < times; kills += 1) {
    let isOver = false;
    const streaming = (async () => {
      while (!isOver) await bob.observe(setosa.later.slice(0, 5));
    })();
    expect(await service.end('SIGKILL')).toBeNull();
    await start();
    isOver = true;
    await streaming;
    expect([(await stateOf(b)).decision, (await stateOf(c)).decision]).toEqual(['step-up', 'lock']);
    await bob.observe(setosa.later.slice(0, 5));
    expect((await stateOf(b)).hasSession).toBe(true);
    await confirm(b);
    expect((await stateOf(b)).decision).toBe('allow');
  }
  const after = await decisions('--after', '0');
  expect(after.slice(0, told.length)).toEqual(told);
  const mine = after
    .slice(told.length)
    .map(({ userId, decision, reason }) => `${userId} ${decision}: ${reason}`);
  expect(new Set(mine)).toEqual(
    new Set([`${b} step-up: restarted`, `${b} step-up: session-opened`, `${b} allow: confirmed`]),
  );
  expect(mine.filter((it) => it === `${b} allow: confirmed`)).toHaveLength(times);
  expect(mine.filter((it) => it === `${b} step-up: restarted`)).toHaveLength(times);
  await bob.close();
  await carol.close();
}

test(
  'a service that is killed in the middle of streams loses no decision and lets nobody in',
  { tags: ['long'] },
  () => killInStreams(1),
);
test('a service that is killed again and again', { tags: ['long'] }, () => killInStreams(5));

test('a backup that is put back with the key of its time locks everybody, until they are unlocked', {
  tags: ['long'],
}, async () => {
  const token = String(jsonOf(await relying('invite', 'dora')).token);
  const client = new DeviceClient({ home: new DeviceHome(path('dora')), patienceMilliseconds: 60_000 });
  const ca = (await readFile(path('cert.pem'))).toString();
  const { evidence, csp } = projected;
  await client.enrol({ service: { url: serviceUrl, ca }, token, evidence, csp }, setosa.enrolment);
  const at = ['--data-directory', path('service')];
  const identity = jsonOf(await run('identity', ...at)).thumbprint;
  const made = jsonOf(await run('backup', ...at, '--to', path('backup')));
  expect(made).toMatchObject({ service: 'authenticator', identity });
  const [last] = (await decisions('--after', '0')).slice(-1);
  expect(await service.end('SIGTERM')).toBe(0);
  await copyFile(path('service/key-encryption-key'), path('key-of-the-backup'));
  expect(Number(jsonOf(await run('key', 'rotate', ...at)).resealed)).toBeGreaterThan(0);
  await rename(path('service'), path('lost'));
  await mkdir(path('service'), { mode: 0o700 });
  await copyFile(path('lost/signing-key.json'), path('service/signing-key.json'));
  await copyFile(path('lost/key-encryption-key'), path('service/key-encryption-key'));
  expect(jsonOf(await run('restore', ...at, '--from', path('backup')))).toEqual(made);
  // The rotated key opens no template of the backup: the service says so, and does not start.
  await expect(start()).rejects.toThrow(/ERR_SEAL_BROKEN|ERR_KEY_FILE/);
  await copyFile(path('key-of-the-backup'), path('service/key-encryption-key'));
  await start();
  const locked = jsonOf(await relying('user', 'dora')) as { event: number };
  expect(locked).toMatchObject({ state: 'locked', decision: 'lock' });
  expect(locked.event).toBeGreaterThan(last!.sequence);
  jsonOf(await relying('unlock', 'dora', String(locked.event)));
  await client.observe(setosa.later);
  const { event } = jsonOf(await relying('user', 'dora'));
  jsonOf(await relying('confirm', 'dora', String(event)));
  await client.observe(setosa.later);
  expect(jsonOf(await relying('user', 'dora'))).toMatchObject({ state: 'active', decision: 'allow' });
  await client.close();
  expect(await service.end('SIGTERM')).toBe(0);
});

test.each([
  ['device', () => device('observe', '--data', path('later.csv')), 'ERR_DEVICE_HOME'],
  ['relying application', () => run('relying', 'identity', '--home', path('relying')), 'ERR_RELYING_HOME'],
])('the home of a %s that others can read is refused', async (name, command, code) => {
  const home = path(name === 'device' ? 'device' : 'relying');
  await chmod(home, 0o750);
  expect(problemOf(await command())).toMatchObject({
    exitCode: 2,
    code,
    detail: expect.stringContaining('chmod'),
  });
  await chmod(home, 0o700);
});
