/** Records whose figures stand beside each other, made into records of one figure each. */
import type { Tidy } from '../instrument/tidy.ts';

/** A record for each of these columns that a record has: its name is the record's `quantity`, its number stands in `to`. */
export function melted(records: readonly Tidy[], columns: readonly string[], to = 'ms'): Tidy[] {
  return records.flatMap((record) => {
    const others = Object.fromEntries(Object.entries(record).filter(([column]) => !columns.includes(column)));
    return columns.flatMap((quantity) =>
      record[quantity] === undefined ? [] : [{ ...others, quantity, [to]: record[quantity] }],
    );
  });
}
