/**
 * The part of an owner's policy for owners that give many answers over the same rows, as those of tests, demos, studies and benchmarks do. Their rows are made up,
 * or public. With private rows it would say that results may be compared with each other without end.
 */
export const MANY_ANSWERS = { answers: { rotated: 1_000_000, wholes: 1_000_000 } } as const;
