/** The values of members of a task that methods ask for. */
import { z } from 'zod';

export const Output = z.enum(['mean', 'trace', 'sampleCount', 'spectrum', 'classCounts', 'variances']);
export type Output = z.infer<typeof Output>;

export const TwoPartyName = z.enum(['garbled', 'rotated', 'linear', 'simulated']);
export type TwoPartyName = z.infer<typeof TwoPartyName>;

/** The part of a task that says which method it is, and with which parameters. */
export interface MethodOf<Parameters> {
  readonly method: Parameters;
  readonly sketch?: SketchParameters | undefined;
}

export interface SketchParameters {
  readonly columns: number;
  readonly refine?: string | undefined;
}

const RIDGE_TEXT =
  'ρ, which is added to the noise matrix, in units of the undivided scatter of features in [−1, 1]: large against what should not decide, small against the scatter of all rows. For mdr more than 0. Reveals: nothing.';
export const Ridge = z.number().min(0).max(1e12).describe(RIDGE_TEXT);
