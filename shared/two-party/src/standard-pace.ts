/** How long a data user waits with `rotated` before it goes on, by public sizes alone. */

/**
 * Ten times what `rotated` needs for its decomposition on one core of a server of 2020 that does nothing else, by features and components, and a
 * quarter of a second: 0.36 s for 34 and 15, 0.5 s for 50 and 15, 11 s for 200 and 15. For a pencil, which waits twice, also what C₁ takes: see rootPace().
 */
export function standardPace(features: number, components: number, isPencil = false): number {
  const decomposition = 1e-4 * features ** 3 + 4e-4 * components * features ** 2;
  const root = isPencil ? 2e-4 * features ** 3 : 0;
  return Math.ceil(250 + 10 * (decomposition + root));
}

/** The same for C₁ of a pencil or a sketch alone, with the decomposition that it comes from. */
export function rootPace(features: number): number {
  return Math.ceil(250 + 10 * 3e-4 * features ** 3);
}

/** The same for contrasts of so many classes, and for what they are multiplied by before the first product. */
export function contrastPace(features: number, classes: number): number {
  return 100 + Math.ceil(10 * 3e-5 * features * classes ** 2);
}

/**
 * For a sketch of so many features and columns, from the numbers that are opened first to the first product: ten times what taking the mean off takes, and twice all
 * that is made ready besides. 0.46 s for 1,024 and 60, 1.4 s for 4,096 and 60.
 */
export function centringPace(features: number, columns: number): number {
  return 150 + Math.ceil((10 * 3e-4 + 2 * 1e-3) * features * columns);
}

/** The same for what follows from so many sums of a histogram task: 3.7 s for 34,850. */
export function sumsPace(sums: number): number {
  return 250 + Math.ceil(sums / 10);
}
