/** What a task releases is the clear reference's answer over all rows, and rows are reduced as owners reduce them. */
import { flatResult } from '@eigenveil/methods';
import { decompose, project } from '@eigenveil/projection';
import { csvLine, statisticsOfCsv } from '@eigenveil/statistics';
import { programOf, type TaskProposal } from '@eigenveil/task';
import { describe, expect, it } from 'vitest';
import { Draws } from '../../evaluation/draws.ts';
import {
  pooledStatistics,
  reducerOf,
  releasedBy,
  releasedOf,
  scaledRows,
  statisticsOf,
  withoutRows,
} from '../../evaluation/released.ts';
import type { Scene } from '../../evaluation/scene.ts';
import { bundledScene } from '../../evaluation/scenes/bundled.ts';
import { variantOf } from '../../evaluation/scenes/split.ts';

const scene = await bundledScene('pima', 'seed');

/** By the way that owners go: a file, and its columns by name. */
async function ofFile(task: TaskProposal, { owners }: Scene) {
  const columns = task.labellings.map(({ column }) => column);
  const lines = owners
    .flat()
    .map(({ values, labels }) =>
      csvLine([...values.map(String), ...columns.map((column) => labels[column]!)]),
    );
  const text = [csvLine([...task.features.map(({ name }) => name), ...columns]), ...lines].join('\n');
  const read = async function* () {
    yield new TextEncoder().encode(text);
  };
  const pooled = { ...task, maximumSamplesPerOwner: 10_000 };
  return (await statisticsOfCsv(read(), pooled, {})).statistics;
}

describe.each(['pca', 'dca', 'lda', 'mdr'] as const)('%s', (method) => {
  const task = variantOf(scene, { method, twoParty: 'rotated', outputs: ['mean'] });

  it('releases what the reference computes of the same rows in a file', async () => {
    const expected = decompose({ ...programOf(task), minimumOwners: 1 }, await ofFile(task, scene));
    expect(releasedBy(task, scene.owners)).toEqual(flatResult(expected));
  });

  it('reduces rows to their products with the vectors, centred', () => {
    const released = releasedBy(task, scene.owners);
    const reduced = reducerOf(task, released)(scene.outsiders);
    const expected = project(released, scaledRows(task, scene.outsiders));
    for (const [i, row] of reduced.entries())
      for (const [c, cell] of row.entries()) expect(cell).toBeCloseTo(expected[i]![c]!, 10);
  });
});

it('takes rows out as if they had not been there', () => {
  const task = variantOf(scene, { method: 'dca' });
  const [first, ...others] = scene.owners[0]!;
  const left = withoutRows(task, pooledStatistics(task, scene.owners), [first!]);
  expect(left).toEqual(pooledStatistics(task, [others, ...scene.owners.slice(1)]));
  expect(releasedOf(task, left)).not.toEqual(releasedBy(task, scene.owners));
});

describe('differential privacy', () => {
  const task = variantOf(scene, {
    method: 'pca',
    outputs: ['trace'],
    differentialPrivacy: {
      epsilon: 1,
      delta: 1e-6,
      neighbours: 'add-remove',
      clippingNorm: 1.5,
      noise: 'servers',
      honestOwners: null,
      dataIndependentRanges: true,
    },
  });
  const exact = () => {
    const rows = statisticsOf(task, scene.owners.flat());
    return releasedOf({ ...task, differentialPrivacy: null }, rows);
  };

  it('adds noise by the draws, and takes the shift out again', () => {
    const releases = Array.from({ length: 40 }, (_, i) =>
      releasedBy(task, scene.owners, new Draws(`noise ${i}`)),
    );
    expect(releasedBy(task, scene.owners, new Draws('noise 0'))).toEqual(releases[0]);
    expect(releases[1]).not.toEqual(releases[0]);
    const mean = releases.reduce((sum, { trace }) => sum + trace! / 40, 0);
    const error = Math.sqrt(releases.reduce((sum, { trace }) => sum + (trace! - mean) ** 2, 0) / 39 / 40);
    expect(error).toBeGreaterThan(1);
    expect(Math.abs(mean - exact().trace!)).toBeLessThan(5 * error);
  });

  it('is not released without noise', () => {
    expect(() => releasedBy(task, scene.owners)).toThrow(RangeError);
  });
});
