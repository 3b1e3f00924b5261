/** Whether accuracy and reconstruction by DCA depend on ρ′: the same splits for each value of it. */
import type { Series, Suite, Unit, UnitResult } from '../instrument/unit.ts';
import { dcaComponents } from './components.ts';
import { ERRORS, seriesOf } from './dimensions.ts';
import { loadFaces } from './faces.ts';
import { reconstructionErrors } from './reconstruction.ts';
import { ITERATIONS, RIDGE, scoresOf, trialOf } from './trials.ts';

const SIGNAL_RIDGE_SUITE = 'signal-ridge';
export const SIGNAL_RIDGES = [-0.05, -0.01, -0.001, 0, 0.001, 0.01, 0.05];
/** All signal components of 15 people, and the book's number. */
export const SIGNAL_DIMENSIONS = [14, 160];
const SET = 'yale';

export const methodAt = (signalRidge: number): string => `dca ${signalRidge}`;

export function signalRidgeSuite(reporting: Pick<Suite, 'highlights' | 'report'>): Suite {
  return {
    name: SIGNAL_RIDGE_SUITE,
    description: 'DCA over ρ′, from −0.05 to 0.05',
    plan: async (scale) => {
      const { madeUp } = await loadFaces(SET);
      const [splits, each] = scale === 'quick' ? [2, 2] : [30, 10];
      const units: Unit[] = [];
      for (let from = 1; from <= splits; from += each) units.push(unitOf(from, from + each - 1, madeUp));
      return { units, omissions: [] };
    },
    ...reporting,
  };
}

function unitOf(from: number, to: number, madeUp: boolean): Unit {
  return {
    id: `${SIGNAL_RIDGE_SUITE}/${SET}/${from}-${to}`,
    title: `ρ′ on ${SET}, splits ${from} to ${to}`,
    parameters: {
      set: SET,
      from,
      to,
      ridge: RIDGE,
      signalRidges: SIGNAL_RIDGES.join(' '),
      dimensions: SIGNAL_DIMENSIONS.join(' '),
      iterations: ITERATIONS,
      madeUp: madeUp ? 'yes' : 'no',
    },
    expectedSeconds: 10 * (to - from + 1),
    measure: () => measure(from, to),
  };
}

async function measure(from: number, to: number): Promise<UnitResult> {
  const { people } = await loadFaces(SET);
  const series: Record<string, Series & { samples: number[] }> = {};
  const push = (name: string, unit: Series['unit'], value: number) => {
    series[name] ??= { unit, samples: [] };
    series[name].samples.push(Number(value.toFixed(4)));
  };
  const asked = [];
  for (let number = from; number <= to; number += 1) {
    const trial = await trialOf(SET, people, 'random', number);
    const { gram, span, beyond, split } = trial;
    for (const signalRidge of SIGNAL_RIDGES) {
      const name = methodAt(signalRidge);
      const components = dcaComponents(span, split.train, people, { ridge: RIDGE, signalRidge });
      asked.push({ trial, name, components, dimensions: SIGNAL_DIMENSIONS });
      const errors = reconstructionErrors(gram, { span, beyond, components }, split, SIGNAL_DIMENSIONS);
      SIGNAL_DIMENSIONS.forEach((k, i) => {
        for (const error of ERRORS) push(seriesOf(name, k, error), 'grey levels', errors[i]![error]);
      });
    }
  }
  for (const { name, k, accuracy } of (await scoresOf(asked)).flat())
    push(seriesOf(name, k, 'accuracy'), 'points', 100 * accuracy);
  return { series, facts: {} };
}
