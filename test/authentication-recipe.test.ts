/** docs/authentication.md word for word: its commands run on a copy of this checkout, from a task of owners with one class each to a revocation. */
import { execFileSync } from 'node:child_process';
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@eigenveil/testbed/port';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fill, Reader, type Terminal } from './support/reader.ts';
import { blocksOf, blockWith, commandsOf, shellBlocksOf } from './support/recipes.ts';

/** The irises are the users: one each. */
const USERS = [0, 1, 2];
const USER = 0;
const IMPOSTOR = 2;

let reader: Reader;
let values: Map<string, string>;
let sensor: Sensor | undefined;
beforeAll(async () => {
  reader = await Reader.start();
  const port = await freePort();
  values = new Map([
    ...(await reader.places('authentication')),
    ['/var/lib/eigenveil-authenticator', join(reader.folder, 'authenticator')],
    ['https://auth.example.org:8445', `https://127.0.0.1:${port}`],
    ['"host": "0.0.0.0"', `"port": ${port}`],
    ['"minimumOwners": 5', '"minimumOwners": 2'],
    ['--owners 36', `--owners ${USERS.length}`],
    ['--count 10', `--count ${USERS.length}`],
    ['--components 12', '--components 1'], // of three classes; two could be nearly all of the scatter
    ['/dev/sensor', join(reader.folder, 'sensor')],
  ]);
  for (const role of ['RELYING', 'DEVICE'])
    reader.environment[`EIGENVEIL_${role}_HOME`] = join(reader.folder, role);
});
afterAll(async () => {
  await sensor?.close();
  await reader.close();
});

const write = (name: string, text: string) => writeFile(join(reader.checkout, name), text);
const commandsIn = (block: ReturnType<typeof blocksOf>[number]) =>
  commandsOf(block).map(({ command }) => command);
/** Gives a command, and keeps what it prints for the placeholder of later ones. */
async function give(command: string, placeholder?: string): Promise<void> {
  const { stdout } = await reader.give(fill(command, values));
  if (placeholder !== undefined) values.set(placeholder, stdout.trim());
}

/** Rows of each user, in the order of the file, and the line that names the columns. */
async function irises(): Promise<{ header: string; rowsOf: (user: number) => string[] }> {
  const [names, ...rows] = (await reader.read('data/iris.csv')).trim().split('\n');
  return {
    header: names!.replace(/label$/, 'user'),
    rowsOf: (user) => rows.filter((row) => row.endsWith(`,${user}`)),
  };
}

/** The commands of docs/running.md that a result needs. */
const NEEDED = /identity|serve|task (?:draft|create|close|result)|invite|enrol|contribute|project/;

/** The commands of docs/running.md, with the page's own instead of those that make a draft, contribute and reduce. */
async function computeProjection(page: string): Promise<void> {
  const { header, rowsOf } = await irises();
  const table = (rows: readonly string[]) => `${[header, ...rows].join('\n')}\n`;
  const running = await reader.read('docs/running.md');
  const [csp, user] = blocksOf(running).filter(({ language }) => language === 'jsonc');
  const [policy] = blocksOf(page).filter(({ language }) => language === 'json');
  const own = commandsIn(blockWith(page, 'task draft')[0]!);
  const ownFor = (command: string) =>
    own.find((it) =>
      ['task draft', ' contribute ', ' project '].some((w) => command.includes(w) && it.includes(w)),
    );
  await write('sample.csv', table(USERS.flatMap((it) => rowsOf(it).slice(0, 20))));
  await write('pilot.csv', table(USERS.flatMap((it) => rowsOf(it).slice(20, 40))));
  await write('windows.csv', table(rowsOf(USER).slice(0, 20)));
  await write('policy.json', policy!.text);
  await reader.give(commandsIn(blockWith(running, 'openssl')[0]!)[0]!);
  for (const block of [...blockWith(running, 'export '), ...blockWith(page, 'export ')])
    for (const command of commandsIn(block)) reader.export(command);

  const captures = new Map([
    ['eigenveil-csp identity', '<thumbprint of the CSP>'],
    ['eigenveil-user identity', '<thumbprint of the data user>'],
    ['task create', '<task>'],
    ['eigenveil-csp invite', '<token>'],
  ]);
  const given = shellBlocksOf(running).flatMap(commandsIn);
  for (const each of given.filter((it) => NEEDED.test(it) && !it.includes('--epsilon'))) {
    const command = (ownFor(each) ?? each).replaceAll(/ +/g, ' ');
    if (command.includes(' serve ')) {
      await write('csp.json', fill(csp!.text, values));
      await write('user.json', fill(user!.text, values));
      await reader.serve(fill(command, values));
    } else if (command.includes('eigenveil-owner')) {
      const tokens = values.get('<token>')!.split('\n');
      for (const [i, token] of tokens.entries()) {
        await write('rows.csv', table(rowsOf(USERS[i]!).slice(0, 20)));
        const home = { EIGENVEIL_OWNER_HOME: join(reader.folder, `owner-${i}`) };
        await reader.give(fill(command, new Map([...values, ['<token>', token]])), home);
      }
    } else {
      const [, placeholder] = [...captures].find(([words]) => command.includes(words)) ?? [];
      await give(command, placeholder);
    }
  }
}

/** A device's readings, from a user or whoever has the device. */
class Sensor {
  readonly #rowsOf: (user: number) => string[];
  readonly #pipe: Awaited<ReturnType<typeof open>>;

  private constructor(rowsOf: (user: number) => string[], pipe: Awaited<ReturnType<typeof open>>) {
    this.#rowsOf = rowsOf;
    this.#pipe = pipe;
  }

  static async start(): Promise<Sensor> {
    const { header, rowsOf } = await irises();
    const path = join(reader.folder, 'sensor');
    execFileSync('mkfifo', [path]);
    // For reading, too: otherwise this waits for the command to read it.
    const pipe = await open(path, 'r+');
    await pipe.write(`${header}\n`);
    return new Sensor(rowsOf, pipe);
  }

  /** The last rows of a user, which are in no other file. */
  async record(user: number, from: number, to: number): Promise<void> {
    await this.#pipe.write(`${this.#rowsOf(user).slice(40).slice(from, to).join('\n')}\n`);
  }

  close(): Promise<void> {
    return this.#pipe.close();
  }
}

test('comes from owners of one class each to a user who is recognised, locked, renewed and revoked', {
  tags: ['long'],
  timeout: 1_200_000,
}, async () => {
  const page = await reader.read('docs/authentication.md');
  await computeProjection(page);

  const [steps] = blockWith(page, 'eigenveil-authenticator serve');
  const settings = blocksOf(page).find(({ text }) => text.includes('"relyingApplications"'))!.text;
  sensor = await Sensor.start();
  const terminals = new Map<string, Terminal>();
  /** Waits until the relying application has read that; its sequence is that of the next answer. */
  const told = async (decision: string) => {
    const [, sequence] = await terminals.get('decisions')!.until(new RegExp(`^(\\d+) .*  ${decision}$`, 'm'));
    values.set('<sequence>', sequence!);
  };
  for (const command of commandsIn(steps!)) {
    const [, what, which] = /^(?:\w+=\S+ )?npx \S+ (\S+) (\S+)/.exec(command)!;
    if (what === 'serve') {
      const entry = await readFile(join(reader.checkout, 'calibrated.json'), 'utf8');
      await write(
        'authenticator.json',
        fill(settings, values).replace(/(?<="projections": \[).*(?=\])/s, entry),
      );
      terminals.set('serve', await reader.serve(fill(command, values)));
    } else if (command.includes('decisions --follow')) {
      terminals.set('decisions', reader.open(fill(command, values)));
      await told('step-up  enrolled');
    } else if (command.includes(' observe ')) {
      terminals.set('observe', reader.open(fill(command, values)));
      await sensor.record(USER, 0, 1);
      await told('step-up  session-opened');
    } else if (which === 'confirm') {
      await give(command);
      await told('allow  confirmed');
      await sensor.record(USER, 1, 4);
      await sensor.record(IMPOSTOR, 0, 10);
      await told('lock  behaviour');
    } else if (which === 'unlock') {
      await give(command);
      await told('step-up  unlocked');
      await sensor.close();
      await terminals.get('observe')!.until(/^14 windows sent$/m);
      await terminals.get('observe')!.end();
    } else if (which === 'identity') {
      await give(command, '<thumbprint of the relying application>');
    } else {
      await give(command, which === 'invite' ? '<token>' : undefined);
    }
  }
  await told('step-up  renewed');
  await told('lock  revoked');
  await terminals.get('decisions')!.end('SIGINT');
  await terminals.get('serve')!.end('SIGTERM');
  // What nobody has named comes to nothing that git would take up.
  expect(reader.untracked).toBe('');
});
