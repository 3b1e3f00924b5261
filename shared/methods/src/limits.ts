/** Sizes that the services support; larger tasks are refused when they are proposed. */
export const LIMITS = {
  features: 200,
  /** The limit of a PCA by `rotated`. */
  turnedFeatures: 400,
  /** The limit of a task with `sketch`, and of histograms that features share. */
  sketchedFeatures: 10_000,
  /** Bins of all histograms of a task. */
  bins: 262_144,
  sketchColumns: 80,
  classes: 100,
  owners: 10_000_000,
  samplesPerOwner: 1_000_000_000,
  /** Tasks of a chain. */
  links: 4,
} as const;

export const DEFAULT_FRACTION_BITS = 14;

/**
 * From 2^-1, where a feature still has five values, to 2^-20, where sums of products still have headroom in a
 * double.
 */
export const FRACTION_BITS = { least: 1, most: 20 } as const;
