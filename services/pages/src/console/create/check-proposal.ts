/** Checks the JSON of a task before it is sent, by the schema and the checks of the data user's service. */
import { CodedError } from '@eigenveil/platform';
import { ProposalFile, type TaskProposal } from '@eigenveil/task/schema';
import { checkComputable } from '@eigenveil/two-party/plan';
import { explainIssue } from '@eigenveil/wire/explain';
import { draftWords } from '../draft/draft-words.ts';

/** The service takes no more bytes than this. */
export const LARGEST_BYTES = 256 * 1024;

export interface Fault {
  readonly words: string;
  /** The place of the fault; null where the text is not JSON. */
  readonly place: Place | null;
}

type CheckedProposal =
  | { readonly kind: 'empty' }
  | { readonly kind: 'faulty'; readonly faults: readonly Fault[] }
  | { readonly kind: 'good'; readonly proposal: TaskProposal };

/** @param now by the clock of the service */
export function checkProposal(text: string, now: Date): CheckedProposal {
  if (text.trim() === '') return { kind: 'empty' };
  if (new TextEncoder().encode(text).length > LARGEST_BYTES)
    return faulty({ words: `expected at most ${LARGEST_BYTES} bytes`, place: null });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return faulty({ words: `This is no JSON: ${(error as Error).message}`, place: null });
  }
  const parsed = ProposalFile.safeParse(value);
  if (!parsed.success)
    return faulty(
      ...parsed.error.issues.map((issue) => ({
        words: explainIssue(issue, 'the task'),
        place: placeIn(text, issue.path),
      })),
    );
  const faults = faultsOf(parsed.data, now).map((words) => ({
    words,
    place: placeIn(text, pathOf(/^"([^"]+)"/.exec(words)?.[1] ?? '')),
  }));
  return faults.length > 0 ? faulty(...faults) : { kind: 'good', proposal: parsed.data };
}

/** Returns faults that the schema cannot express. Each names its member first. */
function faultsOf(proposal: TaskProposal, now: Date): string[] {
  const faults = new Date(proposal.deadline) <= now ? ['"deadline" expected a time in the future'] : [];
  try {
    checkComputable(proposal);
    return faults;
  } catch (error) {
    const found =
      error instanceof CodedError
        ? error.faults.map(({ words }) => draftWords(words))
        : [(error as Error).message];
    return [...found, ...faults];
  }
}

function faulty(...faults: readonly Fault[]): CheckedProposal {
  return { kind: 'faulty', faults };
}

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
