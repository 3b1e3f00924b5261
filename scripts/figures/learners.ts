/** Figures of docs/learners.md. */

import type { Sentence } from '@eigenveil/studies/instrument/report/written-figures';
import { learnersReport } from '@eigenveil/studies/learners/study/suites';
import { cellsOf, readBench } from './kept.ts';

const EPSILONS = ['0.1', '0.5', '1', '3', '10'].map((epsilon) => `ε = ${epsilon}`);

/** The first figure of a cell such as `66.4 ± 3.2` or `−4.6 [−8.9, −0.2] open`. */
const first = (cell: string): number => Number.parseFloat(cell.replace('−', '-'));
const whole = (cell: string): string => first(cell).toFixed(0);

export async function ofLearners(): Promise<Sentence[]> {
  const report = learnersReport(await readBench('learners-comparison'));
  const forest = cellsOf(report, 'Accuracy over ε');
  const fares = cellsOf(report, 'taxi fares, over ε');
  const boston = cellsOf(report, 'boston, over ε');
  const samples = cellsOf(report, 'boston, over the number of samples');
  const decided = cellsOf(report, 'What the samples decide');
  const squared = (cell: string) => first(cell).toFixed(2);
  const difference = (of: readonly string[], epsilon: string) => decided(of, `ε = ${epsilon}`);
  const learners = ['forest', 'SGD'] as const;
  const verdicts = learners.flatMap((learner) =>
    ['PCA', 'DCA'].map((method) => [learner, `private ${method}`, 'raw']),
  );
  const means = verdicts.flatMap((of) => EPSILONS.map((epsilon) => first(decided(of, epsilon))));
  const signed = (value: number) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`;
  return [
    {
      says: 'On iris: {} % at ε = 0.1, {} % at 1, {} % at 10, where the plain one has {} %',
      figures: ['ε = 0.1', 'ε = 1', 'ε = 10', 'plain'].map((column) => whole(forest(['iris'], column))),
    },
    {
      says: 'which tell the label, {} % at ε = 1 and {} % at 100',
      figures: ['ε = 1', 'ε = 100'].map((column) => whole(forest(['taxi with tip and total'], column))),
    },
    {
      says: '**nothing is learnt**: {} % at ε = 1, which is what naming the most frequent class gives; the plain forest has {} %',
      figures: ['ε = 1', 'plain'].map((column) => first(forest(['taxi'], column)).toFixed(1)),
    },
    {
      says: 'boosted trees have R² {}, the plain ones {}; of taxi fares {} and {}',
      figures: [boston, fares].flatMap((cell) => [
        squared(cell(['boosted, sample and aggregate, each'], 'ε = 3')),
        squared(cell(['plain boosted'], 'no noise')),
      ]),
    },
    {
      says: 'goes from {} with 3 samples to {} with 61 (boosted)',
      figures: [
        signed(first(samples(['boosted, each'], '3 samples'))),
        squared(samples(['boosted, each'], '61 samples')),
      ],
    },
    {
      says: 'has R² of {} on Boston and {} on taxi fares at ε = 10, for any number of answers; without noise {} and {}',
      figures: ['ε = 10', 'no noise'].flatMap((column) =>
        [boston, fares].map((cell) => squared(cell(['forest'], column))),
      ),
    },
    ...verdicts.map((of, i) => ({
      says: `| ${i < 2 ? 'a private forest' : 'SGD (logistic)'} | ${of[1]!.replace('private ', '')} | {} | {} | {} | {} |`,
      figures: ['ahead', 'not behind', 'open', 'behind'].map((verdict) => decided(of, verdict)),
    })),
    {
      says: 'It lies between {} and {} points',
      figures: [signed(Math.max(...means)), signed(Math.min(...means))],
    },
    {
      says: 'Exact DCA is ahead of raw features in {} of 40 cases and behind in none, on average by {} points at ε = 1',
      figures: [
        decided(['forest', 'exact DCA', 'raw'], 'ahead'),
        first(difference(['forest', 'exact DCA', 'raw'], '1')).toFixed(1),
      ],
    },
    {
      says: 'private DCA has {} points less than exact DCA at ε = 1',
      figures: [(-first(difference(['forest', 'private DCA', 'exact DCA'], '1'))).toFixed(1)],
    },
    {
      says: 'except for DCA at ε = 0.1 ({} points)',
      figures: [signed(first(difference(['SGD', 'exact DCA', 'raw'], '0.1')))],
    },
  ];
}
