/** The schema of a task: the agreed public parameters of one computation. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';

/** SHA-256 thumbprint of a public key, base64url: 43 characters. It says who a server of the task is. */
export const Thumbprint = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, 'expected a thumbprint of 43 characters')
  .brand('Thumbprint');
export type Thumbprint = z.infer<typeof Thumbprint>;

/** 16 random bytes, base64url: not enumerable. The first character is no hyphen, which command lines take for a flag. */
export const TaskId = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_-]{21}$/)
  .brand('TaskId');
export type TaskId = z.infer<typeof TaskId>;

export function newTaskId(): TaskId {
  for (;;) {
    const id = TaskId.safeParse(randomBytes(16).toString('base64url'));
    if (id.success) return id.data;
  }
}

/** Sizes that the services support; larger tasks are refused when they are proposed. */
const LIMITS = {
  features: 200,
  classes: 100,
  owners: 10_000_000,
  samplesPerOwner: 1_000_000_000,
} as const;

export const DEFAULT_FRACTION_BITS = 14;

/** From 2^-1, where a feature still has five values, to 2^-20, where sums of products still have headroom in a double. */
export const FRACTION_BITS = { least: 1, most: 20 } as const;

const Name = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[^\p{C}]*$/u, 'expected a name without control characters');
const Ridge = z.number().min(0).max(1e12);

/** A numeric column and its agreed range: cells are clipped to [min, max] and mapped to [-1, 1]. */
const Feature = z
  .strictObject({
    name: Name,
    min: z.number(),
    max: z.number(),
    /** Whether it takes no value but min and max, which is what is assumed of a feature that does not say: its mean tells its variance then. */
    twoValued: z.boolean().optional(),
  })
  .refine(({ min, max }) => min <= max, 'expected min <= max');

/** A column of class labels and every label it may hold, as text. */
const Labelling = z
  .strictObject({ column: Name, classes: z.array(Name).min(2).max(LIMITS.classes) })
  .refine(({ classes }) => new Set(classes).size === classes.length, 'expected distinct classes');

/** Which matrix of a PCA is decomposed. */
export const Scale = z.enum(['covariance', 'correlation']);
export type Scale = z.infer<typeof Scale>;

/** `ridge` is ρ and `signalRidge` ρ′, both in units of the undivided scatter of features in [-1, 1]. */
const Method = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('pca'),
    /** With `correlation` features are standardised inside the computation; covariance where it does not say. */
    scale: Scale.optional(),
  }),
  z.strictObject({
    kind: z.literal('dca'),
    form: z.enum(['standard', 'book']),
    ridge: Ridge,
    /** ρ′ may be negative as long as the noise matrix stays positive definite. */
    signalRidge: z.number().min(-1e12).max(1e12),
  }),
  z.strictObject({ kind: z.literal('lda'), ridge: Ridge }),
  z.strictObject({ kind: z.literal('mdr'), ridge: Ridge }),
]);

/**
 * Outputs beyond the vectors and their eigenvalues, each one thing more that the data user learns: the mean of all rows, the trace of the
 * total scatter (not for MDR, which has no R), the number of rows, all d eigenvalues of the total scatter (MDR: of the sum of both
 * between-class scatters), the numbers of rows by class (not for PCA, which has no classes), and
 * the variances of all features (PCA of a correlation matrix only).
 */
export const Output = z.enum(['mean', 'trace', 'sampleCount', 'spectrum', 'classCounts', 'variances']);
export type Output = z.infer<typeof Output>;

/**
 * (ε, δ)-differential privacy of the result, for rows: everything else of it, noise and widths, is a function of the task. docs/privacy.md has
 * what is promised.
 */
export const DifferentialPrivacy = z.strictObject({
  epsilon: z.number().positive().max(100),
  delta: z.number().positive().max(0.01),
  /** Whose result must be nearly the same: that of one row more or less, or of one row that is another. */
  neighbours: z.enum(['add-remove', 'replace']),
  /** Rows of features in [−1, 1] are scaled down to this length; the root of the number of features never clips. */
  clippingNorm: z.number().positive().max(1e6),
  /** Who adds noise: each server all that is needed, the CSP alone, or each owner its part. */
  noise: z.enum(['servers', 'csp', 'owners']).default('servers'),
  /** With `owners`: how many of them are relied on to add their part and to keep it to themselves. */
  honestOwners: z.int().min(1).max(LIMITS.owners).nullable().default(null),
  /** Consent: the features' ranges come from domain knowledge, or from a result that has a guarantee of its own, not from the rows. */
  dataIndependentRanges: z.literal(true, {
    error: 'expected true, your consent that ranges do not come from the rows',
  }),
});
export type DifferentialPrivacy = z.infer<typeof DifferentialPrivacy>;

/** The two-party protocols that exist. `simulated` is NOT private. */
export const TwoPartyName = z.enum(['garbled', 'rotated', 'simulated']);

const MethodName = z.enum(['pca', 'dca', 'lda', 'mdr']);
export type MethodName = z.infer<typeof MethodName>;

/**
 * What a person proposes: everything of a task but its id and its parties, with safe defaults.
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
  method: Method,
  features: z.array(Feature).min(1).max(LIMITS.features),
  /** PCA: none. DCA and LDA: one. MDR: the utility labelling, then the privacy labelling. */
  labellings: z.array(Labelling).max(2).default([]),
  components: z.int().min(1).max(LIMITS.features),
  /** Fraction bits of a discretised feature. */
  fractionBits: z.int().min(FRACTION_BITS.least).max(FRACTION_BITS.most).default(DEFAULT_FRACTION_BITS),
  maximumOwners: z.int().min(2).max(LIMITS.owners),
  maximumSamplesPerOwner: z.int().min(1).max(LIMITS.samplesPerOwner),
  minimumOwners: z.int().min(2).max(LIMITS.owners),
  /** Length of the Paillier modulus in bits: 3072 are worth 128 bits of security, 2048 only 112 (NIST SP 800-57 part 1, table 2). */
  keyBits: z.int().min(1024).max(4096).multipleOf(256).default(3072),
  encryption: z.enum(['standard', 'djn']).default('standard'),
  allowInsecureKey: z.boolean().default(false),
  /** σ: blinding leaves a statistical distance of at most 2^−σ for the whole task. */
  statisticalSecurityBits: z.int().min(40).max(128).default(40),
  twoParty: TwoPartyName.default('garbled'),
  outputs: z.array(Output).max(Output.options.length).default([]),
  /** Consent to a result from which S̄ itself can be computed. */
  allowFullRank: z.boolean().default(false),
  /** Whether owners may fetch the projection. */
  releaseToOwners: z.boolean().default(true),
  /** Null: the result is exact. */
  differentialPrivacy: DifferentialPrivacy.nullable().default(null),
  /** No contribution is taken after it. */
  deadline: z.iso.datetime(),
});
export type TaskProposal = z.infer<typeof TaskProposal>;

/**
 * What asks the data user for a task: the proposal, and an id that whoever proposes it has drawn (`newTaskId`). Asked again with both, the
 * data user answers with the same task.
 */
export const TaskCreation = TaskProposal.extend({ id: TaskId });
export type TaskCreation = z.infer<typeof TaskCreation>;

export const Task = TaskProposal.required().extend({
  protocol: z.literal('eigenveil/1'),
  id: TaskId,
  /** Thumbprints of the two servers' signing keys. */
  csp: Thumbprint,
  dataUser: Thumbprint,
});
export type Task = z.infer<typeof Task>;
