/** Where random bytes come from. */
import { randomBytes } from '@eigenveil/platform';

/** `length` uniform bytes, independent of all bytes given before. The caller may overwrite them. */
export type RandomSource = (length: number) => Uint8Array;

/** The system's CSPRNG: what every release of real data draws its noise from. */
export const systemRandomness: RandomSource = randomBytes;
