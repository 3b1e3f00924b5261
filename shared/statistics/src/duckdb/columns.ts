/** What a column's values are to a task: numbers, labels, or neither. */
import { StatisticsError } from '../errors.ts';

/** An item of a column that is not NULL. */
type Item = unknown;

const NUMBERS = /^(U?TINYINT|U?SMALLINT|U?INTEGER|FLOAT|DOUBLE)$/;
const BIG_INTEGERS = /^(U?BIGINT|U?HUGEINT|BIGNUM)$/;
const DECIMALS = /^DECIMAL\([^)]*\)$/;
// A value of an ENUM may hold anything; a list of them ends in a bracket.
const TEXTS = /^(VARCHAR|ENUM\(.*\))$/s;

/**
 * How a feature's values become doubles: integers and decimals are rounded once, to the nearest; a boolean is 0 or 1.
 * @throws ERR_COLUMN_TYPE
 */
export function numberReader(name: string, type: string): (item: Item) => number {
  if (NUMBERS.test(type)) return (item) => item as number;
  if (BIG_INTEGERS.test(type)) return (item) => Number(item as bigint);
  if (DECIMALS.test(type)) return (item) => Number(String(item));
  if (type === 'BOOLEAN') return (item) => (item === true ? 1 : 0);
  throw typeError(name, type, 'a number');
}

/**
 * How labels become text. Floating-point numbers have no one text, so they are labels only as numbers.
 * @throws ERR_COLUMN_TYPE
 */
export function labelReader(name: string, type: string, numericLabels: boolean): (item: Item) => string {
  const isFloating = type === 'FLOAT' || type === 'DOUBLE';
  const isText = TEXTS.test(type) || type === 'BOOLEAN';
  if (isText || BIG_INTEGERS.test(type) || DECIMALS.test(type) || (NUMBERS.test(type) && !isFloating))
    return String;
  if (isFloating && numericLabels) return String;
  throw typeError(name, type, isFloating ? 'a label, unless by --numeric-labels' : 'a label');
}

function typeError(name: string, type: string, wanted: string): StatisticsError {
  // An ENUM or a STRUCT says more than its name.
  const [word] = type.endsWith(']') ? ['LIST'] : (/^\w+/.exec(type) ?? ['unknown']);
  return new StatisticsError(
    'ERR_COLUMN_TYPE',
    `column ${JSON.stringify(name)} is a ${word}, which is not ${wanted}: make one of it with --query`,
  );
}
