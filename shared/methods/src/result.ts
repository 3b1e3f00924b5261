/** The form of a kind of results: what a result of it has that no other kind has. */
import { z } from 'zod';

export interface ResultForm<Kind extends string = string, Members extends z.ZodRawShape = z.ZodRawShape> {
  readonly kind: Kind;
  /** The members of its signed form that no other kind of results has. */
  readonly members: Members;
  /** The words for what is expected of these members in a result of another kind. */
  readonly elsewhere: string;
}

export const COMPONENTS_FORM = {
  kind: 'components',
  members: {},
  elsewhere: 'none of a result without vectors',
} as const satisfies ResultForm;

/** Weights and an intercept for features in [−1, 1]: a weight for each but the last, which is predicted. */
export const REGRESSION_FORM = {
  kind: 'regression',
  members: { regression: z.strictObject({ weights: z.array(z.number()), intercept: z.number() }) },
  elsewhere: 'one of a method that predicts, and none of other methods',
} as const satisfies ResultForm;

/** One histogram as both servers' noise leaves it. */
const ReleasedHistogram = z.strictObject({
  /** The feature's, or what features that share it name. */
  name: z.string(),
  /** The strategy's sums of counts with noise, integers, in the order of the strategy. */
  coefficients: z.array(z.int()),
  /** Cells that are no number, with noise. */
  unreadable: z.int(),
  /** The counts of the bins, restored by least squares: unbiased, of either sign, and not whole. */
  counts: z.array(z.number()),
  /**
   * The upper edge of the bin that the quantile q of readable cells lies in, and edges that it lies between,
   * in the features' own units; none where noise leaves no rows.
   */
  quantiles: z.array(z.strictObject({ q: z.number(), value: z.number(), from: z.number(), to: z.number() })),
});
export type ReleasedHistogram = z.infer<typeof ReleasedHistogram>;

export const COUNTS_FORM = {
  kind: 'counts',
  members: {
    /** Everything else follows from the coefficients. */
    histograms: z.array(ReleasedHistogram),
    /** The number of rows by these counts, and the deviation of its noise. */
    privateRows: z.strictObject({ rows: z.number(), deviation: z.number() }),
  },
  elsewhere: 'none of a projection',
} as const satisfies ResultForm;
