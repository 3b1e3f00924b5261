/** Says what is wrong with a value that a schema refused, without repeating the value. */
import type { z } from 'zod';
import { printable } from './printable.ts';

const MOST_ISSUES = 3;
const LONGEST_SEGMENT = 40;
/** Some messages list the names of unknown members, which come from the peer. */
const LONGEST_MESSAGE = 200;

/**
 * One line such as `"features[3].min": Invalid input: expected number, received string; …`, for at most three issues.
 * zod's own messages name expectations and types; they never contain the value.
 * @param whole what to call the value itself, for issues that have no path.
 */
export function explainIssues(error: z.ZodError, whole: string): string {
  const lines = error.issues
    .slice(0, MOST_ISSUES)
    .map(({ path, message }) => `"${placeOf(path, whole)}": ${printable(message, LONGEST_MESSAGE)}`);
  const more = error.issues.length - lines.length;
  return more === 0 ? lines.join('; ') : `${lines.join('; ')}; and ${more} more`;
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
