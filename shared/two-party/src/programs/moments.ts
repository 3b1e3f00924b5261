/** The noisy sums of a task of moments: all of its statistics, as they are. */

import { sumsPace } from '../rotated/standard-pace.ts';
import { STATISTICS } from '../shares.ts';
import type { Opened } from './form.ts';

export const MOMENT_SUMS: Opened = {
  ...STATISTICS,
  // R, V and the number of rows.
  pace: ({ features: { length } }) => sumsPace((length * (length + 1)) / 2 + length + 1),
};
