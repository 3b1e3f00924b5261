/** The time that a data user waits with `rotated` before it goes on, by public sizes alone. */

/**
 * About twice or more what the slowest matrix took that was found, by features and components, in a process that has just started and has
 * rehearsed: eigenvalues 2^−43 of the largest apart, which take the most steps of refinement. That is three times or more what a matrix of
 * one direction and noise took, whose result is refused, and than the longest of runs on data. Milliseconds on a quiet core, slowest and
 * refused: 26 and 18 for 34 and 15, 57 and 48 for 34 and 32, 228 and 135 for 100 and 15, 1088 and 586 for 200 and 15. 0.14 s for 34 and 15,
 * 0.57 s for 100, 2.1 s for 200.
 */
export function turnedPace(features: number, components: number): number {
  return Math.ceil(3 * (30 + 1e-5 * features ** 3 + 1e-3 * components * features ** 2));
}

/**
 * The three waits of a pencil, of the classes of each labelling, with squares of roots of all of them or not: from the numbers of rows to the first product, from M to C₁, and
 * from Y to the directions. Each is about twice what a process that has just started, and has rehearsed, took for the slowest matrix that
 * was found on a core that others shared, and six times what it took for the directions of usual ones. Milliseconds for C₁, slowest: 24 for 34
 * features, 240 for 71, 214 for 100, 1265 for 200; for the directions of 55 components of 71, slowest and usual, 406 and 111. 0.14, 0.34 and
 * 0.71 s for 71 features, 56 classes and 55 components. `whole` is what a pace that is asked for stands for.
 */
export function pencilPaces(
  features: number,
  classes: readonly number[],
  isSquared: boolean,
  components: number,
) {
  const [first = 0] = classes;
  // The sums without noise that a floor asks for have roots as well.
  const own = classes.reduce((sum, count) => sum + count ** 2, 0);
  const entries = isSquared && classes.length < 2 ? own + first ** 2 : isSquared ? own : first ** 2;
  const contrasts = Math.ceil(100 + 2e-4 * features * entries);
  const root = Math.ceil(2.5 * (40 + 1.6e-4 * features ** 3 + 8e-3 * features ** 2));
  const decomposition = Math.ceil(2 * (39 + 3e-5 * features ** 3 + 1.1e-3 * components * features ** 2));
  return { contrasts, root, decomposition, whole: root + decomposition };
}

/**
 * The three waits of a sketch: from the numbers that are opened first to the first product, from M to C₁, and
 * from M₂ to the directions. Each is three times or more what a process takes that has just started, on a
 * quiet core of a server of 2020; but the first, in which the CSP draws its secrets and the first product
 * waits for it, a fifth more than both take. For 60 columns and 20 components 0.95, 0.41 and 0.33 s at 1,024
 * features, 1.7, 0.41 and 0.57 s at 4,096. `whole` is from the last message to the end of the task, and what
 * a pace that is asked for stands for.
 */
export function sketchPaces(features: number, columns: number, components: number) {
  const entries = features * columns;
  const centring = Math.ceil(700 + 4e-3 * entries);
  const root = Math.ceil(150 + 1.2e-3 * columns ** 3);
  const decomposition = Math.ceil(
    100 + 3e-4 * columns ** 3 + 1.2e-3 * components * columns ** 2 + 1.3e-3 * entries,
  );
  return { centring, root, decomposition, whole: root + decomposition };
}

/** The time for what follows from this number of sums of a histogram task: 3.7 s for 34,850. */
export function sumsPace(sums: number): number {
  return 250 + Math.ceil(sums / 10);
}
