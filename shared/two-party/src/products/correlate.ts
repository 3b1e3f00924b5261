/** The correlator's end of a product: the data user, whose ring vectors every transfer of the chooser's digits carries. */

import { ROW_BYTES } from '../oblivious-transfer/extension.ts';
import type { ExtensionSender } from '../oblivious-transfer/index.ts';
import type { RandomSource } from '../oblivious-transfer/randomness.ts';
import { CHECK_KEY_BYTES, Transcript } from './check.ts';
import { BLOCK_BYTES, checkSize, chunks, DIGIT_BITS, type Part, transferCount } from './layout.ts';
import { PRODUCT_MESSAGE } from './messages.ts';
import { checkMatrix } from './ring.ts';
import { Workspace } from './workspace.ts';

const KEYS_PER_CALL = 64;

/**
 * The correlator's additive shares, in [0, 2^ringBits), of P = A · C modulo 2^ringBits, where A (`rows` × n, signed integers of
 * `entryBits` bits) is the chooser's matrix and C (n × c, in [0, 2^ringBits), c at most 256) is `matrix`. With part
 * 'upper' the result is square and only entries on and above the diagonal are computed; the others are 0. All sizes are
 * public and must be the chooser's. Throws RangeError, ERR_PRODUCT_CHECK when transfers were changed on the way, and
 * as ExtensionSender.blocks.
 */
export async function multiplyCorrelated(
  sender: ExtensionSender,
  {
    matrix,
    rows,
    entryBits,
    ringBits,
    part = 'whole',
  }: {
    readonly matrix: readonly (readonly bigint[])[];
    readonly rows: number;
    readonly entryBits: number;
    readonly ringBits: number;
    readonly part?: Part;
  },
): Promise<bigint[][]> {
  const size = checkSize({
    rows,
    inner: matrix.length,
    columns: matrix[0]?.length ?? 0,
    entryBits,
    ringBits,
    part,
  });
  checkMatrix(matrix, [size.inner, size.columns], [0n, 1n << BigInt(ringBits)]);
  const { stream } = sender;
  const workspace = new Workspace(size);
  workspace.place(matrix, sender.delta);
  const checkKey = sender.random(CHECK_KEY_BYTES);
  stream.write(PRODUCT_MESSAGE.opening, checkKey);
  const transcript = new Transcript(checkKey);
  const nextKey = keySource(sender.random);
  const plan = chunks(size);
  for await (const block of sender.blocks(transferCount(size))) {
    for (let at = 0; at < block.rows.length; ) {
      const chunk = plan.next().value;
      if (chunk === undefined) throw new TypeError('"chunks" expected a chunk for every transfer');
      const end = at + chunk.count * DIGIT_BITS * ROW_BYTES;
      workspace.correlate(chunk, block.rows.subarray(at, end), nextKey());
      const message = workspace.message(chunk);
      transcript.add(message);
      if (!stream.write(PRODUCT_MESSAGE.chunk, message)) await stream.flush();
      at = end;
    }
  }
  await transcript.compare(stream, workspace.zero());
  // The chooser's digits are those of its entries plus 2^(entryBits − 1).
  const offsets = matrix[0]!.map(
    (_, j) => matrix.reduce((sum, row) => sum + row[j]!, 0n) << BigInt(entryBits - 1),
  );
  return workspace
    .result()
    .map((row, i) =>
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
