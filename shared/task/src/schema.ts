/** The schema of a task: the agreed public parameters of one computation. */
import {
  DEFAULT_FRACTION_BITS,
  DIGEST,
  FEATURE,
  FeatureSchema,
  FRACTION_BITS,
  isRange,
  LabellingSchema,
  LIMITS,
  MethodParameters,
  Output,
  Sketch,
  TwoPartyName,
} from '@eigenveil/methods/schema';
import { z } from 'zod';
import { TaskId, Thumbprint } from './ids.ts';
import { Title } from './title.ts';

/** δ of a draft that says nothing else, and so of the task for which a budget tells what is left. */
export const USUAL_DELTA = 1e-6;

const HONEST_OWNERS = z
  .int()
  .min(1)
  .max(LIMITS.owners)
  .nullable()
  .default(null)
  .describe(
    'With noise of owners: how many of them are relied on to add their part and to keep it to themselves, fewer than minimumOwners; otherwise null. Reveals: with fewer honest ones the guarantee does not hold.',
  );

export const DifferentialPrivacy = z.strictObject({
  epsilon: z
    .number()
    .positive()
    .max(100)
    .describe("ε that the result spends of each row's budget. Reveals: the larger, the more."),
  delta: z
    .number()
    .min(0)
    .max(0.01)
    .describe('δ, well below 1 over the number of rows; of histogram also 0. Reveals: the larger, the more.'),
  neighbours: z
    .enum(['add-remove', 'replace'])
    .describe(
      "Whose result must be nearly the same: that of one row more or less (add-remove), or of one row that is another (replace). Reveals: with replace, a PCA's number of rows takes no noise.",
    ),
  clippingNorm: z
    .number()
    .positive()
    .max(1e6)
    .nullable()
    .describe(
      'Rows of features in [−1, 1] are scaled down to this length; √d for d features never clips, and noise grows with its square. Drafts write √(d/3). Of histogram null. Reveals: itself; do not choose it by the rows.',
    ),
  noise: z
    .enum(['servers', 'csp', 'owners'])
    .default('servers')
    .describe(
      'Who adds noise: each server all that is needed, the CSP alone, or each owner its part. Reveals: with csp nothing is promised against the CSP once it is shown the result.',
    ),
  honestOwners: HONEST_OWNERS,
  dataIndependentRanges: z
    .literal([true, 'rangesFrom'], {
      error: 'expected your consent that ranges do not come from the rows: true, or "rangesFrom"',
    })
    .describe(
      'Consent: ranges and classes come from domain knowledge (true), or classes do, and ranges follow from the result that rangesFrom names, which has a guarantee of its own ("rangesFrom"). Reveals: what is taken from the rows is outside of the guarantee.',
    ),
});
export type DifferentialPrivacy = z.infer<typeof DifferentialPrivacy>;

export const ClosesWhen = z.enum(['deadline', 'full']);
export type ClosesWhen = z.infer<typeof ClosesWhen>;

/**
 * The proposal of a person: everything in a task except its id and its parties, with safe defaults.
 * @example
 * import { TaskProposal } from '@eigenveil/task';
 *
 * const proposal = TaskProposal.parse({
 *   method: { kind: 'pca' },
 *   features: ['age', 'pulse', 'weight'].map((name) => ({ name, min: 0, max: 200 })),
 *   components: 1,
 *   minimumOwners: 5,
 *   maximumOwners: 50,
 *   maximumSamplesPerOwner: 1000,
 *   deadline: '2031-01-01T00:00:00Z',
 * });
 * proposal.keyBits; // → 3072
 */
export const TaskProposal = z.strictObject({
  title: Title.optional().describe(
    'A name by which people know the task, beside its id, in 1 to 80 characters. The CSP signs it with the rest, and a task that renews this one has it, too. Left out: the id alone. Reveals: itself, to the CSP and to everybody who sees the task; write nothing into it that is secret.',
  ),
  method: MethodParameters,
  features: z
    .array(FeatureSchema)
    .min(1)
    .max(LIMITS.sketchedFeatures)
    .describe(
      'The numeric columns, each with its agreed range, which is mapped to [−1, 1]; of a task with a basis its components. garbled computes up to 100, a PCA by rotated up to 400, its other methods 200, and a sketch may have 10,000. Reveals: names and ranges, to everybody who sees the task.',
    ),
  basis: z
    .string()
    .regex(DIGEST, 'expected a digest of 43 characters, as a draft on that result has it')
    .optional()
    .describe(
      'The digest of an earlier result, as the CSP has countersigned it: features are its components, by which owners reduce their rows first. Left out: features are columns. Reveals: that result, to every owner who may contribute; to the CSP, which task it is of.',
    ),
  rangesFrom: z
    .string()
    .regex(DIGEST, 'expected a digest of 43 characters, as a draft with ranges of that histogram has it')
    .optional()
    .describe(
      "The digest of a histogram's result, as the CSP has countersigned it, that the ranges follow from. Left out: they come from elsewhere. Reveals: which task they are of; the guarantee of that task covers what they tell.",
    ),
  labellings: z
    .array(LabellingSchema)
    .max(2)
    .default([])
    .describe(
      'Columns of class labels: none for pca and ridge, one for dca and lda, for mdr the utility labelling and then the privacy labelling. Reveals: their names and labels.',
    ),
  sketch: Sketch.optional(),
  components: z
    .int()
    .min(0)
    .max(LIMITS.features)
    .describe(
      "How many vectors, at most as many as features; of ridge, histogram and moments 0; dca, lda and mdr give at most K − 1 for K classes, except for dca with ρ′ or of the book's form. Reveals: this number of vectors and their eigenvalues, to the data user; nearly as many as features tell the scatter matrix.",
    ),
  fractionBits: z
    .int()
    .min(FRACTION_BITS.least)
    .max(FRACTION_BITS.most)
    .default(DEFAULT_FRACTION_BITS)
    .describe(
      'Values in [−1, 1] are rounded to this number of binary digits after the point. Reveals: nothing.',
    ),
  maximumOwners: z
    .int()
    .min(2)
    .max(LIMITS.owners)
    .describe(
      'Upper bound on owners: slots have room for this many. Reveals: itself; and with differential privacy it limits what a data user that deviates gains, so set it as low as you can.',
    ),
  maximumSamplesPerOwner: z
    .int()
    .min(1)
    .max(LIMITS.samplesPerOwner)
    .describe(
      'Upper bound on the rows of one owner, who does not contribute with more. Reveals: itself, as maximumOwners.',
    ),
  minimumOwners: z
    .int()
    .min(2)
    .max(LIMITS.owners)
    .describe(
      'Fewer contributions than this are never decrypted; owners and the CSP have a least of their own. Reveals: the fewer, the more of each owner.',
    ),
  keyBits: z
    .int()
    .min(1024)
    .max(4096)
    .multipleOf(256)
    .default(3072)
    .describe(
      'Length of the Paillier modulus: 3072 bits are worth 128 bits of security, 2048 only 112 (NIST SP 800-57 part 1, table 2). Reveals: nothing, as long as nobody factors it.',
    ),
  encryption: z
    .enum(['standard', 'djn'])
    .default('standard')
    .describe(
      'How randomisers are drawn: full-length, or by Damgård, Jurik and Nielsen, which makes owners several times faster under one more assumption. Reveals: nothing.',
    ),
  allowInsecureKey: z
    .boolean()
    .default(false)
    .describe(
      'Consent to fewer than 2048 key bits, for benchmarks and tests. Reveals: all contributions to who factors the key.',
    ),
  statisticalSecurityBits: z
    .int()
    .min(40)
    .max(128)
    .default(40)
    .describe(
      'σ: what the CSP decrypts is within a statistical distance of 2^−σ of random numbers, for the whole task. Reveals: no more than that.',
    ),
  twoParty: TwoPartyName.default('garbled').describe(
    'How both servers decompose: garbled circuits; rotated, which is far faster; linear, of histogram and moments alone; or simulated, which is NOT private and for tests. Reveals: with garbled and linear only what is declared; with rotated also sampleCount, spectrum, classCounts (dca, lda, mdr) and variances (correlation), which must be declared, and of dca, lda and mdr all eigenvalues of the pencil and the lengths of the vectors; with simulated all pooled statistics, to the data user.',
  ),
  outputs: z
    .array(Output)
    .max(Output.options.length)
    .default([])
    .describe(
      'What the result has beyond vectors and eigenvalues, each name once: mean of all rows; trace of the total scatter (not mdr); sampleCount, the number of rows; spectrum, all eigenvalues of the total scatter (mdr: of the sum of both between-class scatters; garbled: pca alone; not ridge); classCounts, rows by class (dca, lda, mdr); variances of all features (correlation alone). Reveals: each just that, but that a mean tells the variance of a feature with two values; to the data user and to whom the result is released.',
    ),
  allowFullRank: z
    .boolean()
    .default(false)
    .describe(
      'Consent to a result from which the scatter matrix itself can be computed; owners and the CSP must allow it, too. Reveals: the whole scatter matrix.',
    ),
  exact: z
    .boolean()
    .default(false)
    .describe(
      'Consent to a result without a floor, which needs allowFullRank: where values are whole numbers, the whole scatter matrix may follow from it. Reveals: perhaps the whole scatter matrix.',
    ),
  releases: z
    .int()
    .min(1)
    .max(1000)
    .default(2)
    .describe(
      'For how many results over the same rows the floor is to stand: noise grows with the square root, and each takes so large a part of what owners give of their rows. Reveals: nothing.',
    ),
  releaseToOwners: z
    .boolean()
    .default(true)
    .describe(
      'Whether owners who contributed may fetch the projection, and a later task may stand on it, whose owners get it, too. Reveals: the result with its declared outputs, to them.',
    ),
  differentialPrivacy: DifferentialPrivacy.nullable()
    .default(null)
    .describe(
      'Noise for (ε, δ)-differential privacy of the result, for rows; null: the result is exact. Reveals: with null, what the result tells of a row has no bound.',
    ),
  deadline: z.iso
    .datetime('expected a date and time in UTC, such as 2027-01-01T00:00:00Z')
    .describe(
      'No contribution is taken after it: date and time in UTC, such as 2027-01-01T00:00:00Z, at most 366 days ahead. Reveals: itself.',
    ),
  closes: z
    .array(ClosesWhen)
    .min(1)
    .max(ClosesWhen.options.length)
    .optional()
    .describe(
      'When collection ends and the computation begins without the operator, each once: deadline, when that has passed; full, when maximumOwners have contributed. Fewer than minimumOwners are never computed: the task stays open. Left out: the operator closes it. Reveals: itself.',
    ),
});
export type TaskProposal = z.infer<typeof TaskProposal>;

/**
 * Where the JSON schema of a proposal's file is on this machine, for editors. A function: the worker of a
 * page lies nowhere.
 */
export const proposalSchemaUrl = () => new URL('../proposal.schema.json', import.meta.url).href;

/** A feature as a file holds it, or many of one range. */
const FileFeature = z
  .strictObject({
    ...FEATURE,
    count: z
      .int()
      .min(2)
      .max(LIMITS.sketchedFeatures)
      .optional()
      .describe(
        'The number of features of this range, whose names have numbers in place of the one # in the name: pixel_# with 4 is pixel_0 to pixel_3. The task that is signed names each. Reveals: nothing more.',
      ),
    from: z
      .int()
      .min(0)
      .max(1_000_000)
      .optional()
      .describe('With count: the first number, otherwise 0. Reveals: nothing more.'),
  })
  .refine(isRange, 'expected min <= max')
  .refine(
    ({ name, count, from }) => (count === undefined ? from === undefined : name.split('#').length === 2),
    'expected a name with one # for "count", and "from" with "count" alone',
  )
  .refine(
    ({ name, count, from = 0 }) =>
      count === undefined || name.length - 1 + String(from + count - 1).length <= 128,
    'expected names of at most 128 characters',
  );
type FileFeature = z.infer<typeof FileFeature>;

/** Counts the features of a file before they are made. */
const featuresIn = (features: readonly FileFeature[]) =>
  features.reduce((sum, { count = 1 }) => sum + count, 0);

function expandFeature({ count, from = 0, ...feature }: FileFeature): TaskProposal['features'] {
  if (count === undefined) return [feature];
  return Array.from({ length: count }, (_, i) => ({
    ...feature,
    name: feature.name.replace('#', () => `${from + i}`),
  }));
}

/**
 * A proposal as a file holds it. What is proposed, and signed, does not have `$schema`, and has each feature
 * by itself.
 * @example
 * import { ProposalFile } from '@eigenveil/task';
 *
 * const { features } = ProposalFile.parse(JSON.parse(text));
 */
export const ProposalFile = TaskProposal.extend({
  $schema: z
    .string()
    .optional()
    .describe(
      'Where editors find the JSON schema of this file, by which they complete and check it; left out of what is proposed. Reveals: where Eigenveil is installed, to whom the file is given.',
    ),
  $forecast: z
    .unknown()
    .optional()
    .describe(
      "What the floor will cost by the draft's sample, as task draft --json tells it; left out of what is proposed. Reveals: a little of that sample, to whom the file is given.",
    ),
  features: z
    .array(FileFeature)
    .min(1)
    .max(LIMITS.sketchedFeatures)
    .refine(
      (features) => featuresIn(features) <= LIMITS.sketchedFeatures,
      `expected at most ${LIMITS.sketchedFeatures} features with those of "count"`,
    )
    .describe(TaskProposal.shape.features.description!),
}).transform(
  ({ $schema, $forecast, features, ...proposal }): TaskProposal => ({
    ...proposal,
    features: features.flatMap(expandFeature),
  }),
);

/**
 * A request to the data user for a task: the proposal, and an id that whoever proposes it has drawn
 * (`newTaskId`). Asked again with both, the data user answers with the same task.
 */
export const TaskCreation = TaskProposal.extend({ id: TaskId });
export type TaskCreation = z.infer<typeof TaskCreation>;

/** Renewals of one task, at most. */
const MOST_RENEWALS = 10_000;

/**
 * The place of a task in its series, which it states if it renews another. A task that renews none has no
 * such member, also where others renew it.
 */
const Series = z.strictObject({
  /** Id of the first task, which renews none. */
  id: TaskId,
  /** 1 for the first renewal, and so on. */
  number: z.int().min(1).max(MOST_RENEWALS),
  /** Digest of the task that it renews, 43 characters as `digestTask` of the wire makes them. */
  previous: z.string().regex(DIGEST),
});

export const Task = TaskProposal.required().extend({
  // Absent where there is none, also of what is signed.
  title: TaskProposal.shape.title,
  sketch: TaskProposal.shape.sketch,
  closes: TaskProposal.shape.closes,
  basis: TaskProposal.shape.basis,
  rangesFrom: TaskProposal.shape.rangesFrom,
  protocol: z.literal('eigenveil/1'),
  id: TaskId,
  series: Series.exactOptional(),
  /** Thumbprints of the two servers' signing keys. */
  csp: Thumbprint,
  dataUser: Thumbprint,
});
export type Task = z.infer<typeof Task>;
