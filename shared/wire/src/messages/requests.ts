/**
 * The messages of the three roles about a task: enrolment, records, receipts and projections.
 *
 * Contributions in pieces: one that is longer than WHOLE_BYTES is handed in piece by piece, so that neither
 * side holds all of it, a broken line costs one piece, and each piece is checked as it comes. A shorter one
 * goes in one request.
 */
import { LIMITS, Output, RESULT_MEMBERS, TwoPartyName } from '@eigenveil/methods';
import { DifferentialPrivacy, Task, TaskId } from '@eigenveil/task';
import { z } from 'zod';
import { Digest } from '../identity/digest.ts';
import { OwnerId } from '../identity/owner-id.ts';
import { SignedTask } from './agreement.ts';
import { OwnerProvenance, Provenance } from './provenance.ts';

export const EnrolmentResponse = z.strictObject({ ownerId: OwnerId, ownerToken: z.string().max(4096) });
export type EnrolmentResponse = z.infer<typeof EnrolmentResponse>;

/**
 * The body of a request with a task, at most: 10,000 features of a sketch with names of 128 characters and
 * ranges of 17 digits.
 */
export const TASK_BODY_BYTES = 3 * 1024 * 1024;

/**
 * A request to the data user to renew a task; without a deadline, the new task has as much time as the old
 * one had.
 */
export const RenewalRequest = z.strictObject({ deadline: Task.shape.deadline.exactOptional() });
export type RenewalRequest = z.infer<typeof RenewalRequest>;
/** The task that renews another, to owners; null: there is none yet. */
export const NextTask = z.strictObject({ next: SignedTask.nullable() });

/** The record that an owner signs about its contribution; the CSP counts distinct ones before it unblinds. */
export const RECORD = {
  type: 'eigenveil-record+jws',
  code: 'ERR_RECORD_INVALID',
  schema: z.strictObject({
    taskId: TaskId,
    taskDigest: Digest,
    /**
     * The digest of the Paillier key that the owner encrypted under, so that a swapped key cannot go
     * unnoticed.
     */
    publicKeyDigest: Digest,
    ownerId: OwnerId,
    contributionDigest: Digest,
  }),
} as const;
export type OwnerRecord = z.infer<(typeof RECORD)['schema']>;

/** Characters of a record; the CSP reads no longer ones. */
export const LONGEST_RECORD = 2048;

/**
 * The most records that one request may carry, so that the CSP's memory does not grow with the number of
 * owners.
 */
export const RECORDS_PER_REQUEST = 500;

/**
 * The set of records that a task shall be fixed to: how many there are, and the root of the ContributionTree
 * over them.
 */
export const FixationRequest = z.strictObject({ verifiedOwners: z.int().min(1), contributionsRoot: Digest });
export type FixationRequest = z.infer<typeof FixationRequest>;

/** The receipt that the data user signs once a contribution is stored durably. */
export const RECEIPT = {
  type: 'eigenveil-receipt+jws',
  code: 'ERR_RECEIPT_INVALID',
  schema: RECORD.schema.extend({ receivedAt: z.iso.datetime(), title: Task.shape.title }),
} as const;
export type Receipt = z.infer<(typeof RECEIPT)['schema']>;
export const ReceiptResponse = z.strictObject({ receipt: z.string().max(4096) });

/**
 * The result of a task. Vectors are rows over the features scaled to [−1, 1], of length 1, in descending
 * order of their eigenvalues, which refer to the undivided scatter. Those of a correlation matrix are divided
 * by standard deviations, and so longer.
 */
export const Projection = z.strictObject({
  taskId: TaskId,
  taskDigest: Digest,
  title: Task.shape.title,
  method: Task.shape.method,
  twoParty: TwoPartyName,
  features: Task.shape.features,
  fractionBits: Task.shape.fractionBits,
  /**
   * The sketch of a task that has one, whose vectors and eigenvalues are approximate: how many columns it
   * had.
   */
  sketch: Task.shape.sketch,
  outputs: z.array(Output),
  /** The basis of the task: with one, features are the components of that projection. */
  basis: Task.shape.basis,
  /** The guarantee that this result has been computed under, all of whose budget it has spent; null: none. */
  differentialPrivacy: DifferentialPrivacy.nullable().default(null),
  ...RESULT_MEMBERS,
});
export type Projection = z.infer<typeof Projection>;

/** The projection as the data user signs it. */
export const PROJECTION = {
  type: 'eigenveil-projection+jws',
  code: 'ERR_PROJECTION_INVALID',
  schema: Projection,
} as const;
/** 78 vectors of 10,000 features are 20 MB of JSON, and a third more as base64url. */
const SignedText = z.string().max(33_554_432);

/** A task that others of a chain stand on, with its projection and all that was signed about both. */
export const SignedLink = SignedTask.extend({ projection: SignedText, provenance: Provenance });
export type SignedLink = z.infer<typeof SignedLink>;

/**
 * The links before a task, the first of which stands on none; of a sketch that refines an earlier result,
 * that one alone.
 */
const SignedLinks = z
  .array(SignedLink)
  .min(1)
  .max(LIMITS.links - 1);
/** The links, as owners get them who may contribute. */
export const BasisResponse = z.strictObject({ basis: SignedLinks });

/** The result, as the operator gets it. */
export const ResultResponse = z.strictObject({
  projection: SignedText,
  provenance: Provenance,
  /** Present for a task with a basis, and for a sketch that refines an earlier result. */
  basis: SignedLinks.exactOptional(),
});
export type ResultResponse = z.infer<typeof ResultResponse>;
/** The result, as an owner who contributed gets it. */
export const ProjectionResponse = ResultResponse.extend({ provenance: OwnerProvenance });
export type ProjectionResponse = z.infer<typeof ProjectionResponse>;

/** The longest contribution that goes in one request: longer than any of a whole scatter matrix (0.74 MB). */
const WHOLE_BYTES = 2 ** 20;
/** A piece has as many whole ciphertexts as fit into this number of bytes. */
const PIECE_BYTES = 2 ** 19;

/** A stretch of a contribution's ciphertexts. */
export interface Piece {
  readonly number: number;
  /** The first ciphertext, and the one behind the last. */
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the pieces of a contribution of this number of ciphertexts, in their order; empty for one that goes
 * in one request.
 * @example
 * import { piecesOf } from '@eigenveil/wire';
 *
 * piecesOf(1000, 512); // → []
 * piecesOf(3000, 512).map(({ from, to }) => [from, to]); // → [[0, 1024], [1024, 2048], [2048, 3000]]
 */
export function piecesOf(ciphertexts: number, ciphertextBytes: number): readonly Piece[] {
  if (ciphertexts * ciphertextBytes <= WHOLE_BYTES) return [];
  const most = Math.floor(PIECE_BYTES / ciphertextBytes);
  return Array.from({ length: Math.ceil(ciphertexts / most) }, (_, number) => ({
    number,
    from: number * most,
    to: Math.min((number + 1) * most, ciphertexts),
  }));
}

/**
 * The part of an owner's contribution that the data user has: the number of first pieces of the one with this
 * digest. Null: nothing.
 */
export const UploadResponse = z.strictObject({
  contributionDigest: Digest.nullable(),
  pieces: z.int().min(0),
});
