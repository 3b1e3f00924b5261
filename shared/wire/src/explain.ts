/** Says what is wrong with a value that a schema refused, without repeating the value. */
import type { Fault } from '@eigenveil/platform';
import type { z } from 'zod';
import { printable } from './printable.ts';

/** A value that has more faults is another thing altogether, and each line of them may go into a log. */
const MOST_ISSUES = 20;
const LONGEST_SEGMENT = 40;
/** Some messages list the names of unknown members, which come from the peer. */
const LONGEST_MESSAGE = 200;

/**
 * One line such as `"features[3].min": expected a number, got a text; …`, for all issues, or the first twenty
 * of more. Expectations and types are named, never the value.
 * @param whole what to call the value itself, for issues that have no path.
 */
export function explainIssues(error: z.ZodError, whole: string): string {
  const lines = error.issues.slice(0, MOST_ISSUES).map((issue) => explainIssue(issue, whole));
  const more = error.issues.length - lines.length;
  return more === 0 ? lines.join('; ') : `${lines.join('; ')}; and ${more} more`;
}

/** All issues, each in words without its place, which a surface names in its own terms. */
export function faultsOf(error: z.ZodError): Fault[] {
  return error.issues.map((issue) => ({
    path: issue.path,
    words: printable(wordsOf(issue), LONGEST_MESSAGE),
  }));
}

/** One of them. */
export function explainIssue(issue: z.core.$ZodIssue, whole: string): string {
  const words = printable(wordsOf(issue), LONGEST_MESSAGE);
  // Members that nobody knows are named by the words.
  if (issue.code === 'unrecognized_keys' && issue.path.length === 0) return words;
  return `"${placeOf(issue.path, whole)}": ${words}`;
}

/** The openings of zod's own messages; a message that a schema gives stays as it is. */
const STANDARD = /^(?:Invalid|Too (?:small|big))/;

function wordsOf(issue: z.core.$ZodIssue): string {
  if (!STANDARD.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type': {
      const expected = `expected ${typeName(issue.expected)}`;
      const received = /received (\w+)$/.exec(issue.message)?.[1] ?? 'something else';
      if (received === 'undefined') return `is missing: ${expected}`;
      const isFraction = issue.expected === 'int' && received === 'number';
      return `${expected}, got ${isFraction ? 'a fraction' : typeName(received)}`;
    }
    case 'too_small':
      return `expected ${issue.inclusive ? 'at least' : 'more than'} ${sized(issue.minimum, issue.origin)}`;
    case 'too_big':
      return `expected ${issue.inclusive ? 'at most' : 'less than'} ${sized(issue.maximum, issue.origin)}`;
    case 'invalid_value':
      return `expected ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map((it) => JSON.stringify(it)).join(', ')}`;
    default:
      return issue.message;
  }
}

const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['string', 'a text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
  ['record', 'an object'],
]);

function typeName(type: string): string {
  return TYPE_NAMES.get(type) ?? type;
}

function sized(bound: number | bigint, origin: string): string {
  const unit = { string: 'character', array: 'item' }[origin];
  return unit === undefined ? `${bound}` : `${bound} ${unit}${Number(bound) === 1 ? '' : 's'}`;
}

function placeOf(path: readonly PropertyKey[], whole: string): string {
  if (path.length === 0) return whole;
  const start = typeof path[0] === 'number' ? whole : ''; // an element of a list has no name of its own
  const place = path
    .map((segment, depth) => {
      if (typeof segment === 'number') return `[${segment}]`;
      // Keys of records come from the peer and may be of any length.
      const name = printable(String(segment), LONGEST_SEGMENT);
      return depth === 0 ? name : `.${name}`;
    })
    .join('');
  return start + place;
}
