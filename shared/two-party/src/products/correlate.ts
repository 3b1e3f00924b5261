/** The correlator's end of a product: the data user, whose ring vectors every transfer of the chooser's digits carries. */

import { ROW_BYTES } from '../oblivious-transfer/extension.ts';
import type { ExtensionSender } from '../oblivious-transfer/index.ts';
import type { RandomSource } from '../oblivious-transfer/randomness.ts';
import { CHECK_KEY_BYTES, Transcript } from './check.ts';
import {
  BLOCK_BYTES,
  checkSize,
  chunksOfEach,
  DIGIT_BITS,
  type Part,
  type ProductSize,
  transferCount,
} from './layout.ts';
import { PRODUCT_MESSAGE } from './messages.ts';
import { checkMatrix } from './ring.ts';
import { Workspace } from './workspace.ts';

/** The correlator's part of a product: see multiplyCorrelated(). */
export interface CorrelatedProduct {
  readonly matrix: readonly (readonly bigint[])[];
  readonly rows: number;
  readonly entryBits: number;
  readonly ringBits: number;
  readonly part?: Part;
}

const KEYS_PER_CALL = 64;

/**
 * The correlator's additive shares, in [0, 2^ringBits), of P = A · C modulo 2^ringBits, where A (`rows` × n, signed integers of
 * `entryBits` bits) is the chooser's matrix and C (n × c, in [0, 2^ringBits), c at most 256) is `matrix`. With part
 * 'upper' the result is square and only entries on and above the diagonal are computed; the others are 0. All sizes are
 * public and must be the chooser's, which checks the product and closes when it was changed. Throws RangeError, and as
 * ExtensionSender.blocks.
 */
export async function multiplyCorrelated(
  sender: ExtensionSender,
  product: CorrelatedProduct,
): Promise<bigint[][]> {
  const [shares] = await multiplyEachCorrelated(sender, [product]);
  return shares!;
}

/** multiplyCorrelated() for several products in one round trip, where no matrix depends on another's result. */
export async function multiplyEachCorrelated(
  sender: ExtensionSender,
  products: readonly CorrelatedProduct[],
): Promise<bigint[][][]> {
  const sizes = products.map(sizeOf);
  const { stream } = sender;
  const workspaces = products.map(({ matrix, ringBits }, p) => {
    const size = sizes[p]!;
    checkMatrix(matrix, [size.inner, size.columns], [0n, 1n << BigInt(ringBits)]);
    const workspace = new Workspace(size);
    workspace.place(matrix, sender.delta);
    return workspace;
  });
  const checkKey = sender.random(CHECK_KEY_BYTES);
  stream.write(PRODUCT_MESSAGE.opening, checkKey);
  const transcript = new Transcript(checkKey);
  const nextKey = keySource(sender.random);
  const plan = chunksOfEach(sizes);
  const transfers = sizes.reduce((sum, size) => sum + transferCount(size), 0);
  for await (const block of sender.blocks(transfers)) {
    for (let at = 0; at < block.rows.length; ) {
      const next = plan.next().value;
      if (next === undefined) throw new TypeError('"chunks" expected a chunk for every transfer');
      const { chunk, product } = next;
      const workspace = workspaces[product]!;
      const end = at + chunk.count * DIGIT_BITS * ROW_BYTES;
      workspace.correlate(chunk, block.rows.subarray(at, end), nextKey());
      const message = workspace.message(chunk);
      transcript.add(message);
      if (!stream.write(PRODUCT_MESSAGE.chunk, message)) await stream.flush();
      at = end;
    }
  }
  const zero = workspaces.reduce((sum, workspace) => sum + workspace.zero(), 0n);
  await transcript.tell(stream, BigInt.asUintN(64, zero));
  return workspaces.map((workspace, p) => withoutOffsets(workspace.result(), products[p]!));
}

function sizeOf({ matrix, rows, entryBits, ringBits, part = 'whole' }: CorrelatedProduct): ProductSize {
  const columns = matrix[0]?.length ?? 0;
  return checkSize({ rows, inner: matrix.length, columns, entryBits, ringBits, part });
}

/** The chooser's digits are those of its entries plus 2^(entryBits − 1). */
function withoutOffsets(
  shares: readonly (readonly bigint[])[],
  { matrix, entryBits, ringBits, part }: CorrelatedProduct,
): bigint[][] {
  const offsets = matrix[0]!.map(
    (_, j) => matrix.reduce((sum, row) => sum + row[j]!, 0n) << BigInt(entryBits - 1),
  );
  return shares.map((row, i) =>
    row.map((share, j) => (part === 'upper' && j < i ? 0n : BigInt.asUintN(ringBits, share - offsets[j]!))),
  );
}

/** Hash keys; a call of the system's generator costs as much as a thousand bytes of its output. */
function keySource(random: RandomSource): () => Uint8Array {
  let keys = new Uint8Array(0);
  return () => {
    if (keys.length === 0) keys = Uint8Array.from(random(KEYS_PER_CALL * BLOCK_BYTES));
    const key = keys.subarray(0, BLOCK_BYTES);
    keys = keys.subarray(BLOCK_BYTES);
    return key;
  };
}
