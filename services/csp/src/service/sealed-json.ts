/** Secrets that are kept as sealed JSON. Their bytes are overwritten after use; what the language's strings hold cannot be. */
import type { Sealer } from '@eigenveil/server';

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
