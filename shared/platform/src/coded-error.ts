/**
 * The one class of errors that carry a code. A package has one table of its codes; whoever shows an error
 * words it for its reader.
 */
import { joined, Words } from './words.ts';

/** Facts about a code that are known before anything goes wrong. */
export interface CodeInfo {
  /** The meaning of the code, in words that never vary. */
  readonly title: string;
  /**
   * The HTTP status with which it leaves a service. A code without one does not leave the program that it
   * arises in.
   */
  readonly status?: number;
  /**
   * The way in which a command line ends with it, where the status does not say so: `usage` where its user
   * can correct the command or a file.
   */
  readonly exit?: 'usage' | 'refused' | 'unavailable';
}

export interface Code<Name extends string = string> extends CodeInfo {
  readonly code: Name;
}

/** The codes of a package, by their names. */
export type Codes<Name extends string = string> = Readonly<Record<Name, Code<Name>>>;

/**
 * The table of a package's codes. A code that several packages use stands in the lowest one's; the others
 * take it over.
 * @example
 * import { CodedError, codes } from '@eigenveil/platform';
 *
 * const KEY_CODES = codes({ ERR_KEY_LOST: { status: 404, title: 'There is no such key' } });
 * new CodedError(KEY_CODES.ERR_KEY_LOST, 'expected a key').code; // → 'ERR_KEY_LOST'
 */
export function codes<const Table extends Readonly<Record<`ERR_${string}`, CodeInfo>>>(
  table: Table,
): { readonly [Name in keyof Table & string]: { readonly code: Name } & Table[Name] } {
  const entries = Object.entries<CodeInfo>(table).map(([code, info]) => [code, { code, ...info }]);
  return Object.fromEntries(entries);
}

/** One thing that is wrong, and where. */
export interface Fault {
  /** Members and indices from the outside in; empty for the value as a whole. */
  readonly path: readonly PropertyKey[];
  readonly words: Words | string;
}

/**
 * Facts that an error tells programs beside its code. They are never a secret or a value of somebody's data.
 */
export interface ErrorParameters {
  /** Everything that is wrong, where it is more than one thing or has a place. */
  readonly faults?: readonly Fault[];
  /** The seconds after which the same may be asked again. */
  readonly retryAfterSeconds?: number;
  /** The code (ERR_…) of what made the other end give up. */
  readonly reason?: string;
  /** True where a service has told the error: its message is the service's, and a page words it by the code. */
  readonly toldByService?: true;
}

/**
 * An error with a stable code. Its message may reach a peer, a log or a reader, so it must never carry a
 * secret, a key or a value of somebody's data.
 */
export class CodedError<Name extends string = string> extends Error {
  override readonly name = 'CodedError';
  readonly code: Name;
  /** The entry of the code's table. */
  readonly info: Code<Name>;
  /** The message in parts, for surfaces that have words of their own. */
  readonly words: Words;
  readonly parameters: ErrorParameters;

  /** @param words may be left out where the faults say it all */
  constructor(
    info: Code<Name>,
    words: Words | string,
    { cause, ...parameters }: ErrorOptions & ErrorParameters = {},
  ) {
    super(String(words), cause === undefined ? undefined : { cause });
    this.code = info.code;
    this.info = info;
    this.words = words instanceof Words ? words : new Words([words]);
    this.parameters = parameters;
  }

  get status(): number | undefined {
    return this.info.status;
  }

  /** Everything that is wrong: one fault without a place where the error names none. */
  get faults(): readonly Fault[] {
    return this.parameters.faults ?? [{ path: [], words: this.words }];
  }
}

/** An error of many faults, whose message is all of them. */
export function faulty<Name extends string>(
  info: Code<Name>,
  faults: readonly Fault[],
  options: ErrorOptions = {},
): CodedError<Name> {
  const all = joined(
    faults.map((fault) => fault.words),
    '; ',
  );
  return new CodedError(info, all, { ...options, faults });
}

/**
 * Runs checks none of which rests on another.
 * @throws what the one check throws that refuses; of several their faults as one error, with the code of the
 *   first
 */
export function checkAll(...checks: readonly (() => void)[]): void {
  const errors = checks.flatMap((check) => {
    try {
      check();
      return [];
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      return [error];
    }
  });
  const [first, ...more] = errors;
  if (first === undefined) return;
  throw more.length === 0
    ? first
    : faulty(
        first.info,
        errors.flatMap(({ faults }) => faults),
      );
}

/** Says whether an error is one of a table's. */
export function isOf<Name extends string>(table: Codes<Name>, error: unknown): error is CodedError<Name> {
  return error instanceof CodedError && Object.hasOwn(table, error.code);
}
