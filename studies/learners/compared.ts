/** Decisions by samples of arms that were measured on the same splits: frames of private learners and private ranges. Margin, level and verdicts are those of privacy/inference.ts. */
import { beside, count, type Figure, mean, only, where, within } from '../instrument/figure.ts';
import type { TableOf } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';
import { decided, VERDICTS } from '../privacy/inference.ts';

interface Comparisons {
  /** Each combination of values of these columns is compared by itself. */
  readonly by: readonly string[];
  /** Columns of scores; each is compared by itself. */
  readonly scores: readonly string[];
  /** The pairs of arms that are compared, by the column `arm`. */
  readonly pairs: readonly { readonly of: string; readonly against: string }[];
}

/**
 * Decides every comparison.
 * @returns a record for each case (`level: 'case'`), a data set at one ε, and for each mean over data sets (`level: 'mean'`)
 */
export function decidedOf(records: readonly Tidy[], { by, scores, pairs }: Comparisons): Tidy[] {
  return groupedBy(records, by).flatMap(({ group, values }) =>
    scores.flatMap((score) =>
      pairs.flatMap(({ of, against }): Tidy[] => {
        const compared = { ...values, score, of, against };
        const { cases, means } = decided(group, {
          column: score,
          of: { arm: of },
          against: { arm: against },
        });
        return [
          ...cases.map((one) => ({ ...compared, level: 'case', ...one })),
          ...means.map((one) => ({ ...compared, level: 'mean', ...one })),
        ];
      }),
    ),
  );
}

/** The difference of means over data sets: `−4.6 [−8.9, −0.2] open`. */
const meanDifference: Figure = where(
  { level: 'mean' },
  beside(' ', within('difference', 'low', 'high', { digits: 1, signed: true }), only('verdict')),
);

/** The number of cases in which each verdict was reached. */
export const VERDICT_COUNTS = Object.fromEntries(
  VERDICTS.map((verdict) => [verdict, where({ level: 'case', verdict }, count)]),
);

/** Tables show in this way what samples decide. */
export const DECIDED: Pick<TableOf, 'across' | 'cells'> = {
  across: { column: 'epsilon', cell: meanDifference },
  cells: VERDICT_COUNTS,
};

/**
 * The mean over data sets of the means of columns, for each combination of values of `by`; none where a data set was not measured, since a mean over
 * others would be another quantity.
 */
export function overDataSets(
  records: readonly Tidy[],
  by: readonly string[],
  columns: readonly string[],
): Tidy[] {
  const sets = new Set(records.map(({ dataset }) => dataset)).size;
  return groupedBy(records, by).flatMap(({ group, values }) => {
    const own = [...Map.groupBy(group, ({ dataset }) => dataset).values()];
    if (own.length < sets) return [];
    const overall = columns.map((column) => {
      const means = own.flatMap((rows) => mean(column)(rows).value ?? []);
      return [column, means.reduce((sum, value) => sum + value, 0) / means.length];
    });
    return [{ ...values, ...Object.fromEntries(overall) }];
  });
}

function groupedBy(
  records: readonly Tidy[],
  columns: readonly string[],
): { readonly group: readonly Tidy[]; readonly values: Tidy }[] {
  const valuesOf = (record: Tidy) =>
    Object.fromEntries(
      columns.flatMap((column) => (record[column] === undefined ? [] : [[column, record[column]]])),
    );
  const groups = Map.groupBy(records, (record) => JSON.stringify(valuesOf(record)));
  return [...groups.values()].map((group) => ({ group, values: valuesOf(group[0]!) }));
}
