/** The mean and the deviation of scores. */
interface Moments {
  readonly mean: number;
  /** Of a sample: the squares are divided by one less than their number. Undefined for a single score. */
  readonly deviation: number | undefined;
}

/** Undefined without scores. */
export function momentsOf(scores: readonly number[]): Moments | undefined {
  if (scores.length === 0) return undefined;
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  const squares = scores.reduce((sum, score) => sum + (score - mean) ** 2, 0);
  return { mean, deviation: scores.length > 1 ? Math.sqrt(squares / (scores.length - 1)) : undefined };
}
