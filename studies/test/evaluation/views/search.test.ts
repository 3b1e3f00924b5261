/** The search finds what must not be in a view, wherever and however it is written there, and knows what chance does. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { csvLine } from '@eigenveil/statistics';
import { Task } from '@eigenveil/task';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Draws } from '../../../evaluation/draws.ts';
import { releasedBy } from '../../../evaluation/released.ts';
import type { SceneRow } from '../../../evaluation/scene.ts';
import { bundledScene } from '../../../evaluation/scenes/bundled.ts';
import { writeBundles } from '../../../evaluation/views/bundle.ts';
import { describeBundle, evaluateBundle } from '../../../evaluation/views/evaluate.ts';
import { finds, forbiddenTo, searchedOf, searchIn } from '../../../evaluation/views/search.ts';
import { pooledOf, type Secrets, secretsOf } from '../../../evaluation/views/secrets.ts';
import type { Party, View } from '../../../evaluation/views/view.ts';

const RECORDING = '0198c5f0-4d4c-7a56-8c40-6a3f0d1b2c3d';
const scene = await bundledScene('iris', 'search');
const owners = scene.owners.slice(0, 2);
const task = Task.parse({
  ...{ ...scene.proposal, fractionBits: 20, protocol: 'eigenveil/1', id: 't'.repeat(22) },
  ...{ csp: 'c'.repeat(43), dataUser: 'd'.repeat(43) },
});

function viewOf(party: Party, more: Partial<View> = {}): View {
  return {
    ...{ recording: RECORDING, party, taskId: task.id, outputs: [], keys: [], random: [], received: [] },
    ...{ opened: [], files: [], passages: [] },
    inputs: [{ name: 'task', bytes: Buffer.from(JSON.stringify(task)) }],
    ...more,
  };
}

function ownerView(rows: readonly SceneRow[], owner: number): View {
  const lines = [task.features.map(({ name }) => name), ...rows.map(({ values }) => values)];
  const view = viewOf(`owner ${owner + 1}`);
  return {
    ...view,
    inputs: [...view.inputs, { name: 'rows', bytes: Buffer.from(lines.map(csvLine).join('\n')) }],
  };
}

const ownerViews = owners.map(ownerView);
const { vectors, eigenvalues } = releasedBy(task, owners);
const dataUser = viewOf('data user', {
  outputs: [{ name: 'projection', bytes: Buffer.from(JSON.stringify({ vectors, eigenvalues })) }],
});
const secrets = await secretsOf([dataUser, ...ownerViews]);
const received = (...bytes: Buffer[]) =>
  bytes.map((it) => ({ at: 0, from: 'data user', kind: 'frame', name: 'f', bytes: it }) as const);
const noise = Array.from({ length: 5 }, () => randomBytes(4000));
const foundIn = (view: View, some: readonly Secrets[]) =>
  searchIn(searchedOf(view), some).flatMap(({ found }) => found);

describe('the search', () => {
  test('finds every secret in every form, planted alone, and none in noise', () => {
    for (const own of Map.groupBy(secrets, ({ kind }) => kind).values()) {
      const forms = own.at(-1)!.forms;
      expect(forms.length).toBeGreaterThan(0);
      expect(finds(noise, forms, new Draws('planted')).value).toBe(1);
    }
    const [nothing] = searchIn(noise, secrets);
    expect(nothing).toMatchObject({ found: [], chance: 1 });
    expect(new Set(secrets.map(({ kind }) => kind))).toEqual(new Set(['statistics', 'rows', 'result']));
  });

  test('knows the statistics by definition', async () => {
    const rows = owners.flat().map(({ values }) => values);
    const unit = 2 ** task.fractionBits;
    const integers = rows.map((row) =>
      row.map((value, i) => {
        const { min, max } = task.features[i]!;
        return Math.round(((2 * (value - min)) / (max - min) - 1) * unit);
      }),
    );
    const first = integers.reduce((sum, row) => sum + BigInt(row[0]!) ** 2n, 0n);
    const pooled = await pooledOf(ownerViews);
    expect(pooled[0]).toBe(first);
    expect(pooled.at(-1)).toBe(2n); // owners
    expect(pooled.at(-2)).toBe(BigInt(rows.length));
  });

  test('sees a row in what somebody received, also in base64 and in part', () => {
    const [row] = owners[1]!;
    const line = csvLine(row!.values);
    for (const written of [line, `[${line}]`, ` ${Buffer.from(`{"row":[${line}]}`).toString('base64')} `]) {
      const view = viewOf('owner 1', { received: received(...noise, Buffer.from(written)) });
      expect(foundIn(view, forbiddenTo('owner 1', secrets))).toEqual(['row 0 of owner 2']);
    }
  });

  test('says how likely chance is: a whole statistic is no accident, eight digits of one are', async () => {
    const pooled = await pooledOf(ownerViews);
    const [own] = secrets;
    const search = (bytes: Buffer) => searchIn([...noise, bytes], [own!])[0]!;
    expect(search(Buffer.from(`${pooled[0]}`)).chance).toBeLessThan(1e-5);
    const digits = Buffer.from(`${pooled[0]}`.slice(0, 8));
    const short = { ...own!, forms: [{ ...own!.forms[0]!, name: 'a part, decimal', bytes: digits }] };
    const many = Buffer.from(Array.from({ length: 100_000 }, (_, i) => `${i}`).join(''));
    expect(searchIn([...noise, many, digits], [short])[0]!.chance).toBeGreaterThan(0.001);
  });

  test('leaves a party what is its own', () => {
    const whose = (party: Party) => forbiddenTo(party, secrets).map(({ kind, of }) => `${kind} of ${of}`);
    expect(whose('CSP')).toHaveLength(secrets.length);
    expect(whose('data user')).not.toContain('result of all owners');
    expect(whose('data user')).toContain('statistics of all owners');
    expect(whose('owner 1')).toEqual([
      'statistics of all owners',
      'statistics of owner 2',
      'rows of owner 2',
    ]);
  });
});

describe('a bundle alone', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'eigenveil-test-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('is searched for what the bundles beside it say, and shows a leak', { tags: ['long'] }, async () => {
    const [pooled] = await pooledOf(ownerViews);
    const csp = viewOf('CSP', { opened: [{ name: 'blinded slots', values: [pooled!] }] });
    const [file, ...others] = await writeBundles([csp, dataUser, ...ownerViews], folder);
    const evaluated = await evaluateBundle(file!);
    expect(evaluated.searches.flatMap(({ found }) => found)).toEqual(['value 0 of all owners']);
    expect(describeBundle(evaluated)).toContain('FOUND: value 0 of all owners');
    for (const other of others) {
      expect((await evaluateBundle(other)).searches.flatMap(({ found }) => found)).toEqual([]);
    }
  });

  test('says when nothing tells what to look for', async () => {
    const alone = join(folder, 'alone');
    const [csp, network] = await writeBundles([viewOf('CSP'), viewOf('network')], alone);
    for (const file of [csp!, network!]) {
      const evaluated = await evaluateBundle(file);
      expect(evaluated.searches).toEqual([]);
      expect(evaluated.remarks).toHaveLength(1);
    }
  });
});
