/** Accuracy of an SVM on faces reduced by PCA and DCA, and errors of faces led back, over numbers of components. */
import type { Measurement, Series, Suite, Unit, UnitResult } from '../instrument/unit.ts';
import { dcaComponents, pcaComponents } from './components.ts';
import { FACE_SETS, type FaceSetName, loadFaces } from './faces.ts';
import { type Errors, reconstructionErrors } from './reconstruction.ts';
import { ITERATIONS, RIDGE, SIGNAL_RIDGE, type Splitting, scoresOf, trialOf } from './trials.ts';

const DIMENSIONS_SUITE = 'dimensions';
/** The book's, with those of its one run (5, 14, 50, 160). */
export const DIMENSIONS = [2, 5, 8, 10, 14, 39, 50, 160, 1000, 2000, 3000, 4096];
const QUICK_DIMENSIONS = [2, 5, 14, 50, 160, 4096];
export const METHODS = ['pca', 'dca'] as const;
export type FaceMethod = (typeof METHODS)[number];
export const ERRORS: readonly (keyof Errors)[] = ['listing', 'uncentred', 'centred', 'heldOut'];

export interface DimensionsCase {
  readonly set: FaceSetName;
  readonly splitting: Splitting;
}
export const DIMENSIONS_CASES: readonly DimensionsCase[] = [
  ...FACE_SETS.map((set) => ({ set, splitting: 'random' as const })),
  { set: 'glasses', splitting: 'by person' },
];

/** Splits, and of them in a unit. */
const SPLITS = {
  quick: { yale: [3, 3], olivetti: [1, 1], glasses: [2, 2] },
  full: { yale: [165, 11], olivetti: [30, 2], glasses: [50, 10] },
} as const;

export const seriesOf = (method: string, k: number, what: 'accuracy' | keyof Errors): string =>
  `${method}/${k} ${what}`;

/** All samples of one series over the units of a case, in the order of splits. */
export function samplesOf(
  measurements: readonly Measurement[],
  of: Readonly<Record<string, number | string>>,
  series: string,
): number[] {
  return measurements
    .filter(({ parameters }) => Object.entries(of).every(([name, value]) => parameters[name] === value))
    .flatMap((measurement) => measurement.series[series]?.samples ?? []);
}

export function dimensionsSuite(reporting: Pick<Suite, 'highlights' | 'report'>): Suite {
  return {
    name: DIMENSIONS_SUITE,
    description: 'accuracy and errors of reconstruction over numbers of components, by PCA and DCA',
    plan: async (scale) => {
      const dimensions = scale === 'quick' ? QUICK_DIMENSIONS : DIMENSIONS;
      const chunks: { readonly from: number; readonly unit: Unit }[] = [];
      for (const of of DIMENSIONS_CASES) {
        const [splits, each] = SPLITS[scale][of.set];
        const { madeUp } = await loadFaces(of.set);
        for (let from = 1; from <= splits; from += each) {
          const part = { ...of, from, to: Math.min(splits, from + each - 1) };
          chunks.push({ from: from / splits, unit: unitOf(part, dimensions, madeUp) });
        }
      }
      // All cases go on together, so that a run that is interrupted has some splits of each.
      const units = chunks.sort((one, other) => one.from - other.from).map(({ unit }) => unit);
      return { units, omissions: [] };
    },
    ...reporting,
  };
}

/** Seconds that a split is expected to take. */
const EXPECTED = { yale: 20, olivetti: 120, glasses: 30 } as const;

type Part = DimensionsCase & { readonly from: number; readonly to: number };

function unitOf(part: Part, dimensions: readonly number[], madeUp: boolean): Unit {
  const { set, splitting, from, to } = part;
  return {
    id: `${DIMENSIONS_SUITE}/${set}/${splitting.replace(' ', '-')}/${from}-${to}`,
    title: `${set}, split ${splitting}, ${from} to ${to}`,
    parameters: {
      ...part,
      dimensions: dimensions.join(' '),
      ridge: RIDGE,
      signalRidge: SIGNAL_RIDGE,
      iterations: ITERATIONS,
      madeUp: madeUp ? 'yes' : 'no',
    },
    expectedSeconds: EXPECTED[set] * (to - from + 1),
    measure: () => measure(part, dimensions),
  };
}

async function measure(
  { set, splitting, from, to }: Part,
  dimensions: readonly number[],
): Promise<UnitResult> {
  const faces = await loadFaces(set);
  const labels = faces.glasses ?? faces.people;
  const asked = [];
  const series: Record<string, Series & { samples: number[] }> = {};
  const push = (name: string, unit: Series['unit'], value: number) => {
    series[name] ??= { unit, samples: [] };
    series[name].samples.push(Number(value.toFixed(4)));
  };
  const ranks = [];
  for (let number = from; number <= to; number += 1) {
    const trial = await trialOf(set, labels, splitting, number);
    const { span, split, beyond, gram } = trial;
    ranks.push(span.rank);
    const fitted = {
      pca: pcaComponents(span),
      dca: dcaComponents(span, split.train, labels, { ridge: RIDGE, signalRidge: SIGNAL_RIDGE }),
    };
    for (const method of METHODS) {
      const components = fitted[method];
      asked.push({ trial, name: method, components, dimensions });
      if (faces.glasses !== undefined) continue;
      const errors = reconstructionErrors(gram, { span, beyond, components }, split, dimensions);
      dimensions.forEach((k, i) => {
        for (const error of ERRORS) push(seriesOf(method, k, error), 'grey levels', errors[i]![error]);
      });
    }
  }
  const chosen = new Map<string, number>();
  for (const { name, k, accuracy, chosen: machine } of (await scoresOf(asked)).flat()) {
    push(seriesOf(name, k, 'accuracy'), 'points', 100 * accuracy);
    const kernel = machine.split(' ')[0]!;
    const key = `${name} machines that are ${kernel}`;
    chosen.set(key, (chosen.get(key) ?? 0) + 1);
  }
  return {
    series,
    facts: {
      leastRank: Math.min(...ranks),
      mostRank: Math.max(...ranks),
      ...Object.fromEntries(chosen),
    },
  };
}
