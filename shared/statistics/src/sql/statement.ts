/**
 * One SQL statement that computes an owner's statistics where its rows are: it clips, maps and rounds cells
 * as `Discretiser` does, bit for bit, and sums exact integers. docs/rows.md has the argument.
 */
import type { Feature } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { checkStatisticsTask, collectsR, type StatisticsTask } from '@eigenveil/task';
import { STATISTICS_CODES } from '../codes.ts';
import { DIALECT, type DialectName, doubleLiteral, exactSum, quoteColumns, textLiteral } from './dialects.ts';

export interface StatementOptions {
  readonly dialect: DialectName;
  /**
   * The text after FROM: a table, a subquery with a name, a WHERE behind it. The owner's own SQL, taken as it
   * stands.
   */
  readonly from: string;
  /** The owner's columns of features and labellings that have another name than in the task. */
  readonly columns?: Readonly<Record<string, string>>;
}

/** The number of a row of the result that is not about a class. */
export const MISSING = -1;
export const REFUSED = -2;

/** Names of the result's columns. */
export const RESULT = {
  task: 'ev_task',
  /** All rows that were read, so that a result is told from which a row is missing. */
  total: 'ev_total',
  /** Index of the class of the labelling; 0 for PCA; MISSING and REFUSED for rows that are not summed. */
  classOf: (labelling: number) => `ev_class_${labelling + 1}`,
  rows: 'ev_rows',
  /**
   * Cells of each feature that are clipped; in rows that are not summed, those that are missing or are
   * refused.
   */
  cells: 'ev_cells',
  V: 'ev_v',
  /** Row i of the upper triangle of R. */
  R: (i: number) => `ev_r_${i + 1}`,
} as const;

/**
 * The state of a cell: a finite number or a class, nothing (NULL, NaN), or what a file of rows would be
 * refused for.
 */
const STATE = { fine: 0, missing: 1, refused: 2 } as const;

/**
 * The statement for a task, whose result `statisticsOfResult` reads. It groups rows by class; a row with a
 * cell that is missing is not summed, and is counted, and so is one with an infinite cell or an unknown
 * class.
 * @param taskId stands in each row of the result, so that it cannot be taken for another task's
 * @throws ERR_TASK_INVALID, ERR_SQL_NAME, ERR_SQL_WIDTH, ERR_SQL_PRIVACY, ERR_SQL_SKETCH
 * @example
 * import { sqlStatement } from '@eigenveil/statistics/sql';
 *
 * console.log(sqlStatement(task, 'AAAAAAAAAAAAAAAAAAAAAA', { dialect: 'duckdb', from: "'rows/*.parquet'" }));
 */
export function sqlStatement(
  task: StatisticsTask,
  taskId: string,
  { dialect: name, from, columns = {} }: StatementOptions,
): string {
  checkStatisticsTask(task);
  refuseTask(task);
  const dialect = DIALECT[name];
  const { features, labellings } = task;
  const d = features.length;
  const unit = 2 ** task.fractionBits;
  const number = (value: number) => doubleLiteral(dialect, value);
  const each = (make: (i: number, feature: Feature) => string) =>
    features.map((feature, i) => make(i, feature));
  const classes = labellings.length === 0 ? [RESULT.classOf(0)] : labellings.map((_, l) => RESULT.classOf(l));
  const every = (prefix: string, count = d) =>
    Array.from({ length: count }, (_, i) => `ev_${prefix}${i + 1}`);
  const labels = every('l', labellings.length);
  const states = [...every('s'), ...every('t', labellings.length)];
  const select = (items: readonly string[], source: string, alias: string) =>
    `SELECT\n${items.join(',\n')}\nFROM (\n${source}${dialect.fence}\n) AS ${alias}`;

  const own = quoteColumns(dialect, ownColumns(task, columns)).map((quoted) =>
    dialect.qualifies ? `ev_0.${quoted}` : quoted,
  );
  // By way of a subquery, so that a name is that of a column: else it may be the table's, and mean a whole
  // row, or what databases add, such as rowid.
  const cells = `SELECT\n${[
    ...each((i) => `${dialect.cell(own[i]!)} AS ev_c${i + 1}`),
    ...labels.map((label, l) => `${dialect.label(own[d + l]!)} AS ${label}`),
  ].join(',\n')}\nFROM (\nSELECT * FROM ${from}\n) AS ev_0\n`;
  // The comparison holds for finite numbers alone: NaN is larger than all of them, or is not comparable.
  const states1 = each(
    (i) =>
      `CASE WHEN ev_c${i + 1} BETWEEN ${number(-Number.MAX_VALUE)} AND ${number(Number.MAX_VALUE)} THEN ${STATE.fine} WHEN ABS(ev_c${i + 1}) = ${number(Infinity)} THEN ${STATE.refused} ELSE ${STATE.missing} END AS ev_s${i + 1}`,
  );
  const classified = labellings.map(({ classes: names }, l) => {
    const cases = names.map((text, k) => `WHEN ${textLiteral(dialect, text)} THEN ${k}`);
    return `CASE ${labels[l]} ${cases.join(' ')} ELSE ${REFUSED} END AS ev_k${l + 1}`;
  });
  const known = labels.map(
    (label, l) =>
      `CASE WHEN ${label} IS NULL THEN ${STATE.missing} WHEN ev_k${l + 1} < 0 THEN ${STATE.refused} ELSE ${STATE.fine} END AS ev_t${l + 1}`,
  );
  const withClasses = select([...every('c'), ...labels, ...classified], cells, 'ev_1');
  const withStates = select(
    [...every('c'), ...every('k', labellings.length), ...states1, ...known],
    withClasses,
    'ev_2',
  );
  const kind = `CASE WHEN ${STATE.refused} IN (${states.join(', ')}) THEN ${REFUSED} WHEN ${STATE.missing} IN (${states.join(', ')}) THEN ${MISSING} ELSE 0 END AS ev_kind`;
  const withKind = select(
    [...every('c'), ...every('s'), ...every('k', labellings.length), kind],
    withStates,
    'ev_3',
  );
  const clipped = select(
    [
      ...classes.map((column, l) => {
        const index = labellings.length === 0 ? '0' : `ev_k${l + 1}`;
        return `CASE WHEN ev_kind < 0 THEN ev_kind ELSE ${index} END AS ${column}`;
      }),
      ...each(
        (i, { min, max }) =>
          `CASE WHEN ev_kind = ${MISSING} AND ev_s${i + 1} = ${STATE.missing} OR ev_kind = ${REFUSED} AND ev_s${i + 1} = ${STATE.refused} OR ev_kind = 0 AND (ev_c${i + 1} < ${number(min)} OR ev_c${i + 1} > ${number(max)}) THEN 1 ELSE 0 END AS ev_f${i + 1}`,
      ),
      // Rows that are not summed count as the least value, so that everything from here on is finite.
      ...each(
        (i, { min, max }) =>
          `CASE WHEN ev_kind < 0 OR ev_c${i + 1} < ${number(min)} THEN ${number(min)} WHEN ev_c${i + 1} > ${number(max)} THEN ${number(max)} ELSE ev_c${i + 1} END AS ev_c${i + 1}`,
      ),
    ],
    withKind,
    'ev_4',
  );
  const passed = [...classes, ...every('f')];
  const scaled = select(
    [
      ...passed,
      ...each((i, { min, max }) =>
        min === max
          ? `${number(0)} AS ev_y${i + 1}`
          : `((ev_c${i + 1} - ${number(min)}) - (${number(max)} - ev_c${i + 1})) / ${number(max - min)} * ${number(unit)} AS ev_y${i + 1}`,
      ),
    ],
    clipped,
    'ev_5',
  );
  const floored = select(
    [...passed, ...every('y'), ...each((i) => `FLOOR(ABS(ev_y${i + 1})) AS ev_m${i + 1}`)],
    scaled,
    'ev_6',
  );
  // Halves away from zero. Not by a function, whose ties differ from one database to the next, nor by adding
  // 0.5, which rounds.
  const rounded = select(
    [
      ...passed,
      ...each(
        (i) =>
          `CAST(CASE WHEN ev_y${i + 1} < 0 THEN -1 ELSE 1 END * (ev_m${i + 1} + CASE WHEN ABS(ev_y${i + 1}) - ev_m${i + 1} >= ${number(0.5)} THEN 1 ELSE 0 END) AS ${dialect.integer}) AS ev_x${i + 1}`,
      ),
    ],
    floored,
    'ev_7',
  );

  const most = BigInt(task.maximumSamplesPerOwner);
  const sumOf = (largest: bigint) => {
    const exact = exactSum(dialect, most * largest);
    return (expressions: readonly string[]) =>
      dialect.join(expressions.map((it) => `CAST(${exact(it)} AS ${dialect.text})`));
  };
  const [counts, sums, products] = [sumOf(1n), sumOf(BigInt(unit)), sumOf(BigInt(unit) ** 2n)];
  const triangle = collectsR(task)
    ? each((i) => {
        const row = every('x').slice(i);
        return `${products(row.map((x) => `${row[0]} * ${x}`))} AS ${RESULT.R(i)}`;
      })
    : [];
  const grouped = select(
    [
      ...classes,
      `COUNT(*) AS ${RESULT.rows}`,
      `${counts(every('f'))} AS ${RESULT.cells}`,
      `${sums(every('x'))} AS ${RESULT.V}`,
      ...triangle,
    ],
    rounded,
    'ev_8',
  );
  // Outside, where the sums are text by now: PostgreSQL has no room for this number of columns of numbers
  // below a window.
  const named = [
    `${textLiteral(dialect, taskId)} AS ${RESULT.task}`,
    `SUM(${RESULT.rows}) OVER () AS ${RESULT.total}`,
    'ev_9.*',
  ];
  return `${select(named, `${grouped}\nGROUP BY ${classes.join(', ')}`, 'ev_9')};\n`;
}

/**
 * Refuses tasks whose sums do not tell enough. Whoever promises differential privacy relies on rows that are
 * no longer than a norm, which sums do not show. And the sums of a sketch are as many as features times
 * columns, each over all features.
 * @throws ERR_SQL_PRIVACY, ERR_SQL_SKETCH
 */
export function refuseTask({
  differentialPrivacy,
  sketch,
}: Pick<StatisticsTask, 'differentialPrivacy' | 'sketch'>): void {
  if (sketch !== undefined)
    throw new CodedError(
      STATISTICS_CODES.ERR_SQL_SKETCH,
      'this task has a sketch, whose sums no statement computes: give the rows as a file, or as a query',
    );
  if (!differentialPrivacy) return;
  throw new CodedError(
    STATISTICS_CODES.ERR_SQL_PRIVACY,
    'this task promises differential privacy, for which each row is scaled down to a norm: sums that were computed elsewhere cannot be checked for it, so give the rows as a file',
  );
}

function ownColumns(
  { features, labellings }: StatisticsTask,
  columns: Readonly<Record<string, string>>,
): string[] {
  const names = [...features.map(({ name }) => name), ...labellings.map(({ column }) => column)];
  const unknown = Object.keys(columns).filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new CodedError(
      STATISTICS_CODES.ERR_SQL_NAME,
      `columns are given for names that the task does not have: ${unknown.length} of them`,
    );
  // A name may be one that every object has.
  return names.map((name) => (Object.hasOwn(columns, name) ? columns[name]! : name));
}
