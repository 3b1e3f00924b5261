/** Whole runs from fixed seeds, by their digests: whoever changes what either end sends or keeps must give the program another name. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { PROGRAM } from '../../src/rotated.ts';
import { Kept, runOnce } from './broken-lines.ts';
import { gridded } from './floors.ts';
import { dca, labelled, lda, mdr, pencilSetting } from './pencils.ts';
import { type Setting, settingOf, share, spread } from './settings.ts';
import { patterned, sketchSetting } from './sketches.ts';
import { seededBits } from './statistics.ts';

const pca = { rows: spread(40, 3, 3), components: 1 };
const rows = labelled(24, 5, 3);
const hidden = {
  ...labelled(48, 5, 3),
  labellings: [
    { classes: 3, labels: Array.from({ length: 48 }, (_, i) => i % 3) },
    { classes: 3, labels: Array.from({ length: 48 }, (_, i) => (i >> 2) % 3) },
  ],
};

const floored = gridded(40, [2, 'cell', 0.25, 'cell', 2], 3);

const sketched = { rows: patterned(24, 12, 9), columns: 5, components: 1 };

const SETTINGS = {
  pca: () => settingOf(pca),
  'pca with mean': () =>
    settingOf({ ...pca, rows: spread(40, 5, 3), program: { outputs: ['sampleCount', 'spectrum', 'mean'] } }),
  'pca with a floor': () =>
    settingOf({
      ...floored,
      components: 1,
      program: { outputs: ['sampleCount', 'spectrum', 'mean'], allowFullRank: true },
    }),
  correlation: () =>
    settingOf({
      ...pca,
      rows: spread(20, 5, 7),
      program: { outputs: ['sampleCount', 'spectrum', 'variances'] },
      task: { method: { kind: 'pca', scale: 'correlation' }, maximumSamplesPerOwner: 16 },
    }),
  dca: () => pencilSetting({ ...rows, method: dca(0.1), components: 1 }),
  'dca with a signal ridge': () => pencilSetting({ ...rows, method: dca(0.1, 0.01), components: 1 }),
  lda: () => pencilSetting({ ...rows, method: lda(0.1), components: 1 }),
  'lda with a floor': () =>
    pencilSetting({
      ...floored,
      labellings: [{ classes: 3, labels: floored.rows.map((_, i) => i % 3) }],
      method: lda(0.1),
      components: 1,
      task: { ...floored.task, twoParty: 'rotated' },
      program: { allowFullRank: true },
    }),
  sketch: () =>
    sketchSetting({
      ...sketched,
      signs: Int32Array.from({ length: 12 * 5 }, (_, i) => ((i * i) % 7 < 3 ? 1 : -1)),
    }),
  mdr: () => pencilSetting({ ...hidden, method: mdr(0.1), components: 2 }),
} as const satisfies Record<string, () => Setting>;

/**
 * Of what each end has sent and of the tags that it has kept. An answer that is under way when a server gets another release is run again from its beginning,
 * under the same secrets, so that a release that makes anything else of them must say so (PROGRAM is part of the first tag): never edit the digests of a
 * name that was released; give another name, and put its digests here in the place of these.
 */
const DIGESTS: { readonly program: string; readonly of: Readonly<Record<keyof typeof SETTINGS, string>> } = {
  program: 'eigenveil rotated 10',
  of: {
    pca: 'TiPFTqzdNN9fW3YulNKtPOzK0HSWLu-WA2or87Qok6M',
    'pca with mean': 'DOfjYSbtH-gs2le19_zVc4z8nFfY7UszHctUt0ee1GM',
    'pca with a floor': 'YeMqApnCB903HlJtMvE10E3uPU6Y4Qq-q_Ec0Egr8iE',
    correlation: '0_hClzJdi654LeF3Ax0WD2FYKZjkiVCT0jTJtvrL8OA',
    dca: 'sveyyvQ2hYGUQGBHHUzO56DJ0sDXNvM1nMTdH0au-0g',
    'dca with a signal ridge': 'lc7k9lYFGrkh4XGjPAzClA5Nqvb5JXsLz7zjUDLuMyI',
    lda: '7WI6xcSH_5IweXzsD0mCtWRKxKtf9NWN9O7B-Bd7gAY',
    'lda with a floor': '4JTX6WTnZCNREVtv6lhAJg7oaQIJEhbaRUPGDf8N-mU',
    sketch: 'o4hDWzlG5bXRRRf7xz6Ku2smhR_-LnAi-EzhBWs9l3A',
    mdr: 'KHOZNYl7Q2rbqfQjwbxGwYpkYlSiP2szU4K_Q6ofYdY',
  },
};

async function digestOf(name: keyof typeof SETTINGS): Promise<string> {
  const setting = SETTINGS[name]();
  const { task, statistics, garbler } = setting;
  const shares = share(task, statistics, garbler.verifiedOwners, seededBits(name));
  const ends = { csp: new Kept(Buffer.alloc(32, 1)), user: new Kept(Buffer.alloc(32, 2)) };
  const run = await runOnce(
    {
      ...setting,
      garbler: { ...garbler, ...shares.garbler },
      evaluator: { ...setting.evaluator, ...shares.evaluator },
    },
    ends,
  );
  expect(run.user.status).toBe('fulfilled');
  const hash = createHash('sha256');
  for (const end of ['csp', 'user'] as const) {
    hash.update(run.bytes[end]);
    for (const tag of ends[end].tags) hash.update(tag);
  }
  return hash.digest('base64url');
}

/** What these do is in the others, too: another reduction, one more column, both of a floor and of MDR. */
const LIKE_OTHERS: readonly string[] = ['lda', 'dca with a signal ridge', 'lda with a floor'];

for (const name of Object.keys(SETTINGS) as (keyof typeof SETTINGS)[])
  it(name, { tags: LIKE_OTHERS.includes(name) ? ['long'] : [] }, async () => {
    const { program, of } = DIGESTS;
    expect({ program: PROGRAM, digest: await digestOf(name) }).toEqual({ program, digest: of[name] });
  });
