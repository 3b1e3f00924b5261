/** Data directories of running processes, looked at from outside: what their files hold at each moment, and what their own keys open. */
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile, loadOrCreateKeyRing, Sealer } from '@eigenveil/server';
import type { FileState, Named } from './view.ts';

/** Every content that the files of a folder have had, as far as somebody looked. */
export class WatchedDirectory {
  readonly folder: string;
  readonly #states = new Map<string, { readonly stamp: string; readonly contents: FileState[] }>();

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Reads what has changed; returns whether anything has. */
  look(at: number): boolean {
    if (!existsSync(this.folder)) return false;
    let changed = false;
    for (const name of readdirSync(this.folder)) {
      if (name.endsWith('-shm')) continue; // SQLite's index of its log: numbers of pages, no content
      if (this.#lookAt(name, at)) changed = true;
    }
    return changed;
  }

  /** A draft loses its name at any moment: its file is opened once, and what is read is of what was opened. */
  #lookAt(name: string, at: number): boolean {
    const file = openUnlessGone(join(this.folder, name));
    if (file === undefined) return false;
    try {
      const { size, mtimeNs } = fstatSync(file, { bigint: true });
      const stamp = `${size} ${mtimeNs}`;
      const known = this.#states.get(name);
      if (known?.stamp === stamp) return false;
      const bytes = readFileSync(file);
      const earlier = known?.contents ?? [];
      const last = earlier.at(-1);
      // Logs mostly grow: what begins with what was there before takes its place.
      if (last !== undefined && bytes.subarray(0, last.bytes.length).equals(last.bytes)) earlier.pop();
      this.#states.set(name, { stamp, contents: [...earlier, { at, name, bytes }] });
      return true;
    } finally {
      closeSync(file);
    }
  }

  /** The states in order of time; files of keys are apart. */
  states(): { files: FileState[]; keys: Named[] } {
    const all = [...this.#states.values()].flatMap(({ contents }) => contents).sort((a, b) => a.at - b.at);
    const [keys, files] = [all.filter(({ name }) => isKey(name)), all.filter(({ name }) => !isKey(name))];
    return { files, keys: keys.map(({ name, bytes }) => ({ name, bytes })) };
  }
}

function openUnlessGone(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The files of keys of services and owners: signing and data keys, key-encryption keys, an operator's token, an owner's enrolment. */
const KEY_FILE = /(?:-key(?:\.json)?|-token|^enrolment\.json)$/;
const isKey = (name: string) => KEY_FILE.test(name);

/** A column of secrets, and what a value of it is sealed for. */
interface SealedColumn {
  readonly name: string;
  readonly table: string;
  readonly column: string;
  readonly place: (taskId: string) => string;
}

/** The secrets that a service keeps sealed while a task runs, opened by its own key whenever somebody looks. */
export class OpenedSecrets {
  readonly #directory: WatchedDirectory;
  readonly #columns: readonly SealedColumn[];
  readonly #sealer: Sealer;
  readonly #opened = new Map<string, Buffer>();

  private constructor(directory: WatchedDirectory, columns: readonly SealedColumn[], sealer: Sealer) {
    this.#directory = directory;
    this.#columns = columns;
    this.#sealer = sealer;
  }

  /** Opens the secrets of a service that runs, and so has made its key. */
  static async of(directory: WatchedDirectory, columns: readonly SealedColumn[]): Promise<OpenedSecrets> {
    const ring = await loadOrCreateKeyRing(join(directory.folder, 'key-encryption-key'));
    return new OpenedSecrets(directory, columns, new Sealer(...ring));
  }

  look(): void {
    const db = new DatabaseSync(databaseFile(this.#directory.folder), { readOnly: true });
    try {
      for (const { name, table, column, place } of this.#columns) {
        const sql = `SELECT task_id, ${column} AS sealed FROM ${table} WHERE ${column} IS NOT NULL`;
        for (const { task_id, sealed } of db.prepare(sql).all()) {
          this.#opened.set(
            name,
            Buffer.from(this.#sealer.open(place(String(task_id)), sealed as Uint8Array)),
          );
        }
      }
    } finally {
      db.close();
    }
  }

  /** The last value that was seen. */
  get(name: string): Buffer | undefined {
    return this.#opened.get(name);
  }
}

/** The state of a task in the CSP's database. */
export function taskState(folder: string, taskId: string): unknown {
  const db = new DatabaseSync(databaseFile(folder), { readOnly: true });
  try {
    return db.prepare('SELECT state FROM tasks WHERE task_id = ?').get(taskId)?.state;
  } finally {
    db.close();
  }
}

/** Within services/csp/src/store/store.ts; a place that has changed does not open. */
export const CSP_SECRETS: readonly SealedColumn[] = [
  {
    name: 'Paillier secret key',
    table: 'tasks',
    column: 'sealed_secret_key',
    place: (taskId) => `csp/tasks/${taskId}/secret_key`,
  },
  {
    name: 'shares',
    table: 'tasks',
    column: 'sealed_shares',
    place: (taskId) => `csp/tasks/${taskId}/shares`,
  },
  {
    name: 'answer seed',
    table: 'answers',
    column: 'sealed_seed',
    place: (taskId) => `csp/tasks/${taskId}/answer`,
  },
];

/** Within services/data-user/src/store/store.ts. */
export const DATA_USER_SECRETS: readonly SealedColumn[] = [
  {
    name: 'drawn',
    table: 'tasks',
    column: 'sealed_blinding',
    place: (taskId) => `data-user/tasks/${taskId}/blinding`,
  },
  {
    name: 'answer seed',
    table: 'answers',
    column: 'sealed_seed',
    place: (taskId) => `data-user/tasks/${taskId}/answer`,
  },
];
