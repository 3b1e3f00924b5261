/**
 * Text and JSON in files that people write. A place that is not JSON is reported by line and column, and for
 * an unknown member the one that was probably meant. No value is repeated, since it may be a password.
 */
import { CodedError } from '@eigenveil/platform';
import { NoTextError, textOfFile } from '@eigenveil/platform/file-form';
import { z } from 'zod';
import { COMMAND_CODES } from './codes.ts';

/**
 * Returns the text of a file in UTF-8, with or without a byte order mark, or in UTF-16.
 * @param expectation begins the message where the file is not text
 * @throws ERR_CONFIGURATION
 */
export function textIn(bytes: Uint8Array, expectation: string): string {
  try {
    return textOfFile(bytes);
  } catch (error) {
    if (!(error instanceof NoTextError)) throw error;
    throw new CodedError(COMMAND_CODES.ERR_CONFIGURATION, `${expectation}, got ${error.message}`);
  }
}

/**
 * Returns the text with blanks instead of its comments, from two slashes to the end of the line or in the marks
 * of C, so that every place stays where it is.
 */
export function withoutComments(text: string): string {
  return text.replaceAll(/"(?:\\.|[^"\\\n])*"|\/\/.*|\/\*[\s\S]*?\*\//g, (found) =>
    found.startsWith('"') ? found : found.replaceAll(/[^\n]/g, ' '),
  );
}

/**
 * Returns the value of the JSON text of a file that the setting `title` names.
 * @throws ERR_CONFIGURATION
 */
export function jsonOf(title: string, path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The error has no cause, since that repeats the text around the place where it fails.
    const { at, expected } = firstFault(text);
    const before = text.slice(0, at).split('\n');
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"${title}" expected JSON in ${path}, line ${before.length}, column ${before.at(-1)!.length + 1}: expected ${expected}`,
    );
  }
}

const BLANKS = /[ \t\n\r]*/y;
/** JSON forbids only the first 32 control characters. */
const TEXT = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/uy;
const VALUE = new RegExp(
  `${TEXT.source}|-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?(?![\\w.+-])|(?:true|false|null)(?!\\w)`,
  'uy',
);

/**
 * Returns where a text stops being JSON (RFC 8259), which not every message of V8 says, and what could stand
 * there.
 */
function firstFault(text: string): { readonly at: number; readonly expected: string } {
  /** The characters that close the objects and lists that are open, the innermost last. */
  const open: string[] = [];
  let next: 'value' | 'name' | 'colon' | 'more' = 'value';
  let isFresh = false;
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found !== undefined;
  };
  for (;;) {
    take(BLANKS);
    const character = text[at];
    const closing = open.at(-1);
    if (closing !== undefined && character === closing && (next === 'more' || isFresh)) {
      open.pop();
      next = 'more';
      isFresh = false;
      at += 1;
    } else if (next === 'value' && (character === '{' || character === '[')) {
      open.push(character === '{' ? '}' : ']');
      next = character === '{' ? 'name' : 'value';
      isFresh = true;
      at += 1;
    } else if (next === 'value' && take(VALUE)) {
      next = 'more';
      isFresh = false;
    } else if (next === 'name' && take(TEXT)) {
      next = 'colon';
      isFresh = false;
    } else if (next === 'colon' && character === ':') {
      next = 'value';
      at += 1;
    } else if (next === 'more' && closing !== undefined && character === ',') {
      next = closing === '}' ? 'name' : 'value';
      at += 1;
    } else {
      const or = isFresh ? ` or "${closing}"` : '';
      const expected = {
        value: `a value${or}`,
        name: `a name in double quotes${or}`,
        colon: '":"',
        more: closing === undefined ? 'nothing more' : `"," or "${closing}"`,
      }[next];
      return { at, expected: at === text.length && text !== '' ? `${expected}, not the end` : expected };
    }
  }
}

/**
 * Returns the error with other messages for unknown members. Names are the user's own, and may be repeated.
 */
export function withSuggestions(error: z.ZodError, schema: z.ZodType): z.ZodError {
  return new z.ZodError(
    error.issues.map((issue) => {
      if (issue.code !== 'unrecognized_keys') return issue;
      const known = namesAt(schema, issue.path);
      return { ...issue, message: issue.keys.map((key) => describe(key, known)).join('; ') };
    }),
  );
}

function describe(key: string, known: readonly string[]): string {
  const [nearest] = known
    .map((name) => ({ name, distance: distance(key.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(2, name.length / 4))
    .sort((a, b) => a.distance - b.distance);
  const unknown = `${JSON.stringify(key)} is not known`;
  return nearest === undefined
    ? `${unknown}; known are ${known.join(', ')}`
    : `${unknown}: did you mean ${JSON.stringify(nearest.name)}?`;
}

/** Returns the members that an object at this place may have; for a union those of all its kinds. */
function namesAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  return [...new Set(shapesAt(schema, path).flatMap(Object.keys))];
}

function shapesAt(schema: unknown, path: readonly PropertyKey[]): Readonly<Record<string, unknown>>[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return shapesAt(schema.unwrap(), path);
  if (schema instanceof z.ZodPipe) return shapesAt(schema.in, path);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => shapesAt(option, path));
  const [step, ...rest] = path;
  if (schema instanceof z.ZodArray && typeof step === 'number') return shapesAt(schema.element, rest);
  if (!(schema instanceof z.ZodObject)) return [];
  return step === undefined ? [schema.shape] : shapesAt(schema.shape[String(step)], rest);
}

/**
 * Returns the number of letters that must be inserted, removed or changed (Levenshtein); two that are swapped
 * count as two.
 */
function distance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (const [i, letter] of [...a].entries()) {
    const row = [i + 1];
    for (const [j, other] of [...b].entries())
      row.push(Math.min(above[j]! + (letter === other ? 0 : 1), above[j + 1]! + 1, row[j]! + 1));
    above = row;
  }
  return above.at(-1)!;
}
