/** What `rotated` sends, by arithmetic from the public sizes alone: the lengths of all messages of a run, headers included. */
import { methodOf } from '@eigenveil/methods';
import type { Program, StatisticsTask } from '@eigenveil/task';
import { answersOf } from '../../src/lattice/messages.ts';
import { resultPlaces } from '../../src/lattice/packing.ts';
import { PRIME_BITS } from '../../src/lattice/security.ts';
import { type LatticePlan, proofBytes } from '../../src/lattice/sizes.ts';
import { answerBytes, CHALLENGE_BYTES } from '../../src/products/check.ts';
import {
  carriedBits,
  chunks,
  digitsPerEntry,
  maskCount,
  type ProductSize,
  transferCount,
} from '../../src/products/layout.ts';
import { rotatedParameters } from '../../src/rotated/parameters.ts';
import { pencilParameters } from '../../src/rotated/pencil/parameters.ts';
import { pencilPlan } from '../../src/rotated/pencil/steps.ts';
import { exchangesOf } from '../../src/rotated/runs.ts';
import type { Exchange } from '../../src/rotated/sizes.ts';
import { sketchParameters } from '../../src/rotated/sketch/parameters.ts';
import { turningPlan } from '../../src/rotated/turning.ts';

export interface Bytes {
  readonly toCsp: number;
  readonly toDataUser: number;
}

const HEADER = 8;
const BLOCK = 3 * 2 ** 14;
const NONCE = 32;
const message = (payload: number) => HEADER + payload;
const ring = (count: number, bits: number) => message(count * Math.ceil(bits / 8));

/** A digit of b bits takes b − 1 corrections of 16 bytes, and so many bytes for each column and mask as the ring has left above its weight. */
export function chunkedBytes(product: ProductSize): number {
  const { rows, inner, columns, part, digitBits } = product;
  let perDigits = 0;
  for (let row = 0; row < rows; row += 1) {
    perDigits += inner * (columns - (part === 'upper' ? row : 0) + maskCount(product));
  }
  let bytes = 0;
  for (let t = 0; t < digitsPerEntry(product); t += 1) {
    bytes +=
      rows * inner * (digitBits - 1) * 16 + perDigits * Math.ceil((carriedBits(product) - digitBits * t) / 8);
  }
  return bytes;
}

/** Rows of 16 bytes for every bit that is chosen, in blocks of 3·2^14 that begin with 128 for their check. */
function chosenBytes(transfers: number): number {
  let bytes = 0;
  for (let left = transfers; left > 0; left -= BLOCK) {
    const rows = 128 + 32 * Math.ceil(Math.min(left, BLOCK) / 32);
    bytes += message(8) + message(16 * rows) + message(48);
  }
  return bytes;
}

function exchangeBytes(waves: Exchange): Bytes {
  const all = waves.flat();
  let [toCsp, toDataUser] = [0, message(CHALLENGE_BYTES)];
  for (const wave of waves) {
    toDataUser += chosenBytes(wave.reduce((sum, product) => sum + transferCount(product), 0));
    let before = 0;
    for (const product of wave) {
      const messages = [...chunks(product, before)].length;
      toCsp += chunkedBytes(product) + messages * message(16);
      before += transferCount(product) / product.digitBits;
    }
  }
  for (const product of all) toCsp += message(answerBytes(product));
  return { toCsp, toDataUser };
}

/** Points of the base transfers, and the one that comes back. */
const BASE: Bytes = { toCsp: message(128 * 65), toDataUser: message(65) };

const reversed = ({ toCsp, toDataUser }: Bytes): Bytes => ({ toCsp: toDataUser, toDataUser: toCsp });

const sum = (parts: readonly Bytes[]): Bytes => ({
  toCsp: parts.reduce((total, part) => total + part.toCsp, 0),
  toDataUser: parts.reduce((total, part) => total + part.toDataUser, 0),
});

/** The data user's and the CSP's messages of the products of a plan, nonces included. */
export function latticeMessages({ products, keys, statements }: LatticePlan): Bytes {
  const words = (count: number, limbs: number) => limbs * Math.ceil((count * PRIME_BITS) / 8);
  let toCsp = message(NONCE);
  let toDataUser = message(NONCE);
  for (const { degree, up } of keys) toCsp += message(words(degree, up));
  for (const { packing, degree, up, down } of products) {
    const { blocks, ciphertexts, classes } = packing;
    const inside = degree / classes;
    toCsp += blocks * ciphertexts * (message(words(inside, up)) + message(words(degree - inside, up)));
    for (const { block, answer } of answersOf(packing)) {
      const results = resultPlaces(packing, block, answer).length;
      toDataUser += message(words(degree, down) + words(results, down));
    }
  }
  for (const statement of statements) toCsp += message(proofBytes(statement));
  return { toCsp, toDataUser };
}

/** All of a PCA; of a correlation matrix without the circuit and its base transfers. */
async function pcaBytes(task: StatisticsTask, program: Program): Promise<Bytes> {
  const { features: d, ringBits } = rotatedParameters(task);
  const opening =
    methodOf(task).decomposes === 'correlation'
      ? []
      : [
          {
            toCsp: ring(1, ringBits),
            toDataUser: ring(program.outputs.includes('mean') ? 1 + d : 1, ringBits),
          },
        ];
  return sum([...opening, latticeMessages(await turningPlan(task, program))]);
}

async function pencilBytes(task: StatisticsTask, program: Program): Promise<Bytes> {
  const { features: d, classes, ringBits } = pencilParameters(task, program);
  const count = classes.reduce((total, one) => total + one);
  const declared = program.outputs.includes('mean') ? count + d : count;
  return sum([
    { toCsp: ring(1, ringBits), toDataUser: ring(declared, ringBits) },
    latticeMessages(await pencilPlan(task, program)),
  ]);
}

function sketchBytes(task: StatisticsTask, program: Program): Bytes {
  const parameters = sketchParameters(task, program);
  const { features: d, columns: l, components: k, shareRing, ringBits, openRing, vectorRing } = parameters;
  const exchanges = exchangesOf(task, program).map(exchangeBytes);
  const centring = parameters.hasFloor ? exchanges.splice(0, 1) : [];
  const [first, whitening, turning, back, last] = exchanges;
  const upper = (l * (l + 1)) / 2;
  return sum([
    { toCsp: ring(1, shareRing), toDataUser: ring(1 + d, shareRing) },
    BASE,
    reversed(BASE),
    ...centring,
    first!,
    { toCsp: 0, toDataUser: ring(upper, ringBits) },
    reversed(whitening!),
    turning!,
    { toCsp: 0, toDataUser: ring(upper, openRing) },
    back!,
    reversed(last!),
    { toCsp: 0, toDataUser: ring(d * k, vectorRing) },
  ]);
}

/** Of a correlation matrix without the circuit that standardises. */
export async function rotatedBytes(task: StatisticsTask, program: Program): Promise<Bytes> {
  if (task.sketch !== undefined) return sketchBytes(task, program);
  return await (task.method.kind === 'pca' ? pcaBytes : pencilBytes)(task, program);
}
