/** Values that lie sealed in a database, sealed anew under another key. */
import { erasing, named, rowOf, rowsOf, sql, type Work } from '../database/sql.ts';

/** Where sealed values lie. The names come from the code, never from outside. */
export interface SealedColumn {
  readonly table: string;
  readonly key: string;
  readonly column: string;
  /** The place for which the value of a row was sealed. */
  readonly place: (key: string) => string;
}

/** What SealedStore.reseal does, for all columns: one value in memory at a time, and each change a transaction. */
export function* resealColumns(
  columns: readonly SealedColumn[],
  change: (place: string, sealed: Uint8Array) => Uint8Array,
): Work<number> {
  let changes = 0;
  for (const { place, ...names } of columns) {
    const [table, key, column] = [named(names.table), named(names.key), named(names.column)];
    const rows = yield* rowsOf<{ name: string }>(
      sql`SELECT ${key} AS name FROM ${table} WHERE ${column} IS NOT NULL`,
    );
    for (const { name } of rows) {
      const row = yield* rowOf<{ sealed: Uint8Array | null }>(
        sql`SELECT ${column} AS sealed FROM ${table} WHERE ${key} = ${name}`,
      );
      if (row?.sealed == null) continue; // destroyed meanwhile
      const changed = change(place(name), row.sealed);
      if (changed === row.sealed) continue;
      // What an old key opens must not remain.
      const { count } = yield erasing`
        UPDATE ${table} SET ${column} = ${changed} WHERE ${key} = ${name} AND ${column} = ${row.sealed}`;
      changes += count;
    }
  }
  return changes;
}
