/** Figures of docs/faces.md, over all splits of Yale. */
import type { Sentence } from '@eigenveil/report/written-figures';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { readBench } from './kept.ts';

export async function ofFaces(): Promise<Sentence[]> {
  const { measurements } = await readBench('faces-study');
  const splits = measurements.filter(({ id }) => id.startsWith('dimensions/yale/random/'));
  const accuracy = (method: string, components: number) => {
    const all = splits.flatMap(({ series }) => series[`${method}/${components} accuracy`]!.samples);
    const deviation = Math.sqrt(
      (all.length / (all.length - 1)) * mean(all.map((it) => (it - mean(all)) ** 2)),
    );
    return [mean(all).toFixed(1), deviation.toFixed(1)];
  };
  const of = (method: string, ...components: number[]) => components.flatMap((k) => accuracy(method, k));
  return [
    {
      says: 'Accuracy {} ± {} % at 5 components, {} ± {} % at 10, {} ± {} % at 14',
      figures: of('dca', 5, 10, 14),
    },
    {
      says: '{} ± {} % at 5, {} ± {} % at 14, {} ± {} % at 50, {} ± {} % from 160 on',
      figures: of('pca', 5, 14, 50, 160),
    },
  ];
}
