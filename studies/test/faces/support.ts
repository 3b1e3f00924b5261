/** Toy rows, and results of a run as they would be kept. */
import { generator, seedOf } from '@eigenveil/testbed/random';
import type { OwnData } from '../../instrument/own-data.ts';
import { packed, type StudyResults } from '../../instrument/results.ts';
import { measured } from '../../instrument/run.ts';
import type { Asked, Omission, Study } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';

/** Of which study, of what case, and what was seen. */
type Seen = readonly [study: Pick<Study, 'id'>, chosen: Tidy, records: readonly Tidy[]];

/** Two labels that stand in directions of their own, among columns of noise. */
export function ownRows(): OwnData {
  const next = generator(seedOf('toy rows of two labels'));
  const labels = Array.from({ length: 80 }, (_, row) => row % 2);
  const privateLabels = labels.map((_, row) => Math.floor(row / 2) % 2);
  const noise = () => 0.3 * (next() - 0.5);
  return {
    name: 'toy',
    columns: ['a', 'b', 'c', 'd', 'e', 'f'],
    ranges: Array.from({ length: 6 }, () => [-1, 1] as const),
    rows: labels.map((label, row) => [
      label - 0.5 + noise(),
      privateLabels[row]! - 0.5 + noise(),
      ...Array.from({ length: 4 }, noise),
    ]),
    labels,
    classes: ['0', '1'],
    privateLabels,
  };
}

/** All cases that a study plans. */
export async function measuredBy(study: Study, asked: Asked): Promise<Seen[]> {
  const { cases } = await study.plan(asked);
  const bench = { note: () => undefined, ...(asked.own && { own: asked.own }) };
  const seen: Seen[] = [];
  for (const chosen of cases)
    seen.push([study, chosen, await measured({ study, parameters: chosen }, bench)]);
  return seen;
}

export function resultsOf(
  seen: readonly Seen[],
  { scale = 'quick', omissions = [] }: { scale?: 'quick' | 'full'; omissions?: Omission[] } = {},
): StudyResults {
  return {
    format: 'eigenveil-study/1',
    description: {
      scale,
      studies: [...new Set(seen.map(([{ id }]) => id))],
      chosen: {},
      environment: {
        commit: 'none',
        changes: null,
        processor: 'made up',
        cores: 2,
        memoryBytes: 2 ** 30,
        system: 'made up',
        node: 'v26',
        openssl: '3',
        packages: {},
      },
    },
    finishedAt: '2026-01-01T00:00:00.000Z',
    facts: {},
    cases: seen.map(([{ id }, parameters, records]) => ({
      study: id,
      id: `${id}/${Object.values(parameters).join('/')}`,
      parameters,
      startedAt: '2026-01-01T00:00:00.000Z',
      seconds: 1,
      ...packed(records),
    })),
    omissions,
  };
}
