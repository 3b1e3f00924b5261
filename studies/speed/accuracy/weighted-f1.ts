/** The score of the accuracy benchmark. */

/**
 * Weighted F1 in [0, 1]: per class the harmonic mean of precision and recall, 2 TP / (2 TP + FP + FN), weighted by the
 * class's share of the actual labels. A class that is never predicted rightly has 0; one that does not occur has no weight.
 * @throws RangeError unless there are as many predicted labels as actual ones, and at least one
 */
export function weightedF1(actual: readonly number[], predicted: readonly number[]): number {
  if (actual.length === 0 || actual.length !== predicted.length) {
    throw new RangeError(
      `"predicted" expected as many labels as "actual" has, ${actual.length}, got ${predicted.length}`,
    );
  }
  const classes = [...new Set(actual)];
  const weighted = classes.map((label) => {
    const support = actual.filter((value) => value === label).length;
    const claimed = predicted.filter((value) => value === label).length;
    const right = actual.filter((value, i) => value === label && predicted[i] === label).length;
    // 2 TP + FP + FN = (TP + FN) + (TP + FP), which is positive since the class occurs.
    return support * ((2 * right) / (support + claimed));
  });
  return weighted.reduce((sum, value) => sum + value, 0) / actual.length;
}
