/** The columns of a task: its features with their ranges, and its label columns. */
import { z } from 'zod';
import type { Immutable } from './immutable.ts';
import { LIMITS } from './limits.ts';

/**
 * Characters, as a class of a regular expression has them, that act on a text instead of standing in it:
 * controls, those that hide or turn text, halves of characters, and ends of lines and paragraphs.
 */
export const ACTING = String.raw`\p{C}\p{Zl}\p{Zp}`;

const Name = z
  .string()
  .min(1)
  .max(128)
  .regex(new RegExp(`^[^${ACTING}]*$`, 'u'), 'expected a name without control characters');

/** The members of a feature. A file of a proposal has more of them. */
export const FEATURE = {
  name: Name.describe("The name of a column in the owners' files. Reveals: nothing."),
  min: z
    .number()
    .describe(
      'The least value: smaller ones are moved to it, and it is mapped to −1. Reveals: itself; write it from domain knowledge, not from the rows.',
    ),
  max: z
    .number()
    .describe(
      'The largest value, at least min: larger ones are moved to it, and it is mapped to 1. Reveals: itself, as min.',
    ),
  logarithmic: z
    .number()
    .positive()
    .optional()
    .describe(
      'Of histogram, with min = −max: bins are logarithmic on both sides of 0, down to this. Left out: equally wide. Reveals: itself, as min.',
    ),
  histogram: Name.optional().describe(
    'Of histogram: the name of one that it shares with features of the same range. Left out: its own. Reveals: counts of these features together alone.',
  ),
  twoValued: z
    .boolean()
    .optional()
    .describe(
      'Whether it takes no value but min and max. Left out: as if it took no other. Reveals: itself.',
    ),
  grain: z
    .union([z.number().positive(), z.literal('cell')])
    .optional()
    .describe(
      'The spacing of its values in its own unit: 1 for whole numbers and codes, 0.1 for one decimal; "cell" for values as fine as they are rounded to. Of the floor, which is the larger the coarser it is. Left out: in exact tasks and those of histogram alone. Reveals: itself.',
    ),
} as const;
export const isRange = ({ min, max }: { readonly min: number; readonly max: number }) => min <= max;

export const FeatureSchema = z.strictObject(FEATURE).refine(isRange, 'expected min <= max');
export type Feature = Immutable<z.infer<typeof FeatureSchema>>;

export const LabellingSchema = z
  .strictObject({
    column: Name.describe("The name of the label column in the owners' files. Reveals: nothing."),
    classes: z
      .array(Name)
      .min(2)
      .max(LIMITS.classes)
      .describe(
        'Every label that a cell may hold, as text, each once; another label is refused. Reveals: the labels; not which of them an owner has.',
      ),
  })
  .refine(({ classes }) => new Set(classes).size === classes.length, 'expected distinct classes');

export type Labelling = Immutable<z.infer<typeof LabellingSchema>>;

/** Returns whether a feature has a member that is of bins, as those of histograms alone may. */
export function isForBins({ logarithmic, histogram }: Feature): boolean {
  return (logarithmic ?? histogram) !== undefined;
}

/** The number of features whose range is more than a single value. */
export function varyingFeatures(features: readonly Pick<Feature, 'min' | 'max'>[]): number {
  return features.filter(({ min, max }) => min < max).length;
}
