/** Figures of docs/precision.md and docs/rotated.md from the kept benchmarks: how far results are from the clear reference. */
import type { Sentence } from '@eigenveil/studies/instrument/report/written-figures';
import { readBench } from './kept.ts';

/** A set as the documents name it, with its features, the components of its PCA and its classes. */
const SETS = [
  ['pima', 'pima', 8, 8, 2],
  ['breast_cancer_10', 'breast cancer 10', 10, 8, 2],
  ['australian', 'australian', 14, 8, 2],
  ['german', 'german', 24, 15, 2],
  ['ionosphere', 'ionosphere', 34, 15, 2],
  ['synthetic50', 'synthetic', 50, 15, 3],
] as const;

async function errorsOf(method: 'pca' | 'dca', protocol: 'garbled' | 'rotated'): Promise<Sentence[]> {
  const { measurements } = await readBench('benchmarks');
  return SETS.flatMap(([set, told, features, components, classes]) => {
    // All components span everything, so that no angle is left.
    if (method === 'pca' && components === features) return [];
    const facts = measurements.find(({ id }) => id === `two-party/${method}-${set}`)!.facts;
    const figures = ['sine times gap', 'eigenvalue error'].map((name) =>
      Number(facts[`${protocol} ${name}`]).toExponential(1),
    );
    return [
      { says: `| ${told} | ${features} | ${method === 'pca' ? components : classes} | {} | {} |`, figures },
    ];
  });
}

export const ofGarbledAccuracy = async (): Promise<Sentence[]> => [
  ...(await errorsOf('pca', 'garbled')),
  ...(await errorsOf('dca', 'garbled')),
];

export const ofRotatedAccuracy = (): Promise<Sentence[]> => errorsOf('pca', 'rotated');
