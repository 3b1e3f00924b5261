/** What of a user's file is taken as an experiment, and what is said of the rest. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { excessOf } from '../../evaluation/judging/excess.ts';
import { loadAttack } from '../../evaluation/own-attack.ts';
import { bundledScene } from '../../evaluation/scenes/bundled.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-attack-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const RIGHT = {
  id: "'own-guess'",
  title: "'A guess'",
  kind: "'attack'",
  attacker: "'recipient'",
  secret: "'membership'",
  expectation: "'admitted'",
  claims: "['S-14', 'P-1']",
  sees: "'reduced rows'",
  knows: "'nothing'",
  control: "'others'",
  baseline: "'one half'",
  unit: "'person'",
  scenes: "['pima']",
  run: "async () => ({ kind: 'trials', attack: [1], control: [0], baseline: 0.5 })",
};
type Members = Partial<Record<keyof typeof RIGHT | 'omits', string>>;

let files = 0;
async function fileOf(code: string): Promise<string> {
  files += 1;
  const file = join(folder, `attack-${files}.mts`);
  await writeFile(file, code);
  return file;
}
const exporting = (changed: Members) =>
  fileOf(
    `const attack: object = { ${Object.entries({ ...RIGHT, ...changed })
      .map(([name, value]) => `${name}: ${value}`)
      .join(', ')} };\nexport default attack;\n`,
  );

test('a file that exports an experiment is one, and keeps its methods', async () => {
  const experiment = await loadAttack(
    await exporting({ run: 'async function () { return this.title; }' }),
    new Set(),
  );
  expect(experiment.id).toBe('own-guess');
  expect(await experiment.run({} as never)).toBe('A guess');
});

describe('the example', () => {
  const EXAMPLE = fileURLToPath(new URL('../../../examples/attack.ts', import.meta.url));

  test('reads a missing feature of nearly all members, and of outsiders hardly more than chance', async () => {
    const attack = await loadAttack(EXAMPLE, new Set());
    const scene = await bundledScene('pima', 'seed');
    const outcome = await attack.run({ scene, effort: 'quick', seed: 'seed', note: () => {} });
    if (outcome.kind !== 'trials') throw new Error('expected trials');
    const { attack: members, control } = outcome;
    expect([members.length, control.length]).toEqual([scene.owners.flat().length, scene.outsiders.length]);
    expect(excessOf(outcome).pAbove(0.9)).toBeLessThan(1e-6);
    expect(control.filter((success) => success === 1).length / control.length).toBeLessThan(0.2);
  });

  test('stands in docs/evaluation.md as it is', async () => {
    const page = await readFile(new URL('../../../docs/evaluation.md', import.meta.url), 'utf8');
    const program = await readFile(EXAMPLE, 'utf8');
    const code = program.slice(program.indexOf('*/\n') + 3);
    expect(page).toContain(`\`\`\`ts\n${code}\`\`\``);
  });
});

describe('refused', () => {
  test.each<[string, Members, string]>([
    [
      'an id that is no name of a file',
      { id: "'../../../shared/evaluation/own'" },
      'id: expected words of a-z and 0-9 joined by -',
    ],
    ['an id that another has', { id: "'taken'" }, 'id: expected one that no other experiment has, got taken'],
    ['no title', { title: 'undefined' }, 'title: '],
    ['a title as long as a page', { title: "'x'.repeat(121)" }, 'title: '],
    ['a kind of its own', { kind: "'guess'" }, 'kind: '],
    ['an attacker that is no role', { attacker: "'me'" }, 'attacker: '],
    ['a secret that is no row of the matrix', { secret: "'all'" }, 'secret: '],
    ['another expectation', { expectation: "'hope'" }, 'expectation: '],
    ['a claim that no document has', { claims: "['S-1', 'S-99999']" }, 'got S-99999'],
    ['a claim that has no id', { claims: "['S-1', 'S-0']" }, 'claims.1: expected an id such as S-14'],
    ['nothing that it sees', { sees: "''" }, 'sees: '],
    ['nothing that it knows', { knows: 'undefined' }, 'knows: '],
    ['no control', { control: 'undefined' }, 'control: '],
    ['no baseline', { baseline: 'undefined' }, 'baseline: '],
    ['another unit', { unit: "'cell'" }, 'unit: '],
    ['no scene', { scenes: '[]' }, 'scenes: '],
    ['an unknown scene', { scenes: "['mine']" }, 'scenes.0: '],
    ['a run that is no function', { run: "'now'" }, 'run: expected a function'],
    ['reasons that are no function', { omits: "'never'" }, 'omits: expected a function'],
  ])('%s', async (_, changed, said) => {
    await expect(loadAttack(await exporting(changed), new Set(['taken']))).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_ATTACK_INVALID', message: expect.stringContaining(said) }),
    );
  });

  test('a file without a default export', async () => {
    await expect(loadAttack(await fileOf('export const attack = 1;\n'), new Set())).rejects.toThrow(
      expect.objectContaining({
        code: 'ERR_ATTACK_INVALID',
        message: expect.stringContaining('the default export: '),
      }),
    );
  });

  test('a file that is not there, and a folder', async () => {
    for (const file of [join(folder, 'none.ts'), folder])
      await expect(loadAttack(file, new Set())).rejects.toMatchObject({ code: 'ERR_ATTACK_MISSING' });
  });

  test('a file that throws, that does not parse, or that finds no package', async () => {
    for (const [code, said] of [
      ["throw new Error('said so');\n", 'cannot be loaded: said so'],
      ['export default {\n', 'cannot be loaded: '],
      ["import '@eigenveil/none';\n", 'only a file inside of the checkout finds its packages'],
    ])
      await expect(loadAttack(await fileOf(code!), new Set())).rejects.toThrow(
        expect.objectContaining({ code: 'ERR_ATTACK_FAILED', message: expect.stringContaining(said!) }),
      );
  });
});
