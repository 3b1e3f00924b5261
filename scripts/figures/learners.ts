/** Figures of docs/learners.md. */
import type { Sentence } from '@eigenveil/report/written-figures';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { readBench, samplesOf } from './kept.ts';

export async function ofLearners(): Promise<Sentence[]> {
  const data = await readBench('learners-comparison');
  const percent = (series: string) => mean(samplesOf(data, 'accuracy/iris', series)).toFixed(0);
  return [
    {
      says: 'On iris: {} % at ε = 0.1, {} % at 1, {} % at 10, where the plain one has {} %',
      figures: ['forest 0.1', 'forest 1', 'forest 10', 'forest Infinity'].map(percent),
    },
  ];
}
