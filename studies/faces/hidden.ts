/** MDR on the set with glasses: one label shall be told from reduced rows and the other not; beside projections that hide nothing. */
import type { Series, Suite, Unit, UnitResult } from '../instrument/unit.ts';
import { type Components, dcaComponents, mdrComponents, pcaComponents } from './components.ts';
import { type FaceSet, loadFaces } from './faces.ts';
import {
  type Asked,
  RIDGE,
  SIGNAL_RIDGE,
  SPLITTINGS,
  type Splitting,
  scoresOf,
  type Trial,
  trialOf,
} from './trials.ts';

const HIDDEN_SUITE = 'hidden';
const SET = 'glasses';
export const LABELS = ['glasses', 'identity'] as const;
/** Of which one is of use, and the other private. */
export type Label = (typeof LABELS)[number];
/** Fewer than elsewhere: from one number 55 people are not told apart by any number of iterations. */
const ITERATIONS = 2000;

export const otherLabel = (label: Label): Label => (label === 'glasses' ? 'identity' : 'glasses');
const labelsOf = (set: FaceSet, label: Label): readonly number[] =>
  label === 'glasses' ? set.glasses! : set.people;

export const hiddenSeries = (arm: string, told: Label): string => `${arm} tells ${told}`;

/** What rows are reduced by. */
export const ARMS = [
  { name: 'all', title: 'all pixels' },
  { name: 'pca', title: 'PCA, as many' },
  { name: 'dca', title: 'DCA of the label of use' },
  { name: 'mdr', title: 'MDR' },
  { name: 'rest', title: 'DCA of the private label, less its leading components' },
] as const;

export function hiddenSuite(reporting: Pick<Suite, 'highlights' | 'report'>): Suite {
  return {
    name: HIDDEN_SUITE,
    description: 'MDR with glasses as the label of use and identity as the private one, and the reverse',
    plan: async (scale) => {
      const { madeUp } = await loadFaces(SET);
      const [splits, each] = scale === 'quick' ? [1, 1] : [20, 5];
      const units: Unit[] = [];
      for (const utility of LABELS) {
        for (const splitting of SPLITTINGS) {
          // Who is not among the training rows cannot be told from others.
          if (utility === 'identity' && splitting === 'by person') continue;
          for (let from = 1; from <= splits; from += each)
            units.push(unitOf({ utility, splitting, from, to: from + each - 1 }, madeUp));
        }
      }
      return { units, omissions: [] };
    },
    ...reporting,
  };
}

interface Part {
  readonly utility: Label;
  readonly splitting: Splitting;
  readonly from: number;
  readonly to: number;
}

function unitOf(part: Part, madeUp: boolean): Unit {
  const { utility, splitting, from, to } = part;
  return {
    id: `${HIDDEN_SUITE}/${utility}/${splitting.replace(' ', '-')}/${from}-${to}`,
    title: `MDR for ${utility}, split ${splitting}, ${from} to ${to}`,
    parameters: {
      set: SET,
      ...part,
      ridge: RIDGE,
      signalRidge: SIGNAL_RIDGE,
      iterations: ITERATIONS,
      madeUp: madeUp ? 'yes' : 'no',
    },
    expectedSeconds: (splitting === 'random' ? 40 : 10) * (to - from + 1),
    measure: () => measure(part),
  };
}

async function measure({ utility, splitting, from, to }: Part): Promise<UnitResult> {
  const set = await loadFaces(SET);
  const told = splitting === 'random' ? LABELS : [utility];
  const asked: (Asked & { readonly trial: Trial; readonly told: Label })[] = [];
  for (let number = from; number <= to; number += 1) {
    const trial = await trialOf(SET, labelsOf(set, utility), splitting, number);
    for (const { name, components } of armsOf(trial, set, utility)) {
      const dimensions = [components.vectors.length];
      for (const label of told)
        asked.push({
          trial,
          told: label,
          name,
          components,
          dimensions,
          labels: labelsOf(set, label),
          iterations: ITERATIONS,
        });
    }
  }
  const series: Record<string, Series & { samples: number[] }> = {};
  (await scoresOf(asked)).forEach((scores, i) => {
    const name = hiddenSeries(asked[i]!.name, asked[i]!.told);
    series[name] ??= { unit: 'points', samples: [] };
    for (const { accuracy } of scores) series[name].samples.push(Number((100 * accuracy).toFixed(4)));
  });
  return { series, facts: {} };
}

/** Within the span of the training rows alone: a component beyond it tells nothing that was learnt. */
function armsOf(
  { span, split: { train } }: Trial,
  set: FaceSet,
  utility: Label,
): readonly { readonly name: string; readonly components: Components }[] {
  const [use, secret] = [labelsOf(set, utility), labelsOf(set, otherLabel(utility))];
  const dca = (labels: readonly number[]) =>
    dcaComponents(span, train, labels, { ridge: RIDGE, signalRidge: SIGNAL_RIDGE });
  const signals = (labels: readonly number[]) => new Set(train.map((row) => labels[row]!)).size - 1;
  const within = (components: Components, from: number, to: number): Components => {
    const vectors = components.vectors.slice(from, to);
    return { vectors, before: vectors.length, lengthBeyond: undefined };
  };
  const k = signals(use);
  const all = pcaComponents(span);
  return [
    { name: 'all', components: within(all, 0, span.rank) },
    { name: 'pca', components: within(all, 0, k) },
    { name: 'dca', components: within(dca(use), 0, k) },
    { name: 'mdr', components: mdrComponents(span, train, { utility: use, privacy: secret }, RIDGE) },
    { name: 'rest', components: within(dca(secret), signals(secret), span.rank) },
  ];
}
