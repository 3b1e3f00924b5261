/** Says what a column's values are to a task: numbers, labels, or neither. */
import { CodedError } from '@eigenveil/platform';
import { STATISTICS_CODES } from '../codes.ts';

const NUMBERS = /^(U?TINYINT|U?SMALLINT|U?INTEGER|FLOAT|DOUBLE)$/;
const BIG_INTEGERS = /^(U?BIGINT|U?HUGEINT|BIGNUM)$/;
const DECIMALS = /^DECIMAL\([^)]*\)$/;
// A value of an ENUM may hold anything; a list of them ends in a bracket.
const TEXTS = /^(VARCHAR|ENUM\(.*\))$/s;

const isNumber = (type: string) =>
  NUMBERS.test(type) || BIG_INTEGERS.test(type) || DECIMALS.test(type) || type === 'BOOLEAN';
const isFloating = (type: string) => type === 'FLOAT' || type === 'DOUBLE';

/** The reasons why a column of a type is no feature, and no label; undefined where it is one. */
export interface TypeProblems {
  readonly feature?: string | undefined;
  readonly label?: string | undefined;
}

export function typeProblems(type: string, numericLabels: boolean): TypeProblems {
  // An ENUM or a STRUCT says more than its name.
  const [word] = type.endsWith(']') ? ['LIST'] : (/^\w+/.exec(type) ?? ['unknown']);
  const isLabel = isNumber(type) ? numericLabels || !isFloating(type) : TEXTS.test(type);
  const label = isFloating(type) ? 'a label, unless by --numeric-labels' : 'a label';
  return {
    feature: isNumber(type) ? undefined : `is a ${word}, which is not a number`,
    label: isLabel ? undefined : `is a ${word}, which is not ${label}`,
  };
}

/**
 * The values of a feature become doubles as `Number` makes them: integers and decimals are rounded once, to
 * the nearest; a boolean is 0 or 1.
 * @throws ERR_COLUMN_TYPE
 */
export const requireFeature = (name: string, type: string): void =>
  requireType(name, typeProblems(type, false).feature);

/**
 * Labels become text as `String` makes them. Floating-point numbers have no one text, so they are labels only
 * as numbers.
 * @throws ERR_COLUMN_TYPE
 */
export const requireLabel = (name: string, type: string, numericLabels: boolean): void =>
  requireType(name, typeProblems(type, numericLabels).label);

function requireType(name: string, problem: string | undefined): void {
  if (problem === undefined) return;
  throw new CodedError(
    STATISTICS_CODES.ERR_COLUMN_TYPE,
    `column ${JSON.stringify(name)} ${problem}: make one of it with --query`,
  );
}
