/**
 * The file SHA256SUMS of a folder, as sha256sum writes and checks it: the files that there are, and the
 * digest of each.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export const SUMS = 'SHA256SUMS';
const SUM = /^([0-9a-f]{64}) {2}([\w.-]+)$/;

/**
 * Reads exactly the files that the sums of a folder name, in their order.
 * @throws Error when one is missing or does not have its digest, and as node:fs
 */
export async function readSummed(folder: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const sums = await readFile(join(folder, SUMS), 'utf8');
  for (const line of sums.trimEnd().split('\n')) {
    const [, digest, name] = SUM.exec(line) ?? [];
    if (name === undefined)
      throw new Error(`"${SUMS}" expected a digest and the name of a file in each line`);
    const bytes = await readFile(join(folder, name));
    if (sha256(bytes) !== digest) throw new Error(`"${name}" expected the digest that ${SUMS} says`);
    files.set(name, bytes);
  }
  return files;
}

/** Returns the text of the sums of these files. */
export function sumsOf(files: ReadonlyMap<string, Uint8Array>): string {
  return [...files].map(([name, bytes]) => `${sha256(bytes)}  ${name}\n`).join('');
}

/** Returns the digest in hexadecimal digits. */
export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
