/** The report of the suite `encrypted`: curves of accuracy, a verdict for each point by margins that were fixed beforehand, and what the tasks took. */

import { formatQuantity, MISSING } from '../../instrument/quantities.ts';
import type { Block, Mark, Section, Table } from '../../instrument/report/document.ts';
import type { Measurement } from '../../instrument/unit.ts';
import { left, meanAndSpread, right, text } from '../../privacy/report/cells.ts';
import { momentsOf } from '../../speed/accuracy/scores.ts';
import {
  armsOf,
  type Case,
  COMPARED,
  type Compared,
  casesOf,
  curves,
  DIMENSIONS,
  METHODS,
  measuredAt,
  samplesAt,
  titleOf,
} from './cases.ts';
import { errorsHighlights, errorsReport } from './errors-report.ts';
import { ARMS, seriesOf, TASKS, type TaskName } from './suite.ts';

export interface Verdict {
  readonly isWithin: boolean;
  /** Of the arm less the reference, over the splits that have both: percentage points. */
  readonly difference: number;
  readonly margin: number;
  readonly splits: number;
}

/** Standard errors of a mean of paired differences that count as noise. */
const STANDARD_ERRORS = 2;

/**
 * Within noise: a mean difference over splits of at most one test row, or of two standard errors of it, whichever is more.
 * @returns undefined where no split has both
 */
export function verdictOf(
  measurements: readonly Measurement[],
  { reference, arm }: Pick<Compared, 'reference' | 'arm'>,
  k: number,
): Verdict | undefined {
  const pairs = measurements.flatMap(({ series, facts }) => {
    const [of, to] = [series[seriesOf(arm, k)], series[seriesOf(reference, k)]];
    return of === undefined || to === undefined
      ? []
      : [{ difference: of.samples[0]! - to.samples[0]!, row: 100 / Number(facts.testRows) }];
  });
  const moments = momentsOf(pairs.map(({ difference }) => difference));
  if (moments === undefined) return undefined;
  const { mean, deviation = 0 } = moments;
  const standardError = deviation / Math.sqrt(pairs.length);
  const margin = Math.max(pairs[0]!.row, STANDARD_ERRORS * standardError);
  // Percentages are rounded to four digits.
  return { isWithin: Math.abs(mean) <= margin + 1e-3, difference: mean, margin, splits: pairs.length };
}

export function encryptedReport(measurements: readonly Measurement[]): Section[] {
  if (measurements.length === 0) return [];
  return [
    {
      title: 'Through the services',
      blocks: [
        text(
          'Owners with the training rows of a split, a data user and a CSP are processes that talk HTTPS: a sketched PCA of all pixels (range 0 to 255), then DCA on its components. Of a projection all rows are reduced, and the study’s machine is told who it is, by the same folds and grid as in the clear. Points of fewer components are the first ones of a task. DCA has ρ = 10 in grey levels as in the study, and ρ′ = 0, which `rotated` computes (the study: −0.05, which changes no vector of those that tell people apart by more than rounding). Its reduced rows are brought to the lengths of the study, which machines depend on. Smaller faces are means of square blocks. Ω of a task comes from the CSP’s nonce, so figures through the services do not repeat to the last digit.',
        ),
        ...statements(measurements),
        tasksTable(measurements),
      ],
    },
    {
      title: 'Points through the services, beside the clear ones',
      blocks: [
        text(
          `Accuracy in percent, mean ± standard deviation over splits. Margins were fixed before anything was measured: a point is **within** noise where the mean of differences on the same splits is at most one test row (Yale 6.7 points, Olivetti 2.5), or ${STANDARD_ERRORS} standard errors of that mean. Of one split it is one test row. Many points were looked at: of twenty that differ in nothing, one may be beyond two standard errors. Through the services only some of the splits were taken; the clear sketch of these has the same Ω.`,
        ),
        ...casesOf(measurements).flatMap(caseBlocks),
      ],
    },
    ...errorsReport(measurements),
  ];
}

const through = (measurements: readonly Measurement[], task: TaskName): readonly Measurement[] =>
  measurements.filter(({ facts }) => facts[`${task} two-party`] !== undefined);
const TASK_NAMES = Object.keys(TASKS) as TaskName[];
const SUBJECTS = { ...TASKS, pca: 'The sketched PCA' };

/** Which protocol computed what, and what refused. */
function statements(measurements: readonly Measurement[]): Block[] {
  return TASK_NAMES.flatMap((task): Block[] => {
    const own = through(measurements, task);
    const facts = (name: string) =>
      [...new Set(own.map((it) => String(it.facts[`${task} ${name}`])))].filter(Boolean);
    const refused = facts('refused');
    const by = facts('two-party').map((name) => `\`${name}\``);
    if (by.length === 0) return [];
    const why =
      refused.length === 0
        ? ''
        : ` **\`rotated\` refuses it** (${refused.join('; ')}); \`simulated\` is not private: it says what comes out of owners’ encryption, summing, blinding and unblinding, and nothing of the two-party computation.`;
    const form =
      task === 'raised'
        ? ' It is in the book’s form, on the same components, with as many components as `rotated` gives.'
        : '';
    return [text(`${SUBJECTS[task]} was computed by ${by.join(' and ')}.${form}${why}`)];
  });
}

function tasksTable(measurements: readonly Measurement[]): Block {
  const bytes = (value: number | string | undefined) =>
    typeof value === 'number' ? formatQuantity(value, 'bytes') : MISSING;
  return {
    kind: 'table',
    caption:
      'Tasks through the services, from the proposal to the result; all roles share the machine. Difference: the largest of reduced rows from the clear ones by the same Ω, over the largest entry',
    columns: [
      left('set'),
      right('side'),
      right('split'),
      right('l'),
      right('k of PCA'),
      left('task'),
      left('by'),
      right('time'),
      right('an owner sends'),
      right('difference'),
    ],
    rows: through(measurements, 'pca').flatMap(({ parameters, facts }) =>
      TASK_NAMES.filter((task) => facts[`${task} two-party`] !== undefined).map((task) => [
        ...[
          parameters.set,
          parameters.side,
          parameters.split,
          parameters.columns,
          parameters.components,
          TASKS[task],
        ].map(String),
        String(facts[`${task} two-party`]),
        formatQuantity(1000 * Number(facts[`${task} seconds`]), 'ms'),
        bytes(facts[`${task} bytes`]),
        Number(facts[`${task} difference`]).toExponential(0),
      ]),
    ),
  };
}

function caseBlocks(of: Case): Block[] {
  return [
    { kind: 'heading', name: `encrypted-${of.set}-${of.side}`, title: `${titleOf(of)} pixels` },
    ...METHODS.flatMap((method): Block[] => [
      curves(of, method, 'accuracy', { name: 'encrypted', quantity: 'accuracy in percent' }),
      table(of, method),
    ]),
    verdicts(of),
  ];
}

function table(of: Case, method: (typeof METHODS)[number]): Table {
  const dimensions = measuredAt(of, method, 'accuracy');
  return {
    kind: 'table',
    caption: `${titleOf(of)}: accuracy in percent over components`,
    columns: [left('reduced by'), right('splits'), ...dimensions.map((k) => right(`${k}`))],
    rows: armsOf(method).flatMap((arm) => {
      const found = dimensions.map((k) => samplesAt(of, arm, k, 'accuracy'));
      const splits = Math.max(0, ...found.map(({ length }) => length));
      return splits === 0 ? [] : [[ARMS[arm], `${splits}`, ...found.map(meanAndSpread)]];
    }),
  };
}

function verdicts(of: Case): Table {
  const rows = COMPARED.map((compared) => ({
    compared,
    found: DIMENSIONS.map((k) => verdictOf(of.own, compared, k)),
  }));
  const at = [...DIMENSIONS.keys()].filter((i) => rows.some(({ found }) => found[i] !== undefined));
  return {
    kind: 'table',
    caption: `${titleOf(of)}: mean difference in percentage points by components, and whether it is within noise (the margin in brackets)`,
    columns: [left('compared'), right('splits'), ...at.map((i) => right(`${DIMENSIONS[i]}`))],
    rows: rows.flatMap(({ compared, found }) => {
      const splits = found.find((it) => it !== undefined)?.splits;
      if (splits === undefined) return [];
      const cells = at.map((i) => (found[i] === undefined ? MISSING : [markOf(found[i])]));
      return [[compared.title, `${splits}`, ...cells]];
    }),
  };
}

function markOf({ isWithin, difference, margin }: Verdict): Mark {
  const signed = `${difference < 0 ? '−' : '+'}${Math.abs(difference).toFixed(1)}`;
  return {
    text: `${signed} (${margin.toFixed(1)}): ${isWithin ? 'within' : 'beyond'}`,
    tone: isWithin ? 'good' : 'bad',
  };
}

export function encryptedHighlights(measurements: readonly Measurement[]): string[] {
  if (measurements.some(({ parameters }) => parameters.madeUp === 'yes')) return [];
  const all = casesOf(measurements);
  const accuracy = COMPARED.flatMap((compared) => {
    const found = all.flatMap(({ own }) =>
      compared.dimensions.flatMap((k) => verdictOf(own, compared, k) ?? []),
    );
    if (found.length === 0) return [];
    const within = found.filter(({ isWithin }) => isWithin).length;
    const largest = Math.max(...found.map(({ difference }) => Math.abs(difference)));
    return [
      `Accuracy of ${compared.title}: ${within} of ${found.length} points within noise, the largest mean difference ${largest.toFixed(1)} points.`,
    ];
  });
  return [...accuracy, ...errorsHighlights(measurements)];
}
