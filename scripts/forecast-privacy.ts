/** `npm run forecast:privacy`: what drafts forecast of differential privacy beside what seeds show, as docs/privacy.md has it. */

import { loadLaboratoryData } from '@eigenveil/laboratory/comparison/data';
import { type CheckedForecast, checkForecast } from '@eigenveil/laboratory/comparison/forecast';
import { benchmark, wholeNumber } from './options.ts';

const DATA_SETS = ['iris', 'pima', 'breast_cancer', 'ionosphere', 'australian', 'german'];
const BUDGETS = [0.5, 1, 4];
const DELTA = 1e-6;

const { seeds, json } = benchmark({
  name: 'forecast:privacy',
  description:
    'Compares the noise that task draft forecasts, and the rows from which a component stands out, with what seeds show.',
  explanation: `Clipping norms are those of drafts, δ is ${DELTA}, and both servers add noise. Data sets that are not bundled come from the folder
EIGENVEIL_DATA, or are left out. Two runs print the same.`,
  example: '--seeds 20',
})
  .option('--seeds <NUMBER>', 'draws of the noise, for each data set and budget', wholeNumber(), 50)
  .parse()
  .opts<{ seeds: number; json?: true }>();

const checked: (CheckedForecast & { readonly epsilon: number })[] = [];
for (const name of DATA_SETS) {
  const data = await loadLaboratoryData(name);
  if (data === undefined) continue;
  for (const epsilon of BUDGETS)
    checked.push({ epsilon, ...checkForecast(data, { epsilon, delta: DELTA, seeds }) });
}
process.stdout.write(json ? `${JSON.stringify(checked)}\n` : `${table()}\n`);

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
