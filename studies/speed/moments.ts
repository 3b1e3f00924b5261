/** The exactness of released correlations: the intervals of a task of moments, and what clipping moves them by. */

import { draftTask } from '@eigenveil/data-user';
import { ofKind } from '@eigenveil/methods';
import { defaultClippingNorm } from '@eigenveil/privacy';
import { resultOfSums } from '@eigenveil/projection';
import {
  type CsvRow,
  drawNoise,
  flatten,
  readFileBytes,
  readRows,
  type Statistics,
} from '@eigenveil/statistics';
import { TaskProposal } from '@eigenveil/task';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { most, only } from '../instrument/figure.ts';
import { setting, wholeNumbers } from '../instrument/settings.ts';
import { defineStudy, grid } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';
import { fileOfCase } from './own-rows.ts';
import { sumRows } from './owners.ts';
import { setsThere } from './planned-sets.ts';

/** Results whose intervals are pooled. */
const DRAWS = 5;
const LABEL = 'label';

/** The clipping norms that are compared: the one of other drafts, and one that shortens no row. */
const NORMS = { '√(d/3)': defaultClippingNorm, '√d': Math.sqrt } as const;

type MomentsCase = {
  readonly dataset: string;
  /** The number of times that each row counts. */
  readonly times: number;
  readonly epsilon: number;
  readonly norm: keyof typeof NORMS;
};

interface Closeness {
  readonly rows: number;
  readonly features: number;
  /** The median half-width of all correlations' intervals; null where more than half are not told. */
  readonly halfWidth: number | null;
  /** The largest difference of correlations of the rows as they are clipped from those of the rows. */
  readonly moved: number;
}

/** @param file of the rows, with a column `label` */
async function closenessOf({ dataset, times, epsilon, norm }: MomentsCase, file: string): Promise<Closeness> {
  const privacy = { epsilon, delta: 1e-6 };
  const { rows: count, ...draft } = await draftTask(file, {
    ...{ method: 'moments', labels: [], ignore: [LABEL] },
    ...privacy,
  });
  const { length } = draft.features;
  const taskOf = (clippingNorm: number) =>
    TaskProposal.parse({
      ...draft,
      ...{
        components: 0,
        twoParty: 'linear',
        minimumOwners: 2,
        maximumOwners: 10,
        maximumSamplesPerOwner: count * times,
      },
      differentialPrivacy: {
        ...privacy,
        ...{ neighbours: 'add-remove', clippingNorm, dataIndependentRanges: true },
      },
      deadline: '2100-01-01T00:00:00Z',
    });
  const [task, whole] = [taskOf(NORMS[norm](length)), taskOf(Math.sqrt(length))];
  const rows: CsvRow[] = [];
  for await (const row of readRows(readFileBytes(file), task, { ignoredColumns: [LABEL] })) rows.push(row);
  const sums = (of: TaskProposal) =>
    flatten(of, sumRows(of, rows))
      .slice(0, -1)
      .map((v) => v * BigInt(times));
  const exact = sums(task);
  const source = predictableRandomness(`moments ${dataset} ${times} ${epsilon} ${norm}`);
  const correlations = Array.from({ length: DRAWS }, () => {
    const [a, b] = (['csp', 'dataUser'] as const).map((server) => drawNoise(task, server, source));
    const opened = exact.map((value, i) => value + a![i]! + b![i]!);
    return ofKind('moments', resultOfSums(task, opened)).moments.correlations;
  }).flat();
  const halves = correlations.map((told) => (told === null ? Infinity : (told.to - told.from) / 2));
  const middle = halves.sort((x, y) => x - y)[Math.floor(halves.length / 2)]!;
  const clipped = correlationsOf(sumRows(task, rows));
  const plain = correlationsOf(sumRows(whole, rows));
  return {
    rows: count * times,
    features: length,
    halfWidth: Number.isFinite(middle) ? middle : null,
    moved: Math.max(...clipped.map((own, i) => Math.abs(own - plain[i]!))),
  };
}

/** The exact correlations of rows that all vary. */
function correlationsOf({ R, labellings }: Statistics): number[] {
  const { V, M } = labellings[0]![0]!;
  const d = V.length;
  const row = (i: number) => (i * (2 * d - i + 1)) / 2 - i;
  const covariance = (i: number, j: number) => Number(M * R[row(i) + j]! - V[i]! * V[j]!);
  return V.flatMap((_, i) =>
    V.slice(i + 1).map((_own, k) => {
      const j = i + 1 + k;
      return covariance(i, j) / Math.sqrt(covariance(i, i) * covariance(j, j));
    }),
  );
}

const DATA_SETS = ['pima', 'breast_cancer'];
const TIMES = setting({
  name: 'times',
  says: 'how often each row counts',
  parse: wholeNumbers,
  quick: [1, 5],
  full: [1, 5, 20, 100],
});

/** The figures by the clipping norm of other drafts. */
const movedBy = (dataset: string) => ({
  where: { dataset, norm: '√(d/3)' },
  figure: most('moved', { digits: 3 }),
});

export const moments = defineStudy<MomentsCase>({
  id: 'speed/moments',
  isApart: true,
  settings: [TIMES],
  plan: async ({ scale, settings, own }) => {
    const names = scale === 'quick' ? DATA_SETS.slice(0, 1) : DATA_SETS;
    const { sets, omissions } = await setsThere(names.map((dataset) => ({ dataset })));
    return {
      cases: grid({
        dataset: own === undefined ? sets.map(({ dataset }) => dataset) : [own.name],
        times: settings.of(TIMES),
        norm: Object.keys(NORMS) as (keyof typeof NORMS)[],
        epsilon: [1, 3],
      }),
      omissions: own === undefined ? omissions : [],
    };
  },
  titleOf: ({ dataset, times, norm, epsilon }) => `${dataset} × ${times}, C = ${norm}, ε = ${epsilon}`,
  expectedSeconds: () => 2,
  async measure(chosen, { own }): Promise<Tidy[]> {
    const { halfWidth, ...told } = await closenessOf(chosen, await fileOfCase(chosen.dataset, own));
    const { epsilon, norm } = chosen;
    return [{ ...told, halfWidth: halfWidth ?? 'not told', under: `ε = ${epsilon}, C = ${norm}` }];
  },
  columns: {
    dataset: { title: 'data' },
    rows: { form: { grouped: true } },
    features: { title: 'd' },
    norm: { title: 'C' },
  },
  tables: {
    halfWidths: {
      caption: 'Median half-widths of the intervals of all correlations',
      rows: ['dataset', 'rows', 'features'],
      across: { column: 'under', cell: only('halfWidth', { digits: 3 }) },
    },
    moved: {
      caption: 'How far clipping moves a correlation at most',
      rows: ['norm'],
      across: { column: 'dataset', cell: most('moved', { digits: 3 }) },
    },
  },
  facts: { pimaMoved: movedBy('pima'), breastCancerMoved: movedBy('breast_cancer') },
  words: new URL('moments.md', import.meta.url),
});
