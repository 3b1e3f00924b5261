/** `npm run forecast:privacy`: what drafts forecast of differential privacy beside what seeds show, as docs/privacy.md has it. */

import { measureEach } from '@eigenveil/studies/instrument/cases';
import { loadLaboratoryData } from '@eigenveil/studies/privacy/data';
import { checkShares } from '@eigenveil/studies/privacy/explained';
import { checkForecast } from '@eigenveil/studies/privacy/forecast';
import { USUAL_DELTA } from '@eigenveil/task';
import { benchmark, wholeNumber } from './options.ts';

const DATA_SETS = ['iris', 'pima', 'breast_cancer', 'ionosphere', 'australian', 'german'];
const BUDGETS = [0.5, 1, 4];
/** Data sets, budgets and components of which shares of the variance are told. */
const SHARES = [
  ['optdigits', 1, 3],
  ['optdigits', 0.5, 3],
  ['german', 1, 1],
  ['german', 2, 3],
  ['german', 4, 3],
  ['ionosphere', 4, 1],
  ['ionosphere', 6, 3],
  ['breast_cancer', 2, 1],
  ['breast_cancer', 4, 3],
  ['pima', 4, 1],
] as const;

const { seeds, json } = benchmark({
  name: 'forecast:privacy',
  description:
    'Compares the noise that task draft forecasts, the rows from which a component stands out, and the captured variance that task result tells, with what seeds show.',
  explanation: `Clipping norms are those of drafts, δ is ${USUAL_DELTA}, and both servers add noise. Data sets that are not bundled come from the folder
EIGENVEIL_DATA, or are left out. Two runs print the same.`,
  example: '--seeds 20',
})
  .option('--seeds <NUMBER>', 'draws of the noise, for each data set and budget', wholeNumber(), 50)
  .parse()
  .opts<{ seeds: number; json?: true }>();

const checked = await measureEach(
  DATA_SETS.flatMap((name) => BUDGETS.map((epsilon) => ({ name, epsilon }))),
  ({ name, epsilon }) => `the noise on ${name}, ε = ${epsilon}`,
  async ({ name, epsilon }) => {
    const data = await loadLaboratoryData(name);
    if (data === undefined) return [];
    return [{ epsilon, ...checkForecast(data, { epsilon, delta: USUAL_DELTA, seeds }) }];
  },
);
const shares = await measureEach(
  SHARES,
  ([name, epsilon, components]) => `what is told of ${name}, ε = ${epsilon}, ${components} components`,
  async ([name, epsilon, components]) => {
    const data = await loadLaboratoryData(name);
    return data === undefined ? [] : [checkShares(data, { epsilon, delta: USUAL_DELTA, seeds, components })];
  },
);
process.stdout.write(
  json ? `${JSON.stringify({ forecasts: checked, shares })}\n` : `${table()}\n\n${sharesTable()}\n`,
);

function table(): string {
  const percent = (part: number) => `${Math.round(100 * part)} %`;
  const lines = checked.map(({ dataset, features, clipped, mean, epsilon, noise, share, rows }) =>
    [
      ...[dataset, features, percent(clipped), mean.toFixed(2), epsilon],
      ...[Math.round(noise.forecast), Math.round(noise.seen)],
      ...[percent(share), rows.forecast, rows.seen],
    ].join(' | '),
  );
  return [
    'data set | d | clipped | ‖μ‖/C | ε | noise, forecast | noise, seen | first share | rows, forecast | rows, seen',
    '--- | --: | --: | --: | --: | --: | --: | --: | --: | --:',
    ...lines,
  ]
    .map((line) => `| ${line} |`)
    .join('\n');
}

function sharesTable(): string {
  const percent = (part: number) => (100 * part).toFixed(1);
  const lines = shares.map((share) =>
    [
      ...[share.dataset, share.rows, share.epsilon, share.components],
      ...[share.truth, share.uncorrected, share.told].map(percent),
      ...[share.errorUncorrected, share.errorTold, share.reach].map(percent),
      ...[share.covered, share.answered].map((part) => `${Math.round(100 * part)} %`),
    ].join(' | '),
  );
  return [
    'data set | rows | ε | components | true | λ over trace | told | error of λ over trace | error of what is told | ± | within ± | told at all',
    '--- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --:',
    ...lines,
  ]
    .map((line) => `| ${line} |`)
    .join('\n');
}
