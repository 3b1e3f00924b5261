/** The month's diary of docs/operations/month.md word for word, with the real services: its blocks run on a copy of this checkout, in their order. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fill, Reader, type Terminal } from './support/reader.ts';
import { blocksOf, blockWith, commandsOf, shellBlocksOf } from './support/recipes.ts';

const SERVICES = { 'eigenveil-csp': 'csp', 'eigenveil-user': 'user' } as const;
type Unit = keyof typeof SERVICES;

let reader: Reader;
let recipe: string;
let values: Map<string, string>;
const running = new Map<Unit, Terminal>();

beforeAll(async () => {
  reader = await Reader.start();
  recipe = await reader.read('docs/running.md');
  values = new Map([
    ...(await reader.places('diary')),
    ['/backup', join(reader.folder, 'backup')],
    ['"minimumOwners": 5', '"minimumOwners": 2'],
  ]);
}, 300_000);
afterAll(() => reader.close());

/** As systemd does it with the units of deploy/systemd. */
async function systemctl(verb: string, unit: Unit): Promise<void> {
  const file = `${SERVICES[unit]}.json`;
  // No npx: what the units start is the service itself, which gets their signals.
  const start = `env PATH="$PWD/node_modules/.bin:$PATH" ${unit} serve --config ${file}`;
  if (verb === 'start') running.set(unit, await reader.serve(start));
  else if (verb === 'stop') await running.get(unit)!.end('SIGTERM');
  else {
    running.get(unit)!.signal('SIGHUP');
    await running.get(unit)!.until(/settings reloaded/);
  }
}

/** Commands whose output stands for a placeholder of later ones. */
const CAPTURES: readonly (readonly [RegExp, string])[] = [
  [/eigenveil-csp\s+identity/, '<thumbprint of the CSP>'],
  [/eigenveil-user\s+identity/, '<thumbprint of the data user>'],
  [/eigenveil-user\s+task create/, '<task>'],
  [/eigenveil-csp\s+invite .*--count 3/, '<token>'],
];

/** A file of settings as docs/running.md has it. */
async function writeSettings(): Promise<void> {
  const blocks = blocksOf(recipe).filter(({ language }) => language === 'jsonc');
  for (const [i, name] of ['csp.json', 'user.json'].entries())
    await writeFile(join(reader.checkout, name), fill(blocks[i]!.text, values));
}

async function give(command: string): Promise<void> {
  const [, verb, unit] = /^systemctl (\w+) (\S+)$/.exec(command) ?? [];
  if (unit !== undefined) return systemctl(verb!, unit as Unit);
  if (command.startsWith('export ')) return reader.export(command);
  if (command.includes('eigenveil-owner')) {
    const tokens = values.get('<token>')!.split('\n');
    for (const [i, token] of tokens.entries()) {
      const home = { EIGENVEIL_OWNER_HOME: join(reader.folder, `owner-${i}`) };
      const { stdout } = await reader.give(fill(command, new Map([...values, ['<token>', token]])), home);
      const [id] = /[\w-]{22}/.exec(stdout) ?? [];
      if (command.includes(' enrol ') && id !== undefined) values.set('<owner>', id); // the last one's key is stolen
    }
    return;
  }
  const { stdout } = await reader.give(fill(command, values));
  const [, captured] = CAPTURES.find(([pattern]) => pattern.test(command)) ?? [];
  if (captured !== undefined) values.set(captured, stdout.trim());
  if (captured === '<thumbprint of the data user>') await writeSettings();
}

test('two operators come through a month by the diary', { tags: ['long'], timeout: 900_000 }, async () => {
  const rows = await readFile(join(reader.checkout, 'data/pima.csv'));
  for (const file of ['sample.csv', 'rows.csv']) await writeFile(join(reader.checkout, file), rows);
  await writeFile(join(reader.checkout, 'policy.json'), '{ "minimumOwners": 2 }');
  for (const block of [...blockWith(recipe, 'openssl'), ...blockWith(recipe, 'export ')])
    for (const { command } of commandsOf(block)) await give(fill(command, values));
  const diary = await reader.read('docs/operations/month.md');
  const commands = shellBlocksOf(diary).flatMap(commandsOf);
  expect(commands.length).toBeGreaterThan(30);
  for (const { command } of commands) await give(command);

  // The stolen key's owner is not among those whose rows count.
  const projection: unknown = JSON.parse(await reader.read('projection.json'));
  expect(projection).toMatchObject({ provenance: { verifiedOwners: 2 } });
  expect(projection).toHaveProperty('vectors.length', 5);
  const command = fill('npx eigenveil-csp owners list --revoked --config csp.json --json', values);
  expect((await reader.give(command)).stdout).toContain(values.get('<owner>'));
});
