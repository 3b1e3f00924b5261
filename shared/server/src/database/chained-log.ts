/**
 * Logs of actions, in which each entry is bound to the one before it by a hash. An entry is appended in
 * SQLite or PostgreSQL within the transaction that does the action, and is verified later. The chain alone
 * cannot show that the latest entries were removed, or that somebody who can write the database computed all
 * of it again: for that a hash is noted elsewhere.
 */
import { DatabaseSync } from 'node:sqlite';
import { CodedError } from '@eigenveil/platform';
import { Digest, digestBytes, digestJson } from '@eigenveil/wire';
import { z } from 'zod';
import { SERVER_CODES } from '../codes.ts';
import { lockTable, named, rowOf, rows, rowsOf, sql, type Work } from './sql.ts';
import { SqliteDriver } from './sql-drivers.ts';

/** The members that every entry has besides its own. */
export const LINK = {
  /** 1, 2, 3, … */
  sequence: z.int().min(1),
  time: z.iso.datetime(),
  previousHash: Digest,
  /** The digest of all other members. */
  hash: Digest,
} as const;
type Link = z.infer<z.ZodObject<typeof LINK>>;

/** The error of a log that is not as honest services have written it. */
export const auditBroken = (what: string) => new CodedError(SERVER_CODES.ERR_AUDIT_BROKEN, what);

/** The digest that the first entry follows. */
const BEGINNING = digestBytes('audit log');
/** The number of entries that are read at a time. */
const PAGE = 1000;

export interface VerifiedLog<Entry> {
  readonly entries: readonly Entry[];
  /** The hash to be noted elsewhere: it vouches for every entry up to now. */
  readonly lastHash: Digest;
}

type Row = Record<string, unknown>;

/**
 * A log in the table `audit`, with columns for its members in this order: sequence, time, its own,
 * previous_hash, hash.
 */
export class ChainedLog<Own extends { readonly [name in keyof Own]: string | null }> {
  readonly #schema: z.ZodType<Own & Link>;
  readonly #own: readonly (keyof Own & string)[];

  /** @param schema of an entry: LINK and the log's own members */
  constructor(schema: z.ZodType<Own & Link>, own: readonly (keyof Own & string)[]) {
    this.#schema = schema;
    this.#own = own;
  }

  /**
   * Adds an entry. It must run within the transaction that does the action of the entry, so that neither
   * exists without the other. Anyone else who appends waits for the end of that transaction, so that nothing
   * comes between two entries.
   */
  *append(time: Date, content: Own): Work<void> {
    yield lockTable('audit');
    const last = sql`SELECT sequence, hash FROM audit ORDER BY sequence DESC LIMIT 1`;
    yield sql`INSERT INTO audit VALUES ${rows([this.#after(yield* rowOf<Row>(last), time, content)])}`;
  }

  /**
   * Reads the entries in their order, as they are in the database file of a service that may be running.
   * Nothing in the file is changed: it is evidence.
   * @throws ERR_DATABASE
   */
  read(path: string): Row[] {
    let db: DatabaseSync | undefined;
    try {
      db = new DatabaseSync(path, { readOnly: true });
      return new SqliteDriver(db).within(this.readAll());
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : 'unknown reason';
      throw new CodedError(
        SERVER_CODES.ERR_DATABASE,
        `"${path}" expected a database with an audit log: ${reason}`,
        {
          cause,
        },
      );
    } finally {
      db?.close();
    }
  }

  /** Reads the entries of an open database in their order, a page at a time. */
  *readAll(): Work<Row[]> {
    const all: Row[] = [];
    for (;;) {
      const last = all.at(-1);
      const after = last === undefined ? sql`` : sql`WHERE sequence > ${Number(last.sequence)}`;
      const page = yield* rowsOf<Row>(
        sql`SELECT ${named(this.#columns)} FROM audit ${after} ORDER BY sequence LIMIT ${PAGE}`,
      );
      all.push(...page);
      if (page.length < PAGE) return all;
    }
  }

  /**
   * Checks that every entry is what was appended, none was removed or put elsewhere, and that the entry with
   * a hash that was noted before is among them. Without a noted hash it cannot be seen that the latest
   * entries were removed, or that somebody has computed the whole log again.
   * @param follow told each entry in its order, to throw ERR_AUDIT_BROKEN for one that an honest service
   *   would not have written
   * @throws ERR_AUDIT_BROKEN, which names the first entry that is wrong
   */
  verify(
    all: readonly Row[],
    noted: Digest | undefined,
    follow: (entry: Own & Link, place: string) => void,
  ): VerifiedLog<Own & Link> {
    let lastHash = BEGINNING;
    let isNotedThere = noted === undefined || noted === BEGINNING;
    const entries = all.map((row, i) => {
      const place = `entry ${i + 1}`;
      const parsed = this.#schema.safeParse({ ...row });
      if (!parsed.success) throw auditBroken(`${place} was changed: it has the wrong form`);
      const { hash, ...content } = parsed.data;
      if (content.sequence !== i + 1)
        throw auditBroken(`${place} has number ${content.sequence}: entries were removed or added`);
      if (content.previousHash !== lastHash)
        throw auditBroken(`${place} does not follow the one before it: it was put here, or that was changed`);
      if (hash !== hashOf(content)) throw auditBroken(`${place} was changed: it has another hash`);
      follow(parsed.data, place);
      lastHash = hash;
      isNotedThere ||= hash === noted;
      return parsed.data;
    });
    if (!isNotedThere)
      throw auditBroken(
        `none of ${entries.length} entries has the noted hash: the latest were removed, or all computed again`,
      );
    return { entries, lastHash };
  }

  /** Returns the columns of an entry that follows the last one. */
  #after(last: Row | undefined, time: Date, content: Own): (string | number | null)[] {
    const own = this.#own.map((name) => [name, content[name]] as const);
    const sequence = Number(last?.sequence ?? 0) + 1;
    const at = time.toISOString();
    const previousHash = (last?.hash as Digest | undefined) ?? BEGINNING;
    const hash = hashOf({ sequence, time: at, ...Object.fromEntries(own), previousHash });
    return [sequence, at, ...own.map(([, value]) => value), previousHash, hash];
  }

  get #columns(): string {
    const names = ['sequence', 'time', ...this.#own, 'previousHash', 'hash'];
    return names.map((name) => `${inSnakeCase(name)} AS "${name}"`).join(', ');
  }
}

function inSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function hashOf(content: object): Digest {
  return digestJson('audit entry', content);
}
