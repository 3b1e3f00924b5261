/** Pictures of people: for whoever ran the evaluation, and in nothing that may be shared. */
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import type { Experiment } from '../../../evaluation/experiment.ts';
import { writeReport } from '../../../evaluation/report/index.ts';
import { EvaluationResult } from '../../../evaluation/result.ts';
import { Evaluation } from '../../../evaluation/run/evaluate.ts';
import { experiment, RESULT, trials } from './made-up.ts';

const FACE = {
  kind: 'picture',
  name: 'faces',
  caption: 'A face that nobody else may see',
  width: 2,
  height: 1,
  pixels: [17, 239],
} as const;

test('pictures are in a folder of their own, and leave a sentence in the report', async () => {
  const result: EvaluationResult = {
    ...RESULT,
    failures: [],
    missing: [],
    experiments: [
      experiment({ id: 'a', cases: [trials('broken', 0.9, 0.1, { blocks: [FACE] })] }),
      experiment({ id: 'b', cases: [trials('broken', 0.9, 0.1, { blocks: [FACE] })] }),
    ],
  };
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-pictures-'));
  const charts = (of: string) => readdir(join(of, 'charts'));
  try {
    await writeReport(folder, result);
    const apart = join(folder, 'not-to-be-shared');
    expect((await charts(apart)).sort()).toEqual(['a-0.svg', 'b-1.svg']);
    expect(await readFile(join(apart, 'report.html'), 'utf8')).toContain('rgb(17,17,17)');
    for (const file of ['report.html', 'report.md', 'report.json']) {
      const text = await readFile(join(folder, file), 'utf8');
      expect(text).toContain('not-to-be-shared');
      expect(text).not.toMatch(/17,17,17|nobody else|"picture"/);
    }
    expect((await charts(folder)).some((name) => name.includes('faces'))).toBe(false);
    expect(EvaluationResult.parse(result)).toEqual(result);
    await writeReport(folder, { ...result, experiments: [] });
    expect(await readdir(folder)).not.toContain('not-to-be-shared');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('of a whole run no file shows them but those whose names say not to share them', async () => {
  const faces: Experiment = {
    ...experiment({ id: 'faces', expectation: 'admitted', claims: [] }),
    scenes: ['iris'],
    run: () => Promise.reject(new Error('runs in a lane')),
  };
  const setting = { effort: 'quick', seed: '1', only: undefined, own: undefined, attack: undefined } as const;
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-pictures-'));
  try {
    const evaluation = await Evaluation.open([faces], setting, folder, {
      lanes: 1,
      close: () => {},
      stop: async () => {},
      run: async () => ({ kind: 'trials', attack: [1], control: [0], baseline: 0, blocks: [FACE] }),
    });
    await writeReport(folder, await evaluation.run());
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((it) =>
      it.isFile(),
    );
    const paths = files.map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
    const texts = await Promise.all(paths.map((path) => readFile(join(folder, path), 'utf8')));
    const showing = paths.filter((_, i) => /17,(?:17,17|239)/.test(texts[i]!));
    expect(showing).toContain('not-to-be-shared.jsonl');
    expect(showing.filter((path) => !path.startsWith('not-to-be-shared'))).toEqual([]);
    expect((await stat(join(folder, 'not-to-be-shared.jsonl'))).mode & 0o077).toBe(0);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
