/** What the machine's bound on iterations, and the scale of its rows, have to do with accuracy on few components. */
import type { Series, Suite, Unit, UnitResult } from '../instrument/unit.ts';
import { type Components, dcaComponents, pcaComponents } from './components.ts';
import { seriesOf } from './dimensions.ts';
import { loadFaces } from './faces.ts';
import { ITERATIONS, RIDGE, SIGNAL_RIDGE, scoresOf, type Trial, trialOf } from './trials.ts';

const SOLVER_SUITE = 'solver';
export const SOLVER_DIMENSIONS = [2, 5];
const SET = 'yale';

interface Arm {
  readonly name: string;
  readonly method: 'pca' | 'dca';
  readonly iterations: number;
  /** Rows are divided by one number, so that their variance is 1 on average over the components. */
  readonly unit?: true;
}

export const SOLVER_ARMS: readonly Arm[] = [
  { name: 'PCA, 1,000 iterations', method: 'pca', iterations: 1000 },
  { name: 'PCA, 10,000 iterations, as elsewhere', method: 'pca', iterations: ITERATIONS },
  { name: 'PCA, 100,000 iterations, as the listing', method: 'pca', iterations: 100_000 },
  { name: 'PCA, rows of variance 1', method: 'pca', iterations: ITERATIONS, unit: true },
  { name: 'DCA, 10,000 iterations, as elsewhere', method: 'dca', iterations: ITERATIONS },
  { name: 'DCA, rows of variance 1', method: 'dca', iterations: ITERATIONS, unit: true },
];

export function solverSuite(reporting: Pick<Suite, 'highlights' | 'report'>): Suite {
  return {
    name: SOLVER_SUITE,
    description: "the machine's bound on iterations and the scale of its rows, on few components",
    plan: async (scale) => {
      const { madeUp } = await loadFaces(SET);
      const arms = SOLVER_ARMS.filter(({ iterations }) => scale === 'full' || iterations <= ITERATIONS);
      const splits = scale === 'quick' ? 1 : 6;
      const units = Array.from({ length: splits }, (_, i) => unitOf(i + 1, arms, madeUp));
      return { units, omissions: [] };
    },
    ...reporting,
  };
}

function unitOf(number: number, arms: readonly Arm[], madeUp: boolean): Unit {
  return {
    id: `${SOLVER_SUITE}/${SET}/${number}`,
    title: `the machine on ${SET}, split ${number}`,
    parameters: {
      set: SET,
      from: number,
      to: number,
      arms: arms.map(({ name }) => name).join('; '),
      dimensions: SOLVER_DIMENSIONS.join(' '),
      ridge: RIDGE,
      signalRidge: SIGNAL_RIDGE,
      madeUp: madeUp ? 'yes' : 'no',
    },
    expectedSeconds: arms.reduce((sum, { iterations }) => sum + 1 + iterations / 3000, 0),
    measure: () => measure(number, arms),
  };
}

async function measure(number: number, arms: readonly Arm[]): Promise<UnitResult> {
  const { people } = await loadFaces(SET);
  const trial = await trialOf(SET, people, 'random', number);
  const fitted = {
    pca: pcaComponents(trial.span),
    dca: dcaComponents(trial.span, trial.split.train, people, { ridge: RIDGE, signalRidge: SIGNAL_RIDGE }),
  };
  const asked = SOLVER_DIMENSIONS.flatMap((k) =>
    arms.map(({ name, method, iterations, unit }) => ({
      trial,
      name,
      components: unit ? ofVarianceOne(trial, fitted[method], k) : fitted[method],
      dimensions: [k],
      iterations,
    })),
  );
  const series: Record<string, Series> = {};
  for (const { name, k, accuracy } of (await scoresOf(asked)).flat())
    series[seriesOf(name, k, 'accuracy')] = {
      unit: 'points',
      samples: [Number((100 * accuracy).toFixed(4))],
    };
  return { series, facts: {} };
}

/** Of the training rows in the first k components. */
function ofVarianceOne({ span, split }: Trial, { vectors, ...rest }: Components, k: number): Components {
  const squares = vectors
    .slice(0, k)
    .reduce((sum, vector) => sum + vector.reduce((s, v, a) => s + v * v * span.eigenvalues[a]!, 0), 0);
  const scale = Math.sqrt((k * split.train.length) / squares);
  return { ...rest, vectors: vectors.map((vector) => vector.map((entry) => entry * scale)) };
}
