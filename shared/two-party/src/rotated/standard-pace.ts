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
 * Ten times what a pencil needs for its decomposition on one core of a server of 2020 that does nothing else, by features and components,
 * and a quarter of a second. A pencil waits twice: `isWhole` has also what C₁ takes, see rootPace().
 */
export function pencilPace(features: number, components: number, isWhole: boolean): number {
  const decomposition = 1e-4 * features ** 3 + 4e-4 * components * features ** 2;
  const root = isWhole ? 2e-4 * features ** 3 : 0;
  return Math.ceil(250 + 10 * (decomposition + root));
}

/** The time for C₁ of a pencil alone, with the decomposition that it comes from. */
export function rootPace(features: number): number {
  return Math.ceil(250 + 10 * 3e-4 * features ** 3);
}

/**
 * The time for contrasts of this number of classes, and for what they are multiplied by before the first
 * product.
 */
export function contrastPace(features: number, classes: number): number {
  return 100 + Math.ceil(10 * 3e-5 * features * classes ** 2);
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
