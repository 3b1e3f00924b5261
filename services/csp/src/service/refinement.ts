/** What the CSP keeps of an earlier result that a sketch refines: its vectors, of which it makes Ω when the two-party computation starts. */
import { CodedError } from '@eigenveil/platform';
import { verifyBasis } from '@eigenveil/projection';
import type { Sealer } from '@eigenveil/server';
import type { Task } from '@eigenveil/task';
import { CODES, type Projection, type PublicJwk, type SignedLink } from '@eigenveil/wire';
import { vectorsPlace } from '../store/store.ts';
import { altered } from './refusals.ts';

const NUMBER_BYTES = 8;

/**
 * The vectors of the result that a proposed task refines, once it is clear that this CSP has countersigned it, that it is one of its task, and that its vectors
 * are finite, of length 1 and orthogonal.
 * @param link what came with the proposal
 * @returns undefined for a task that refines none
 * @throws ERR_TASK_INVALID for a link that the task does not name, ERR_BASIS_INVALID where the named one is missing or another, and as `verifyBasis`
 */
export async function refinedBy(
  task: Task,
  link: SignedLink | undefined,
  cspKey: PublicJwk,
): Promise<Projection['vectors'] | undefined> {
  if (task.sketch?.refine === undefined) {
    if (link === undefined) return undefined;
    throw new CodedError(CODES.ERR_TASK_INVALID, '"refined" expected with "sketch.refine" alone');
  }
  const [refined] = await verifyBasis(task, link === undefined ? [] : [link], cspKey);
  return refined!.projection.vectors;
}

/** Sealed, since the result is known to this CSP for this one purpose, and nobody shall put other vectors in the database. */
export function sealVectors(sealer: Sealer, { id }: Task, vectors: Projection['vectors']): Uint8Array {
  const numbers = vectors.flat();
  const bytes = Buffer.alloc(numbers.length * NUMBER_BYTES);
  for (const [i, number] of numbers.entries()) bytes.writeDoubleLE(number, i * NUMBER_BYTES);
  return sealer.seal(vectorsPlace(id), bytes);
}

/** @throws ERR_SEAL_BROKEN, ERR_DATABASE_ALTERED where they are missing */
export function openVectors(
  sealer: Sealer,
  { id, features }: Task,
  sealed: Uint8Array | undefined,
): Pick<Projection, 'vectors'> {
  if (sealed === undefined) altered();
  const { buffer, byteOffset, byteLength } = sealer.open(vectorsPlace(id), sealed);
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  const d = features.length;
  const number = (i: number) => bytes.readDoubleLE(i * NUMBER_BYTES);
  const vectors = Array.from({ length: byteLength / NUMBER_BYTES / d }, (_, j) =>
    Array.from({ length: d }, (__, i) => number(j * d + i)),
  );
  return { vectors };
}
