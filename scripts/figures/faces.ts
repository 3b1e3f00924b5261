/** Figures of docs/faces.md, of the study in the clear. */
import { facesReport } from '@eigenveil/studies/faces/suites';
import type { Sentence } from '@eigenveil/studies/instrument/report/written-figures';
import { cellsOf, readBench } from './kept.ts';

/** The figures of a cell such as `41.9 ± 10.1`. */
const parts = (cell: string): string[] => cell.split(' ± ');
const mean = (cell: string): string => parts(cell)[0]!;
const whole = (figure: string): string => Math.round(Number(figure)).toLocaleString('en');
const toOneDigit = (figure: string): string =>
  Number(figure).toLocaleString('en', { minimumFractionDigits: 1 });

export async function ofFaces(): Promise<Sentence[]> {
  const report = facesReport(await readBench('faces-study'));
  const accuracy = (set: string) => {
    const cell = cellsOf(report, `${set}: accuracy in percent over components`);
    return (method: string, ...components: number[]) => components.map((k) => cell([method], `${k}`));
  };
  const [yale, olivetti] = ['yale', 'olivetti'].map(accuracy);
  const [random, byPerson] = ['glasses, split at random', 'glasses, split by person'].map(accuracy);
  const errors = (set: string, method: string, error: string, ...components: number[]) =>
    components.map((k) => cellsOf(report, `${set}: mean error of reconstruction`)([method, error], `${k}`));
  const machine = cellsOf(report, 'Yale: accuracy in percent; splits: 6');
  const ridge = cellsOf(report, 'Yale, DCA: accuracy in percent, and mean errors');
  const hidden = cellsOf(report, 'Accuracy in percent for each label');
  const listing = (method: string) => errors('yale', method, 'as the listing', 5, 14, 50, 160);
  const centred = (method: string) => errors('yale', method, 'centred', 5, 14, 50, 160).map(mean).map(whole);
  return [
    {
      says: 'Accuracy {} ± {} % at 5 components, {} ± {} % at 10, {} ± {} % at 14',
      figures: yale!('DCA', 5, 10, 14).flatMap(parts),
    },
    {
      says: '{} ± {} % at 5, {} ± {} % at 14, {} ± {} % at 50, {} ± {} % from 160 on',
      figures: yale!('PCA', 5, 14, 50, 160).flatMap(parts),
    },
    {
      says: 'PCA {} ± {}, {} ± {} and {} ± {} % at 5, 14 and 50 components, DCA {} ± {}, {} ± {} and {} ± {} %',
      figures: ['PCA', 'DCA'].flatMap((method) => olivetti!(method, 5, 14, 50).flatMap(parts)),
    },
    ...['PCA', 'DCA'].map((method) => ({
      says: `${method}: {} ± {}, {} ± {}, {} ± {}, {} ± {} (book`,
      figures: listing(method).flatMap(parts).map(whole),
    })),
    {
      says: '14 components of PCA {}, and 14 of DCA still {}',
      figures: [centred('PCA')[1]!, centred('DCA')[1]!],
    },
    {
      says: 'errors of PCA fall: {}, {}, {} and {} at 5, 14, 50 and 160 components; those of DCA, too: {}, {}, {} and {}',
      figures: ['PCA', 'DCA'].flatMap(centred),
    },
    {
      says: 'components of DCA still leave {} of 2,100 or so missing, and 1,000 leave as little as PCA: {}',
      figures: errors('olivetti', 'DCA', 'centred', 160, 1000).map(mean).map(whole),
    },
    {
      says: '{} ± {} % at 14 and at 160 components for each of seven',
      figures: parts(ridge(['0'], 'accuracy, 14')),
    },
    {
      says: '{} ± {} grey levels (centred) at 160 components for ρ′ ≤ 0, and {} ± {} for ρ′ > 0',
      figures: ['0', '0.001'].flatMap((value) => parts(ridge([value], 'error centred, 160')).map(toOneDigit)),
    },
    {
      says: 'DCA {} ± {} % at random and {} ± {} % by person; PCA with 50 components {} ± {} % and {} ± {} %',
      figures: (
        [
          ['DCA', 2],
          ['PCA', 50],
        ] as const
      ).flatMap(([method, k]) => [random!, byPerson!].flatMap((of) => of(method, k).flatMap(parts))),
    },
    {
      says: 'at chance ({} ± {} % at 5; at random {} ± {} %)',
      figures: [byPerson!, random!].flatMap((of) => of('PCA', 5).flatMap(parts)),
    },
    {
      says: 'hardly anybody ({} ± {} % of identities) and hardly glasses ({} ± {} %)',
      figures: ['identity', 'glasses'].flatMap((told) =>
        parts(hidden(['MDR'], `of use: glasses; told: ${told}`)),
      ),
    },
    {
      says: 'its 54 components tell {} ± {} % of the people and still {} ± {} % of the glasses, fewer than all pixels ({} ± {} %), and more than DCA of identity ({} ± {} %, with {} ± {} % of the people)',
      figures: (
        [
          ['MDR', 'identity'],
          ['MDR', 'glasses'],
          ['all pixels', 'glasses'],
          ['DCA of the label of use', 'glasses'],
          ['DCA of the label of use', 'identity'],
        ] as const
      ).flatMap(([by, told]) => parts(hidden([by], `of use: identity; told: ${told}`))),
    },
    {
      says: '5 components: {}, {} and {} % with 1,000, 10,000 and 100,000 iterations, and {} ± {} % where rows are divided',
      figures: [
        ...['1,000 iterations', '10,000 iterations, as elsewhere', '100,000 iterations, as the listing'].map(
          (iterations) => mean(machine([`PCA, ${iterations}`], '5 components')),
        ),
        ...parts(machine(['PCA, rows of variance 1'], '5 components')),
      ],
    },
  ];
}
