/** Figures of docs/operations.md on public waits: what the code reckons. */
import type { Sentence } from '@eigenveil/studies/instrument/report/written-figures';
import { rootPace, sketchPaces, standardPace } from '@eigenveil/two-party/plan';

const seconds = (milliseconds: number): string => `${Number((milliseconds / 1000).toPrecision(2))} s`;
const bare = (milliseconds: number): string => seconds(milliseconds).replace(' s', '');

export async function ofWaits(): Promise<Sentence[]> {
  const [small, large] = [1024, 4096].map((features) => sketchPaces(features, 60, 20));
  return [
    {
      says: '{} for 34 features and 15 components, {} for 50 and 15, {} for 200 and 15, {} for 200 and 198',
      figures: [
        standardPace(34, 15),
        standardPace(50, 15),
        standardPace(200, 15),
        standardPace(200, 198),
      ].map(seconds),
    },
    {
      says: '({} for 34 features, {} for 71, {} for 200)',
      figures: [34, 71, 200].map(rootPace).map(seconds),
    },
    {
      says: '60 columns {} after the numbers of rows, {} after the first matrix and {} after the second; of 4,096 features {}, {} and {}',
      figures: [
        ...[small!.centring, small!.root, small!.decomposition].map(seconds),
        ...[bare(large!.centring), bare(large!.root), seconds(large!.decomposition)],
      ],
    },
  ];
}
