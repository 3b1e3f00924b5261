/**
 * The forms in which the CSP seals its secrets at rest: secret keys as JSON, and vectors as the bytes of
 * their numbers.
 */
import type { Sealer } from '@eigenveil/server';
import type { Task } from '@eigenveil/task';
import type { Projection } from '@eigenveil/wire';
import { vectorsPlace } from '../store/store.ts';
import { altered } from './refusals.ts';

const NUMBER_BYTES = 8;

/** Seals a secret as JSON. The bytes are overwritten after use; strings of the language cannot be. */
export function sealJson(sealer: Sealer, place: string, value: unknown): Uint8Array {
  const bytes = Buffer.from(JSON.stringify(value));
  try {
    return sealer.seal(place, bytes);
  } finally {
    bytes.fill(0);
  }
}

export function openJson(sealer: Sealer, place: string, sealed: Uint8Array): unknown {
  const { buffer, byteOffset, byteLength } = sealer.open(place, sealed);
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  try {
    return JSON.parse(bytes.toString());
  } finally {
    bytes.fill(0);
  }
}

/**
 * Seals the vectors of an earlier result that a sketch refines, from which the CSP makes Ω. It knows that
 * result only for this purpose, and the seal prevents that anybody puts other vectors in the database.
 */
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
