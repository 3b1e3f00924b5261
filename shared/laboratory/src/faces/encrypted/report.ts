/** The report of the suite `encrypted`: curves of accuracy, a verdict for each point by margins that were fixed beforehand, and what the tasks took. */
import { momentsOf } from '@eigenveil/bench/accuracy/scores';
import { formatQuantity, MISSING } from '@eigenveil/bench/quantities';
import type { Measurement } from '@eigenveil/bench/unit';
import type { Block, Line, Mark, Section, Table } from '@eigenveil/report/document';
import { left, meanAndSpread, right, text } from '../../comparison/report/cells.ts';
import {
  ARMS,
  type ArmName,
  DCA_DIMENSIONS,
  ENCRYPTED_SETS,
  PCA_DIMENSIONS,
  SIDES,
  seriesOf,
} from './suite.ts';

/** What is compared at each point: the second against the first. */
interface Compared {
  readonly title: string;
  readonly reference: ArmName;
  readonly arm: ArmName;
  readonly dimensions: readonly number[];
}

const COMPARED: readonly Compared[] = [
  {
    title: 'services beside the clear sketch, PCA',
    reference: 'pca sketch',
    arm: 'pca services',
    dimensions: PCA_DIMENSIONS,
  },
  {
    title: 'services beside the clear chain of a sketch, DCA',
    reference: 'dca sketch',
    arm: 'dca services',
    dimensions: DCA_DIMENSIONS,
  },
  { title: 'sketch beside exact PCA', reference: 'pca exact', arm: 'pca sketch', dimensions: PCA_DIMENSIONS },
  {
    title: 'DCA on a sketch beside DCA on exact PCA',
    reference: 'dca exact',
    arm: 'dca sketch',
    dimensions: DCA_DIMENSIONS,
  },
  {
    title: 'DCA on exact PCA beside DCA on pixels',
    reference: 'dca pixels',
    arm: 'dca exact',
    dimensions: DCA_DIMENSIONS,
  },
];

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

const caseOf = (measurements: readonly Measurement[], set: string, side: number): Measurement[] =>
  measurements.filter(({ parameters }) => parameters.set === set && parameters.side === side);

/** Sets and sizes of which something was measured. */
function cases(measurements: readonly Measurement[]) {
  return ENCRYPTED_SETS.flatMap((set) =>
    SIDES.map((side) => ({ set, side, own: caseOf(measurements, set, side) })),
  ).filter(({ own }) => own.length > 0);
}

const samples = (own: readonly Measurement[], arm: ArmName, k: number): number[] =>
  own.flatMap(({ series }) => series[seriesOf(arm, k)]?.samples ?? []);

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
        ...cases(measurements).flatMap(({ set, side, own }): Block[] => caseBlocks(set, side, own)),
      ],
    },
  ];
}

/** Which protocol computed what, and what refused. */
function statements(measurements: readonly Measurement[]): Block[] {
  const through = measurements.filter(({ facts }) => facts['pca two-party'] !== undefined);
  const facts = (name: string) =>
    [...new Set(through.map((it) => String(it.facts[name] ?? '')))].filter(Boolean);
  return ['pca', 'dca'].flatMap((task): Block[] => {
    const refused = facts(`${task} refused`);
    const by = facts(`${task} two-party`).map((name) => `\`${name}\``);
    if (by.length === 0) return [];
    const why =
      refused.length === 0
        ? ''
        : ` **\`rotated\` refuses it** (${refused.join('; ')}); \`simulated\` is not private: it says what comes out of owners’ encryption, summing, blinding and unblinding, and nothing of the two-party computation.`;
    return [
      text(`${task === 'pca' ? 'The sketched PCA' : 'DCA'} was computed by ${by.join(' and ')}.${why}`),
    ];
  });
}

function tasksTable(measurements: readonly Measurement[]): Block {
  const through = measurements.filter(({ facts }) => facts['pca two-party'] !== undefined);
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
      right('k'),
      ...['PCA', 'DCA'].flatMap((name) => [
        left(`${name} by`),
        right(`${name}, time`),
        right('an owner sends'),
        right('difference'),
      ]),
    ],
    rows: through.map(({ parameters, facts }) => [
      ...[parameters.set, parameters.side, parameters.split, parameters.columns, parameters.components].map(
        String,
      ),
      ...['pca', 'dca'].flatMap((task) => [
        String(facts[`${task} two-party`]),
        formatQuantity(1000 * Number(facts[`${task} seconds`]), 'ms'),
        bytes(facts[`${task} bytes`]),
        Number(facts[`${task} difference`]).toExponential(0),
      ]),
    ]),
  };
}

function caseBlocks(set: string, side: number, own: readonly Measurement[]): Block[] {
  return [
    { kind: 'heading', name: `encrypted-${set}-${side}`, title: `${set}, ${side} × ${side} pixels` },
    ...(['pca', 'dca'] as const).flatMap((method): Block[] => [
      chart(set, side, own, method),
      table(set, side, own, method),
    ]),
    verdicts(set, side, own),
  ];
}

const armsOf = (method: 'pca' | 'dca') =>
  (Object.keys(ARMS) as ArmName[]).filter((name) => name.startsWith(method));
const measuredAt = (own: readonly Measurement[], method: 'pca' | 'dca') =>
  (method === 'pca' ? PCA_DIMENSIONS : DCA_DIMENSIONS).filter((k) =>
    armsOf(method).some((arm) => samples(own, arm, k).length > 0),
  );

function chart(set: string, side: number, own: readonly Measurement[], method: 'pca' | 'dca'): Block {
  return {
    kind: 'chart',
    name: `encrypted-${method}-${set}-${side}`,
    caption: `${set}, ${side} × ${side}, ${method.toUpperCase()}: accuracy in percent over components; whiskers are a standard deviation to either side`,
    drawing: {
      kind: 'lines',
      x: { title: 'components', scale: 'category' },
      y: { title: 'accuracy in percent', scale: 'linear' },
      lines: armsOf(method)
        .map(
          (arm): Line => ({
            name: ARMS[arm],
            style: 'solid',
            points: measuredAt(own, method).flatMap((k) => {
              const moments = momentsOf(samples(own, arm, k));
              if (moments === undefined) return [];
              const { mean, deviation = 0 } = moments;
              return [{ x: k, y: mean, low: mean - deviation, high: mean + deviation }];
            }),
          }),
        )
        .filter(({ points }) => points.length > 0),
    },
  };
}

function table(set: string, side: number, own: readonly Measurement[], method: 'pca' | 'dca'): Table {
  const dimensions = measuredAt(own, method);
  return {
    kind: 'table',
    caption: `${set}, ${side} × ${side}: accuracy in percent over components`,
    columns: [left('reduced by'), right('splits'), ...dimensions.map((k) => right(`${k}`))],
    rows: armsOf(method)
      .filter((arm) => samples(own, arm, dimensions[0]!).length > 0)
      .map((arm) => [
        ARMS[arm],
        `${samples(own, arm, dimensions[0]!).length}`,
        ...dimensions.map((k) => {
          const all = samples(own, arm, k);
          return all.length === 0 ? MISSING : meanAndSpread(all);
        }),
      ]),
  };
}

function verdicts(set: string, side: number, own: readonly Measurement[]): Table {
  const dimensions = [...new Set([...PCA_DIMENSIONS, ...DCA_DIMENSIONS])].sort((a, b) => a - b);
  return {
    kind: 'table',
    caption: `${set}, ${side} × ${side}: mean difference in percentage points by components, and whether it is within noise (the margin in brackets)`,
    columns: [left('compared'), right('splits'), ...dimensions.map((k) => right(`${k}`))],
    rows: COMPARED.flatMap((compared) => {
      const found = dimensions.map((k) => verdictOf(own, compared, k));
      const splits = found.find((it) => it !== undefined)?.splits;
      if (splits === undefined) return [];
      return [
        [compared.title, `${splits}`, ...found.map((it) => (it === undefined ? MISSING : [markOf(it)]))],
      ];
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
  const all = cases(measurements);
  return COMPARED.flatMap((compared) => {
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
}
