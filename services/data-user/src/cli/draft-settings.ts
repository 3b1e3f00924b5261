/** The settings of the command `task draft`. */
import { LIMITS, Output, Scale, TwoPartyName } from '@eigenveil/methods';
import {
  CONSENT_OPTIONS,
  IGNORED_COLUMNS,
  READING_OPTIONS,
  ROWS_FILE,
} from '@eigenveil/statistics/reading-options';
import { ClosesWhen, USUAL_DELTA } from '@eigenveil/task/schema';
import { z } from 'zod';
import { CLIENT_SETTINGS } from './settings.ts';

export const DRAFT_SETTINGS = {
  data: {
    schema: z.string().min(1),
    ...ROWS_FILE,
  },
  method: {
    schema: z.enum(['pca', 'dca', 'lda', 'mdr', 'ridge', 'histogram']),
    description:
      'pca, dca, lda or mdr; ridge: regression of one column on the others (docs/ridge.md); or histogram: noisy counts by bins (docs/histograms.md)',
    default: 'pca',
    placeholder: 'METHOD',
  },
  scale: {
    schema: Scale.optional(),
    description: 'of pca: covariance, or correlation, which standardises the features (default: covariance)',
    placeholder: 'SCALE',
  },
  form: {
    schema: z.enum(['standard', 'book']).optional(),
    description: 'of dca: standard, or book, which has as many components as features (default: standard)',
    placeholder: 'FORM',
  },
  ridge: {
    schema: z.number().min(0).optional(),
    description: 'ρ of dca, lda, mdr and ridge, in units of the scatter of features in [−1, 1] (default: 1)',
    placeholder: 'NUMBER',
  },
  signalRidge: {
    schema: z.number().optional(),
    description: 'ρ′ of dca (default: 0)',
    placeholder: 'NUMBER',
  },
  target: {
    schema: z.string().min(1).optional(),
    description: 'of ridge: the column that is predicted from the others',
    placeholder: 'NAME',
  },
  label: {
    schema: z.array(z.string()),
    description: 'label column; several (of mdr) by as many flags, with commas between, or as a JSON list',
    default: [],
    placeholder: 'NAME',
  },
  ignore: IGNORED_COLUMNS,
  range: {
    schema: z.tuple([z.number(), z.number()]).optional(),
    description:
      'range of all features, as a JSON list: [0, 255] (default: of each column what the file has)',
    placeholder: 'LIST',
  },
  keep: {
    schema: z.array(z.string()),
    description:
      'columns to keep although they follow from others, such as copies or the last one of a one-hot group, with commas between, or as a JSON list (default: such columns are left out, and named)',
    default: [],
    placeholder: 'LIST',
  },
  grain: {
    schema: z.array(z.string()),
    description:
      'how far apart values of a feature lie, as NAME=STEP in its unit, or NAME=cell for values as fine as they are rounded to; * in NAME for any text; several by as many flags, with commas between, or as a JSON list (default: what the file shows)',
    default: [],
    placeholder: 'NAME=STEP|cell',
  },
  regrain: {
    schema: z.string().min(1).optional(),
    description: 'write this older proposal again, with grains from the file of rows and from --grain',
    placeholder: 'FILE',
  },
  exact: {
    schema: z.boolean(),
    description:
      'draft an exact task, without the floor: the whole scatter matrix may follow from its result; consents with --allow-full-rank, too',
    default: false,
  },
  releases: {
    schema: z.int().min(1).max(1000).optional(),
    description:
      'for how many results over the same rows the floor is to stand: its noise grows with the square root (default: 2)',
    placeholder: 'NUMBER',
  },
  components: {
    schema: z.int().min(1).optional(),
    description: 'number of components, of all methods but ridge and histogram',
    placeholder: 'NUMBER',
  },
  height: {
    schema: z.int().min(2).max(12),
    description: 'of histogram: h, for 2^h bins of each feature',
    default: 10,
    placeholder: 'NUMBER',
  },
  workload: {
    schema: z.enum(['prefixes', 'ranges', 'counts']),
    description:
      'of histogram: what its strategy shall suit: prefixes (quantiles), ranges, or counts of single bins',
    default: 'prefixes',
    placeholder: 'NAME',
  },
  logarithmic: {
    schema: z.number().positive().optional(),
    description: 'of histogram: logarithmic bins on both sides of 0, down to this magnitude',
    placeholder: 'NUMBER',
  },
  sketch: {
    schema: z.boolean(),
    description: 'of pca: a sketch, for hundreds or thousands of features (docs/sketches.md)',
    default: false,
  },
  sketchColumns: {
    schema: z.int().min(3).max(LIMITS.sketchColumns).optional(),
    description: 'columns of the sketch (default: 3 times the components and 10, at most 80)',
    placeholder: 'NUMBER',
  },
  refine: {
    schema: z.string().optional(),
    description:
      'draft a sketch that refines the result of this task, which is done: its vectors are the first columns; asks the running service',
    placeholder: 'TASK',
  },
  fractionBits: {
    schema: z.int().min(1).max(20).optional(),
    description:
      "binary digits to which owners round scaled values (default: the fewest of 14, 16, 18 and 20 that turn the sample's components by at most 0.001 rad; 14 where none does)",
    placeholder: 'NUMBER',
  },
  owners: {
    schema: z.int().min(2).optional(),
    description: 'largest number of owners, of all drafts but --regrain',
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
  twoParty: {
    schema: TwoPartyName,
    description:
      'two-party protocol: garbled; rotated, which reveals all eigenvalues and the numbers of rows (dca, lda, mdr: by class), of a correlation matrix also all variances; or simulated, which is NOT private',
    default: 'garbled',
    placeholder: 'NAME',
  },
  serverLine: {
    schema: z.literal('fast').optional(),
    description:
      'of rotated: fast, where the line between both servers carries more than 1.5 Gbit/s: a third more bytes, a fifth less processor time (default: fewer bytes)',
    placeholder: 'KIND',
  },
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
  basis: {
    schema: z.string().optional(),
    description: 'draft a task over the components of this one, which is done; asks the running service',
    placeholder: 'TASK',
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
  ...READING_OPTIONS,
  allowClipping: CONSENT_OPTIONS.allowClipping,
  ...CLIENT_SETTINGS,
} as const;
