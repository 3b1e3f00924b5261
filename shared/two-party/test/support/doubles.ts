/** Small matrix algebra in doubles. */

export type Doubles = readonly (readonly number[])[];

export const times = (a: Doubles, b: Doubles): number[][] =>
  a.map((row) => b[0]!.map((_, j) => row.reduce((sum, entry, k) => sum + entry * b[k]![j]!, 0)));

export const transposed = (a: Doubles): number[][] => a[0]!.map((_, j) => a.map((row) => row[j]!));
