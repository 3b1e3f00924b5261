/** The parameters of a histogram, as a task has them. */
import { z } from 'zod';
import type { Immutable } from '../immutable.ts';

export const HistogramParameters = z.strictObject({
  kind: z
    .literal('histogram')
    .describe(
      'Noisy counts of each feature by bins: by linear, with differential privacy and 0 components. Reveals: these counts, with the noise of both servers.',
    ),
  height: z
    .int()
    .min(2)
    .max(12)
    .describe(
      'h: each range is cut into 2^h bins; values beyond it count in the first or last, a value that is not a number counts in a bin of its own. Reveals: nothing.',
    ),
  strategy: z
    .enum(['flat', 'tree', 'privelet'])
    .describe(
      'Which sums of counts take noise: of bins, of the nodes of a tree, or the Haar wavelet. Reveals: nothing.',
    ),
  fanouts: z
    .array(z.int().min(2).max(2048))
    .min(2)
    .max(12)
    .optional()
    .describe(
      'Of tree: how many children nodes have, from the bins up; their product is 2^h. Reveals: nothing.',
    ),
});
export type HistogramParameters = Immutable<z.infer<typeof HistogramParameters>>;
