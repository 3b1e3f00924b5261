/** JSON in files that people write: what is none is told by line and column, and nothing of the text is repeated, which may hold a password. */
import { CodedError } from '@eigenveil/platform';
import { COMMAND_CODES } from './codes.ts';

/**
 * The value of the JSON text of a file that the setting `title` names.
 * @throws ERR_CONFIGURATION
 */
export function jsonOf(title: string, path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Without the cause, which repeats what stands where it fails.
    const { at, expected } = firstFault(text);
    const before = text.slice(0, at).split('\n');
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"${title}" expected JSON in ${path}, line ${before.length}, column ${before.at(-1)!.length + 1}: expected ${expected}`,
    );
  }
}

const BLANKS = /[ \t\n\r]*/y;
/** JSON forbids no control characters but the first 32. */
const TEXT = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/uy;
const VALUE = new RegExp(
  `${TEXT.source}|-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?(?![\\w.+-])|(?:true|false|null)(?!\\w)`,
  'uy',
);

/** Returns where a text stops to be JSON (RFC 8259), which not every message of V8 says, and what could stand there. */
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
