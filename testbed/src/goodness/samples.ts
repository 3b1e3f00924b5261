/** How many samples statistical tests draw: a tenth in every run, and all of them in the long one. */

interface Samples {
  readonly title: string;
  /** Tags of the tests that draw so many. */
  readonly tags: string[];
  /** Whether these are all: only then does an attack come near to what it can prove. */
  readonly whole: boolean;
  /** How many of so many: at least `least`, where fewer would not show what is wrong. */
  of(all: number, least?: number): number;
}

/**
 * Statistical tests stand once, in a loop over these, and are run with either number of samples:
 * `for (const { title, tags, of } of SAMPLES) describe(title, { tags }, () => …)`.
 * @example
 * import { SAMPLES } from '@eigenveil/testbed/goodness/samples';
 *
 * SAMPLES.map(({ of }) => of(20_000)); // → [2000, 20_000]
 */
export const SAMPLES: readonly Samples[] = [
  {
    title: 'a tenth of the samples',
    tags: [],
    whole: false,
    of: (all, least = 1) => Math.min(all, Math.max(least, Math.ceil(all / 10))),
  },
  { title: 'all samples', tags: ['long'], whole: true, of: (all) => all },
];
