/** Figures of the README from the benchmarks. */

import { formatQuantity } from '@eigenveil/studies/instrument/quantities';
import type { Sentence } from '@eigenveil/studies/instrument/report/written-figures';
import { median, summariseRatios } from '@eigenveil/studies/instrument/statistics';
import { equalPairs } from '@eigenveil/studies/speed/accuracy/report';
import { readBench, samplesOf } from './kept.ts';

export async function ofBenchmarks(): Promise<Sentence[]> {
  const data = await readBench('benchmarks');
  const ratio = (role: string, by: string) => {
    const times = (who: string) => samplesOf(data, 'key-length/2048/pca-34', `${role}/${who}`);
    return summariseRatios(times('literal'), times(by)).median;
  };
  const seconds = (twoParty: string) =>
    formatQuantity(median(samplesOf(data, 'two-party/pca-synthetic50', `${twoParty} time`)), 'ms');
  const { equal, pairs } = equalPairs(data.measurements.filter(({ id }) => id.startsWith('accuracy/')));
  const rounded = [
    ratio('owner', 'standard'),
    ratio('owner', 'djn'),
    ratio('user', 'eigenveil'),
    ratio('csp', 'eigenveil'),
  ];
  return [
    {
      says: 'an owner is {} times faster than the literal protocol (DJN encryption: {}), an addition at the data user {} times, the CSP {} times',
      figures: rounded.map((value) => value.toFixed(0)),
    },
    {
      says: 'A PCA of 50 features and 15 components takes {} by `garbled` and {} by `rotated`',
      figures: [seconds('garbled'), seconds('rotated')],
    },
    { says: 'is equal in {} of {} pairs', figures: [`${equal}`, `${pairs}`] },
  ];
}
