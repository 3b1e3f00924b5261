/** Finds where a member stands in a text of JSON, so that its fault can be shown there. */

export interface Place {
  /** The index of its first character, from 0. */
  readonly start: number;
  /** The index after its last character. */
  readonly end: number;
  /** The number of its line, from 1. */
  readonly line: number;
}

type Path = readonly PropertyKey[];

/**
 * Returns the place of the value at `path`, or of the nearest object around it that is there, if the member
 * is missing.
 * @param text valid JSON
 */
export function placeIn(text: string, path: Path): Place {
  const { start, end } = new Scanner(text).find(path);
  return { start, end, line: text.slice(0, start).split('\n').length };
}

/** Returns the path that messages write as `features[3].min`. */
export function pathOf(written: string): Path {
  return [...written.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, name, index]) =>
    index === undefined ? name! : Number(index),
  );
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
