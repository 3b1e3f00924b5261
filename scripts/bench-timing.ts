/** `npm run bench:timing`: whether what is done with secrets takes a time that depends on them. */

import { measureEach } from '@eigenveil/studies/instrument/cases';
import { describeEnvironment } from '@eigenveil/studies/instrument/environment';
import { formatQuantity } from '@eigenveil/studies/instrument/quantities';
import { figures, renderTable, words } from '@eigenveil/studies/instrument/table';
import { CONTROLS } from '@eigenveil/studies/speed/timing/controls';
import { measureOperation } from '@eigenveil/studies/speed/timing/measure';
import { OPERATIONS } from '@eigenveil/studies/speed/timing/operations';
import { REFUSALS } from '@eigenveil/studies/speed/timing/refusal';
import { faultsOf, type Measured, readingOf } from '@eigenveil/studies/speed/timing/verdict';
import { CLEAR, compareClasses, SUSPICIOUS } from '@eigenveil/studies/speed/timing/welch';
import { benchmark, wholeNumber } from './options.ts';

const EXPLANATION = `How to read it. Each operation runs on inputs of two classes that take turns at random, as in dudect (Reparaz, Balasch, Verbauwhede, 2017).
|t| is the largest of Welch's t statistics: on all samples and on the fastest ones (20 lines are drawn across the slow tail), for means and for variances.
  |t| <= ${SUSPICIOUS}   no difference seen: none that so many samples and this machine's noise show, which proves nothing
  |t| >  ${SUSPICIOUS}   suspicious: run again with more samples; a real difference makes |t| grow with their square root
  |t| >  ${CLEAR}    the operation tells the classes apart
"Difference" is that of the means, second class less first, at the line where it stands out most; "would show" is from where on it would be suspicious there.
A positive control is an operation that leaks and must be told apart, a negative one has the same class twice and must not be; if either fails, the
run is invalid (exit code 1). What is found about the operations is advice and never fails the run: which of them may differ, and why, is in
SECURITY.md, "What is constant time, and what is not". Times are those that this process sees; over a network there is far more noise.`;

const FEWEST_SAMPLES = 20_000;

const { samples, only, json } = benchmark({
  name: 'bench:timing',
  description: 'Looks for secrets in the time that operations take. Some eight minutes.',
  explanation: EXPLANATION,
  example: '--samples 400000',
})
  .option(
    '--samples <count>',
    'of a fast operation; slow ones get fewer',
    wholeNumber(FEWEST_SAMPLES),
    100_000,
  )
  .option('--only <TEXT>', 'beside the controls only operations with this in their name', '')
  .parse()
  .opts<{ samples: number; only: string; json?: true }>();

const measureAll = (): Promise<Measured[]> =>
  measureEach(
    [...CONTROLS, ...[...OPERATIONS, ...REFUSALS].filter(({ name }) => name.includes(only))],
    ({ name, classes }) => `${name}: ${classes.join(' / ')}`,
    async (operation) => {
      const { name, kind, classes } = operation;
      const taken = await measureOperation(operation, samples, () => undefined);
      return [{ name, kind, classes, ...compareClasses(taken) }];
    },
  );

function render(all: readonly Measured[]): string {
  return renderTable(all, [
    words('', ({ kind, name }) => (kind === 'operation' ? name : `${kind}: ${name}`)),
    words('classes', ({ classes }) => classes.join(' / ')),
    figures('samples', ({ counts }) => counts[0] + counts[1]),
    figures('median', ({ medians }) => formatQuantity(medians[0], 'ms')),
    figures('difference', ({ difference }) => formatQuantity(difference, 'ms')),
    figures('would show', ({ visible }) => formatQuantity(visible, 'ms')),
    figures('|t|', ({ t }) => Math.abs(t).toFixed(1)),
    words('', readingOf),
  ]);
}

const environment = await describeEnvironment();
const measured = await measureAll();
const faults = faultsOf(measured);
if (json) {
  const results = measured.map((it) => ({ ...it, reading: readingOf(it) }));
  console.log(JSON.stringify({ valid: faults.length === 0, faults, environment, results }));
} else {
  const { processor, node, openssl } = environment;
  console.log(`${render(measured)}\n${processor}; Node ${node}, OpenSSL ${openssl}\n\n${EXPLANATION}`);
  for (const fault of faults) console.log(`\nINVALID: ${fault}`);
}
if (faults.length > 0) process.exitCode = 1;
