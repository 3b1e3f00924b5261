/** The comparisons at each point through the services, judged by margins that were fixed beforehand. */
import { samplesOf, spread } from '../../instrument/figure.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { SIGNAL_RIDGES } from '../signal-ridge.ts';

/** The largest of the study's values of ρ′; `rotated` refuses those below 0. */
export const RAISED_SIGNAL_RIDGE = Math.max(...SIGNAL_RIDGES);

/** The means by which rows are reduced. `sketch` is in the clear, by the Ω of the services' task where there is one. */
export const ARMS = {
  'pca exact': 'PCA, exact, in the clear',
  'pca sketch': 'PCA by a sketch, in the clear',
  'pca services': 'PCA by a sketch, through the services',
  'dca pixels': 'DCA on pixels, in the clear',
  'dca exact': 'PCA, then DCA, exact, in the clear',
  'dca sketch': 'sketch, then DCA, in the clear',
  'dca services': 'sketch, then DCA, through the services',
  'dca raised sketch': `sketch, then DCA with ρ′ = ${RAISED_SIGNAL_RIDGE}, in the clear`,
  'dca raised services': `sketch, then DCA with ρ′ = ${RAISED_SIGNAL_RIDGE}, through the services`,
} as const;
export type ArmName = keyof typeof ARMS;

/** The second against the first, by name and title. */
export const COMPARED = {
  pcaServices: ['pca sketch', 'pca services', 'services beside the clear sketch, PCA'],
  dcaServices: ['dca sketch', 'dca services', 'services beside the clear chain of a sketch, DCA'],
  raisedServices: [
    'dca raised sketch',
    'dca raised services',
    `services beside the clear chain of a sketch, DCA with ρ′ = ${RAISED_SIGNAL_RIDGE}`,
  ],
  pcaSketch: ['pca exact', 'pca sketch', 'sketch beside exact PCA'],
  dcaSketch: ['dca exact', 'dca sketch', 'DCA on a sketch beside DCA on exact PCA'],
  dcaExact: ['dca pixels', 'dca exact', 'DCA on exact PCA beside DCA on pixels'],
  raised: [
    'dca sketch',
    'dca raised sketch',
    `DCA on a sketch with ρ′ = ${RAISED_SIGNAL_RIDGE} beside the study’s ρ′`,
  ],
} as const satisfies Readonly<Record<string, readonly [reference: ArmName, arm: ArmName, title: string]>>;

/** Standard errors of a mean of paired differences that count as noise. */
const STANDARD_ERRORS = 2;
/** Percentages are rounded to four digits. */
const ROUNDING = 1e-3;

/** Records of both arms on the same splits, for each comparison, set, size and number of components. */
function pairsOf(records: readonly Tidy[]) {
  return Object.entries(COMPARED).flatMap(([compared, [reference, arm]]) =>
    [...Map.groupBy(records, ({ set, side, k }) => `${set} ${side} ${k}`).values()].flatMap((own) => {
      const of = new Map(own.filter((it) => it.arm === reference).map((it) => [it.split, it]));
      const pairs = own.flatMap((it) => {
        const other = of.get(it.split!);
        return it.arm !== arm || other === undefined ? [] : [{ one: it, other }];
      });
      const { set, side, k } = own[0]!;
      return pairs.length === 0 ? [] : [{ of: { set: set!, side: side!, compared, k: k! }, pairs }];
    }),
  );
}

/**
 * Within noise: a mean difference over splits of at most one test row, or of two standard errors of it, whichever is more.
 * `difference` is the arm less the reference, in percentage points; `told` is what a cell says.
 */
export function verdictsOf(records: readonly Tidy[]): Tidy[] {
  return pairsOf(records.filter(({ accuracy }) => accuracy !== undefined)).map(({ of, pairs }) => {
    const differences = pairs.map(({ one, other }) => ({
      difference: Number(one.accuracy) - Number(other.accuracy),
    }));
    const { value = 0, high = value } = spread('difference')(differences);
    const standardError = (high - value) / Math.sqrt(pairs.length);
    const margin = Math.max(100 / Number(pairs[0]!.one.testRows), STANDARD_ERRORS * standardError);
    const isWithin = Math.abs(value) <= margin + ROUNDING;
    const signed = `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`;
    return {
      ...of,
      splits: pairs.length,
      difference: value,
      size: Math.abs(value),
      margin,
      verdict: isWithin ? 'within' : 'beyond',
      told: `${signed} (${margin.toFixed(1)}): ${isWithin ? 'within' : 'beyond'}`,
    };
  });
}

/** By how much centred errors differ on the same splits, as a part of the reference's. */
export function differencesOf(records: readonly Tidy[]): Tidy[] {
  const sum = (of: readonly Tidy[]) => samplesOf(of, 'centred').reduce((all, one) => all + one, 0);
  return pairsOf(records.filter(({ centred }) => centred !== undefined)).map(({ of, pairs }) => {
    const part = sum(pairs.map(({ one }) => one)) / sum(pairs.map(({ other }) => other)) - 1;
    return { ...of, part, size: Math.abs(part) };
  });
}
