/** Figures of docs/ranges.md. */

import type { Report } from '@eigenveil/studies/instrument/report/document';
import type { Sentence } from '@eigenveil/studies/instrument/report/written-figures';
import { agreementOf } from '@eigenveil/studies/ranges/agreement';
import { distanceOf } from '@eigenveil/studies/ranges/experiments';
import { coverageIn } from '@eigenveil/studies/ranges/report/quantiles';
import { rangesReportOf } from '@eigenveil/studies/ranges/suites';
import { cellsOf, readBench } from './kept.ts';

const NOISE = { Laplace: 'Laplace noise', Gaussian: 'Gaussian noise, δ = 0.000001' } as const;
const ASKED = { prefixes: 'prefixes', intervals: 'all intervals', 'single bins': 'single bins' } as const;
const EPSILONS = ['0.1', '0.5', '1', '3', '10'].map((epsilon) => `ε = ${epsilon}`);

/** The rows of the document's table of strategies, with the form of each and the columns that it fills. */
const STRATEGIES: readonly (readonly [
  asked: keyof typeof ASKED,
  bins: string,
  noise: keyof typeof NOISE,
  form: string,
])[] = [
  ['prefixes', '64', 'Laplace', '| {} | {} | {} | {}: 8·8 | {} | |'],
  ['prefixes', '1,024', 'Laplace', '| {} | {} | {} | {}: 8·8·16 | {} | |'],
  ['prefixes', '4,096', 'Laplace', '| {} | {} | {} | {}: 8·8·8·8 | {} | |'],
  ['intervals', '1,024', 'Laplace', '| {} | {} | {} | {}: 8·8·16 | {} | |'],
  ['single bins', '1,024', 'Laplace', '| {} | {} | {} | {} | {} | |'],
  ['prefixes', '1,024', 'Gaussian', '| {} | {} | {} | {}: 2·2·…·2 | {} | {} |'],
  ['intervals', '1,024', 'Gaussian', '| {} | {} | {} | {} | {} | {} |'],
];
const WAYS = ['flat', 'Boost', 'Privelet', 'chosen tree', 'one fan-out', 'square root'];

/** The rows of the document's table of captured variance, by those of the report. */
const RANGES: readonly (readonly [told: string, arm: string])[] = [
  ['true (no option)', 'true'],
  ['documented', 'documented'],
  ['private, one stage, 50 %', 'one stage, 50 %'],
  ['private, one stage, 25 %', 'one stage, 25 %'],
  ['private, two stages, 50 %', 'coarse, then fine, 50 %'],
  ['wide guess', 'wide guess'],
  ['random directions', 'random directions'],
];

export async function ofRanges(): Promise<Sentence[]> {
  const data = await readBench('ranges-comparison');
  const report = rangesReportOf(data);
  const { cases, bound, farthest } = agreementOf(data.measurements);
  const intervals = cellsOf(report, 'All strategies over the same intervals');
  const [laplace, gaussian] = (['Laplace', 'Gaussian'] as const).map((noise) =>
    coverageIn(data.measurements, noise),
  );
  const covered = ({ held, asked }: { held: number; asked: number }) => ((100 * held) / asked).toFixed(1);
  return [
    {
      says: 'The kept run has {} cases, six strategies with Laplace and Gaussian noise: all agree. The farthest is {} standard errors off; {} would be a disagreement',
      figures: [`${cases.length}`, Math.abs(distanceOf(farthest!)).toFixed(2), bound.toFixed(2)],
    },
    {
      says: "Privelet's theory is {} squared rows and the experiment {};",
      figures: ['mean of 50 errors, theory', 'experiment'].map((column) => intervals(['Privelet'], column)),
    },
    ...STRATEGIES.map(([asked, bins, noise, form]) => {
      const cell = cellsOf(report, `${NOISE[noise]}: deviation of ${ASKED[asked]}`);
      const ways = WAYS.slice(0, form.split('{}').length - 1);
      return {
        says: `| ${asked}, ${bins}, ${noise} ${form}`,
        figures: ways.map((way) => cell([bins.replace(',', '')], way)),
      };
    }),
    ...ofMonotone(report),
    {
      says: 'had the true edge in {} % (Laplace) and {} % (Gaussian) of {} quantiles',
      figures: [covered(laplace!), covered(gaussian!), laplace!.asked.toLocaleString('en')],
    },
    ...ofCurator(report),
    ...RANGES.map(([told, arm]) => ({
      says: `| ${told} | {} | {} | {} | {} | {} |`,
      figures: EPSILONS.map((epsilon) => cellsOf(report, 'PCA, captured variance')([arm], epsilon)),
    })),
    ...ofVerdicts(report),
    ...ofAudits(report),
  ];
}

function ofMonotone(report: Report): Sentence[] {
  const cell = cellsOf(report, 'Deviation in rows, before → after');
  const [skewed, uniform] = ['skewed', 'uniform'].map(
    (shape) => (column: string) => cell([shape, '1', '10,000', '1'], column).split(' → '),
  );
  return [
    {
      says: '(10,000 rows, ε = 1: {} → {} rows), and almost nothing where all bins are full ({} → {})',
      figures: [skewed!, uniform!].flatMap((of) => of('Laplace: prefixes')),
    },
    { says: 'Single bins gain most: {} → {} rows', figures: skewed!('bins').map(toOneDigit) },
  ];
}

const toOneDigit = (cell: string): string => Number(cell).toFixed(1);

function ofCurator(report: Report): Sentence[] {
  const cell = cellsOf(report, 'Rank error in percent of the rows');
  const error = (features: string, rows: string, who: string) => cell(['skewed', features, rows, '1'], who);
  const all = (rows: string) =>
    ['trusted curator', 'Laplace', 'Gaussian'].map((who) => error('1', rows, who));
  return [
    {
      says: 'is off by {} % of the rows where 10,000 skewed rows and one feature meet ε = 1, both histograms by {} to {} %',
      figures: all('10,000'),
    },
    { says: 'At 1,000 rows it is {} against {} to {} %', figures: all('1,000').map(toOneDigit) },
    {
      says: '({} against {} % at 1,000 rows)',
      figures: ['Gaussian', 'trusted curator'].map((who) => toOneDigit(error('10', '1,000', who))),
    },
  ];
}

/** Differences between arms, as "+24.9 [+10.0, +39.9] ahead" tells them. */
function ofVerdicts(report: Report): Sentence[] {
  const cell = cellsOf(report, 'What the samples decide');
  const judged = 'one stage, 25 %';
  const difference = (method: string, score: string, against: string, epsilon: string) =>
    cell([method, score, judged, against], `ε = ${epsilon}`);
  const first = (told: string): number => Number.parseFloat(told.replace('−', '-'));
  const documented = ['0.5', '1', '3', '10'].map((epsilon) =>
    Math.abs(first(difference('PCA', 'captured', 'documented', epsilon))),
  );
  const pca = difference('PCA', 'captured', 'wide guess', '10');
  const [, low, high] = /\[\+([\d.]+), \+([\d.]+)\]/.exec(pca)!;
  const stages = cell(['PCA', 'F1', 'coarse, then fine, 25 %', judged], 'ε = 3');
  const whole = (value: number) => value.toFixed(0);
  return [
    {
      says: 'a quarter of ε are {} to {} points behind from ε = 0.5 to 3; at 10 the difference ({} points) is open',
      figures: [Math.min(...documented.slice(0, 3)), Math.max(...documented.slice(0, 3)), documented[3]!].map(
        whole,
      ),
    },
    {
      says: "brings {} points of captured variance over the wide guess (95 % interval {} to {}) and as much for DCA ({}); {} points of DCA's F1 are open",
      figures: [
        first(pca).toFixed(1),
        whole(Number(low)),
        whole(Number(high)),
        first(difference('DCA', 'captured', 'wide guess', '10')).toFixed(1),
        whole(first(difference('DCA', 'F1', 'wide guess', '10'))),
      ],
    },
    { says: 'two stages are ahead by {} points', figures: [first(stages).toFixed(1)] },
  ];
}

function ofAudits(report: Report): Sentence[] {
  const cell = cellsOf(report, 'ε that is proven to be exceeded');
  const names = [
    'Privelet, a row more',
    'Privelet, a row in place of another',
    'tree, two features',
    'Privelet, one answer',
  ];
  const gaussian = 'Privelet, Gaussian noise, three features';
  const ends = (of: readonly string[], column: string) => {
    const values = of.map((name) => Number(cell([name], column)));
    return [Math.min(...values).toFixed(2), Math.max(...values).toFixed(2)];
  };
  return [
    {
      says: 'The kept run proves {} to {} of a claimed ε = 1 with Laplace noise, so that little noise is wasted, and {} with Gaussian; of the twins {} to {}',
      figures: [
        ...ends(names, 'release'),
        cell([gaussian], 'release'),
        ...ends([...names, gaussian], 'twin'),
      ],
    },
  ];
}
