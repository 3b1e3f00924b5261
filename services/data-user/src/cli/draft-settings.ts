/**
 * The settings of the commands below `task draft`: those that a method has of its own, and those that drafts have
 * in common, as far as they fit the method.
 */
import type { Configuration, Setting, Settings } from '@eigenveil/command';
import { draftingOf, METHODS, type MethodName, Output, TwoPartyName } from '@eigenveil/methods/schema';
import {
  CONSENT_OPTIONS,
  IGNORED_COLUMNS,
  READING_OPTIONS,
  ROWS_FILE,
} from '@eigenveil/statistics/reading-options';
import { ClosesWhen, USUAL_DELTA } from '@eigenveil/task/schema';
import { z } from 'zod';
import { CLIENT_SETTINGS } from './settings.ts';

/** The settings of all drafts. */
const TITLE = {
  title: {
    schema: z.string().optional(),
    description:
      'name of the task for people, which becomes public and is signed, at most 80 characters (default: none, the id alone)',
    placeholder: 'TEXT',
  },
} as const;

const SAMPLE = {
  data: {
    schema: z.string().min(1),
    ...ROWS_FILE,
  },
  ignore: IGNORED_COLUMNS,
  range: {
    schema: z.tuple([z.number(), z.number()]).optional(),
    description:
      'range of all features, as a JSON list: [0, 255] (default: of each column what the file has)',
    placeholder: 'LIST',
  },
} as const;

const SIZES = {
  owners: {
    schema: z.int().min(2),
    description: 'largest number of owners',
    placeholder: 'NUMBER',
  },
  minimumOwners: {
    schema: z.int().min(2).optional(),
    description: 'fewest owners whose contributions are decrypted (default: half of --owners)',
    placeholder: 'NUMBER',
  },
  maximumSamples: {
    schema: z.int().min(1).optional(),
    description:
      "largest number of samples per owner (default: ten times the file's rows, rounded up, at least 1000)",
    placeholder: 'NUMBER',
  },
  hours: {
    schema: z.int().min(1),
    description: 'hours until the deadline',
    default: 72,
    placeholder: 'NUMBER',
  },
  closes: {
    schema: z.array(ClosesWhen),
    description:
      'when the task closes without the operator: deadline, full (as many owners as there may be), or both with a comma between (default: never)',
    default: [],
    placeholder: 'LIST',
  },
} as const;

const COMPONENTS = {
  components: {
    schema: z.int().min(1),
    description: 'number of components',
    placeholder: 'NUMBER',
  },
} as const;

const LABELS = {
  label: {
    schema: z.array(z.string()),
    description: 'label column; several (of mdr) by as many flags, with commas between, or as a JSON list',
    default: [],
    placeholder: 'NAME',
  },
} as const;

/** The settings of methods that sum values, and do not count them. */
const VALUES = {
  grain: {
    schema: z.array(z.string()),
    description:
      'how far apart values of a feature lie, as NAME=STEP in its unit, or NAME=cell for values as fine as they are rounded to; * in NAME for any text; several by as many flags, with commas between, or as a JSON list (default: what the file shows)',
    default: [],
    placeholder: 'NAME=STEP|cell',
  },
  releases: {
    schema: z.int().min(1).max(1000).optional(),
    description:
      'for how many results over the same rows the floor is to stand: its noise grows with the square root (default: 2)',
    placeholder: 'NUMBER',
  },
  fractionBits: {
    schema: z.int().min(1).max(20).optional(),
    description:
      "binary digits to which owners round scaled values (default: the fewest of 14, 16, 18 and 20 that turn the sample's components by at most 0.001 rad; 14 where none does)",
    placeholder: 'NUMBER',
  },
  rangesFrom: {
    schema: z.string().optional(),
    description:
      'take the ranges from the noisy counts of this task, a histogram, which is done; asks the running service',
    placeholder: 'TASK',
  },
  lower: {
    schema: z.number(),
    description: 'of --ranges-from: the share of the rows below a range',
    default: 0.005,
    placeholder: 'NUMBER',
  },
  upper: {
    schema: z.number(),
    description: 'of --ranges-from: the share of the rows up to the end of a range',
    default: 0.995,
    placeholder: 'NUMBER',
  },
} as const;

/** The settings of methods that the servers compute together, from sums with a floor or without. */
const COMPUTED = {
  keep: {
    schema: z.array(z.string()),
    description:
      'columns to keep although they follow from others, such as copies or the last one of a one-hot group, with commas between, or as a JSON list (default: such columns are left out, and named)',
    default: [],
    placeholder: 'LIST',
  },
  exact: {
    schema: z.boolean(),
    description:
      'draft an exact task, without the floor: the whole scatter matrix may follow from its result; consents with --allow-full-rank, too',
    default: false,
  },
  outputs: {
    schema: z.array(Output),
    description: `what the result has beyond vectors and eigenvalues, with commas between: ${Output.options.join(', ')}`,
    default: [],
    placeholder: 'LIST',
  },
  allowFullRank: {
    schema: z.boolean(),
    description: 'consent to a result that tells the whole scatter matrix',
    default: false,
  },
  twoParty: {
    schema: TwoPartyName,
    description:
      'two-party protocol: garbled; rotated, which reveals all eigenvalues and the numbers of rows (dca, lda, mdr: by class), of a correlation matrix also all variances; or simulated, which is NOT private',
    default: 'garbled',
    placeholder: 'NAME',
  },
  basis: {
    schema: z.string().optional(),
    description: 'draft a task over the components of this one, which is done; asks the running service',
    placeholder: 'TASK',
  },
} as const;

const PRIVACY = {
  epsilon: {
    schema: z.number().positive().optional(),
    description: 'ε of differential privacy (default: none)',
    placeholder: 'NUMBER',
  },
  delta: {
    schema: z.number().min(0),
    description: 'δ of differential privacy; of histogram also 0, for discrete Laplace noise',
    default: USUAL_DELTA,
    placeholder: 'NUMBER',
  },
} as const;

/** The settings of two tasks that share ε. */
const SHARED_PRIVACY = {
  meanFirst: {
    schema: z.boolean(),
    description: 'draft the first of two tasks that share ε: it releases the mean',
    default: false,
  },
  around: {
    schema: z.string().optional(),
    description: 'draft the second of two tasks: ranges around the mean in the result of the first',
    placeholder: 'FILE',
  },
} as const;

const READING = {
  ...READING_OPTIONS,
  allowClipping: CONSENT_OPTIONS.allowClipping,
  ...CLIENT_SETTINGS,
} as const;

/** All settings that drafts have in common. */
export const COMMON = {
  ...SAMPLE,
  ...TITLE,
  ...LABELS,
  ...COMPONENTS,
  ...SIZES,
  ...PRIVACY,
  ...SHARED_PRIVACY,
  ...VALUES,
  ...COMPUTED,
  ...READING,
} as const;

/** The settings of `task draft regrain`. */
export const REGRAIN_SETTINGS = {
  data: SAMPLE.data,
  ignore: SAMPLE.ignore,
  grain: VALUES.grain,
  ...READING_OPTIONS,
} as const;

/** The settings of a method's drafts. */
export function settingsOf(name: MethodName): Settings {
  const { isLinear, labellings } = METHODS[name];
  const { flags, hasComponents, takesEpsilon, countsValues } = draftingOf(name);
  return {
    ...flags,
    ...SAMPLE,
    ...TITLE,
    ...(labellings > 0 && LABELS),
    ...(hasComponents && COMPONENTS),
    ...SIZES,
    ...(takesEpsilon && PRIVACY),
    ...(takesEpsilon && !isLinear && SHARED_PRIVACY),
    ...(countsValues !== true && VALUES),
    ...(!isLinear && COMPUTED),
    ...READING,
  };
}

export type DraftConfiguration = Configuration<typeof COMMON>;

/** Returns the settings that drafts have in common; those that the method does not have are as if nobody gave them. */
export function commonOf(given: Configuration<Settings>): DraftConfiguration {
  const usual = Object.entries<Setting>(COMMON).map(([name, it]) => [name, it.default]);
  return { ...Object.fromEntries(usual), components: 0, ...given } as DraftConfiguration;
}

/** Returns the values of a method's own flags. */
export function flagsOf(name: MethodName, given: Configuration<Settings>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.keys(METHODS[name].draft.flags).map((flag) => [flag, given[flag]]));
}
