/**
 * A correlator that lies: it follows the protocol, but the digits that it likes carry other correlations, and
 * it answers as it likes.
 */
import { ROW_BYTES } from '../oblivious-transfer/extension.ts';
import { BLOCK_BYTES } from '../oblivious-transfer/hash.ts';
import type { ExtensionSender } from '../oblivious-transfer/index.ts';
import { answerOf, CHALLENGE_BYTES } from '../products/check.ts';
import {
  carriedBits,
  chunks,
  correctionBytes,
  firstColumn,
  maskCount,
  type ProductSize,
  thresholdCount,
  transferCount,
} from '../products/layout.ts';
import { PRODUCT_MESSAGE } from '../products/messages.ts';
import { sharesOf } from '../products/ring.ts';
import { Workspace } from '../products/workspace.ts';
import type { Matrix } from '../rotated/matrices.ts';

/** Digit t, from the lowest, of the chooser's entry (row, inner). */
export interface Digit {
  readonly row: number;
  readonly inner: number;
  readonly t: number;
}

export interface Lie {
  /**
   * The amount by which a digit's correlation is off in a column; the columns of the masks stand behind the
   * others.
   */
  readonly deviation: (digit: Digit, column: number) => bigint;
  /** The amount that it believes its lie has added to an entry of the result, or to a mask's. */
  readonly guess?: (row: number, column: number) => bigint;
  /** The matrix that it takes the slopes of a threshold from, if not its own. */
  readonly slopesOf?: (threshold: number) => Matrix;
}

/**
 * Its shares, of a product with entries that are not negative: whoever needs signed ones subtracts offsets.
 */
export async function multiplyLying(
  sender: ExtensionSender,
  size: ProductSize,
  matrix: Matrix,
  { deviation, guess = () => 0n, slopesOf = () => matrix }: Lie,
): Promise<bigint[][]> {
  const { stream, random } = sender;
  const workspace = new Workspace(size);
  workspace.place(matrix, sender.delta, random);
  const plan = chunks(size);
  for await (const { rows } of sender.blocks(transferCount(size))) {
    for (let at = 0; at < rows.length; ) {
      const chunk = plan.next().value!;
      const end = at + chunk.count * size.digitBits * ROW_BYTES;
      workspace.correlate(chunk, rows.subarray(at, end), random(BLOCK_BYTES));
      at = end;
      const message = workspace.message(chunk);
      let place = BLOCK_BYTES + correctionBytes(size.digitBits) * chunk.count;
      for (let d = chunk.first; d < chunk.first + chunk.count; d += 1) {
        const digit = { row: Math.floor(d / size.inner), inner: d % size.inner, t: chunk.t };
        for (
          let column = firstColumn(size, digit.row);
          column < size.columns + maskCount(size);
          column += 1
        ) {
          addTo(message.subarray(place, place + chunk.width), deviation(digit, column));
          place += chunk.width;
        }
      }
      stream.write(PRODUCT_MESSAGE.chunk, message);
    }
  }
  const challenge = await stream.read(PRODUCT_MESSAGE.challenge, CHALLENGE_BYTES);
  const { sums: ownSums, mask } = workspace.settled();
  const own = ownSums();
  const sums = own.map((row, i) => row.map((sum, j) => sum - guess(i, j)));
  const answers = Array.from({ length: thresholdCount(size) }, (_, threshold) =>
    answerOf(size, { matrix: slopesOf(threshold), sums, mask }, challenge, 0),
  );
  const answer = Buffer.from(answers[0]!);
  const width = Math.ceil(carriedBits(size) / 8) * size.combinations;
  for (const [threshold, other] of answers.entries()) {
    for (let k = 0; k < size.inner; k += 1) {
      const place = (k * answers.length + threshold) * width;
      answer.set(other.subarray(place, place + width), place);
    }
  }
  stream.write(PRODUCT_MESSAGE.check, answer);
  await stream.flush();
  return sharesOf(own, size);
}

/** Little endian. */
function addTo(bytes: Uint8Array, more: bigint): void {
  if (more === 0n) return;
  const value = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
  const sum = BigInt.asUintN(8 * bytes.length, value + more);
  bytes.set(Buffer.from(sum.toString(16).padStart(2 * bytes.length, '0'), 'hex').reverse());
}
