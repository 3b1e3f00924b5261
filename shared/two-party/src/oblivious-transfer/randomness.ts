/** Where this room's secrets come from. Only the system's generator is ever used outside of tests. */
import { randomBytes } from 'node:crypto';

/** Fresh, uniform, secret bytes. Tests put a seeded source in its place to compare transcripts. */
export type RandomSource = (length: number) => Uint8Array;

export const systemRandomness: RandomSource = (length) => randomBytes(length);
