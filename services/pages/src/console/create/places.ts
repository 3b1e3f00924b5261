/** The places of members in the JSON of a task, and the members that messages name. */
import { isObject, type Json } from '../draft/members.ts';

export interface Place {
  /** The index of its first character, from 0. */
  readonly start: number;
  /** The index after its last character. */
  readonly end: number;
  /** The number of its line, from 1. */
  readonly line: number;
}

export type Path = readonly PropertyKey[];

/**
 * Returns the place of the value at `path`, or of the nearest object around it that is there, if the member
 * is missing.
 * @param text valid JSON
 */
export function placeIn(text: string, path: Path): Place {
  const { start, end } = new Scanner(text).find(path);
  return { start, end, line: text.slice(0, start).split('\n').length };
}

/** Selects a place in the JSON that a text field holds, and moves the focus there. */
export function showPlace(area: HTMLTextAreaElement, { start, end, line }: Place): void {
  area.focus();
  area.setSelectionRange(start, end);
  area.scrollTop = ((line - 3) / area.value.split('\n').length) * area.scrollHeight;
}

/** The place with which messages about a task begin: `"features[3].min"`, `"features["age"].grain"`. */
const TITLE = /^"((?:[^"[\]]|\[\d+\]|\["(?:[^"\\]|\\.)*"\])+)"/;
const SEGMENT = /\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g;

/** Returns the path that a message names at its beginning; empty where it names none. */
export function pathOf(message: string, task: Json): Path {
  const path: PropertyKey[] = [];
  let value: Json | undefined = task;
  for (const [, index, named, member] of (TITLE.exec(message)?.[1] ?? '').matchAll(SEGMENT)) {
    const key: string | number =
      named !== undefined ? indexOfNamed(value, JSON.parse(named) as string) : (member ?? Number(index));
    path.push(key);
    value = Array.isArray(value) ? value[Number(key)] : isObject(value) ? value[key] : undefined;
  }
  return path;
}

/** Features go by their names, and labellings by their columns. */
function indexOfNamed(value: Json | undefined, name: string): number {
  const all: readonly Json[] = Array.isArray(value) ? value : [];
  return all.findIndex((it) => isObject(it) && (it.name === name || it.column === name));
}

/** Goes through JSON that is known to be valid. */
class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  find(path: Path): { start: number; end: number } {
    this.#blank();
    const start = this.#at;
    let inner: { start: number; end: number } | null = null;
    this.#members((key) => {
      const [first, ...rest] = path;
      if (path.length === 0 || key !== first) return false;
      inner = this.find(rest);
      return true;
    });
    return inner ?? { start, end: this.#at };
  }

  /** Goes over the value here. `visit` may go over a member itself, and then returns true. */
  #members(visit: (key: string | number) => boolean): void {
    const open = this.#text[this.#at];
    if (open === '"') {
      this.#string();
    } else if (open === '{' || open === '[') {
      this.#at += 1;
      this.#blank();
      for (let i = 0; this.#text[this.#at] !== '}' && this.#text[this.#at] !== ']'; i += 1) {
        const key = open === '{' ? this.#key() : i;
        this.#blank();
        if (!visit(key)) this.#members(() => false);
        this.#blank();
        if (this.#text[this.#at] === ',') this.#at += 1;
        this.#blank();
      }
      this.#at += 1;
    } else {
      while (this.#at < this.#text.length && !/[\s,\]}]/.test(this.#text[this.#at]!)) this.#at += 1;
    }
  }

  #key(): string {
    const start = this.#at;
    this.#string();
    const key: unknown = JSON.parse(this.#text.slice(start, this.#at));
    this.#blank();
    this.#at += 1; // the colon
    return String(key);
  }

  #string(): void {
    for (this.#at += 1; this.#text[this.#at] !== '"'; this.#at += 1)
      if (this.#text[this.#at] === '\\') this.#at += 1;
    this.#at += 1;
  }

  #blank(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }
}
