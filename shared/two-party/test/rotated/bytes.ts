/** What `rotated` sends, by arithmetic from the public sizes alone: the lengths of all messages of a run, headers included. */
import { isStandardised, type Program, type StatisticsTask } from '@eigenveil/task';
import { answerBytes, CHALLENGE_BYTES } from '../../src/products/check.ts';
import {
  carriedBits,
  checkSize,
  chunks,
  digitsPerEntry,
  maskCount,
  type ProductSize,
  transferCount,
} from '../../src/products/layout.ts';
import { ceilLog2, rotatedParameters } from '../../src/rotated/parameters.ts';
import { pencilParameters } from '../../src/rotated/pencil/parameters.ts';

export interface Bytes {
  readonly toCsp: number;
  readonly toDataUser: number;
}

type Exchange = readonly (readonly ProductSize[])[];
type Sides = readonly [rows: number, inner: number, columns: number];

const HEADER = 8;
const BLOCK = 2 ** 16;
const message = (payload: number) => HEADER + payload;
const ring = (count: number, bits: number) => message(count * Math.ceil(bits / 8));

function size(
  [rows, inner, columns]: Sides,
  entryBits: number,
  ringBits: number,
  part: 'whole' | 'upper' = 'whole',
) {
  return checkSize({ rows, inner, columns, entryBits, ringBits, part });
}

/** A digit of four bits takes three corrections of 16 bytes, and so many bytes for each column and mask as the ring has left above its weight. */
export function chunkedBytes(product: ProductSize): number {
  const { rows, inner, columns, part } = product;
  let perDigits = 0;
  for (let row = 0; row < rows; row += 1) {
    perDigits += inner * (columns - (part === 'upper' ? row : 0) + maskCount(product));
  }
  let bytes = 0;
  for (let t = 0; t < digitsPerEntry(product); t += 1) {
    bytes += rows * inner * 3 * 16 + perDigits * Math.ceil((carriedBits(product) - 4 * t) / 8);
  }
  return bytes;
}

/** Rows of 16 bytes for every bit that is chosen, in blocks of 2^16 that begin with 128 for their check. */
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
      before += transferCount(product) / 4;
    }
  }
  for (const product of all) toCsp += message(answerBytes(product));
  return { toCsp, toDataUser };
}

/** Points of the base transfers, and the one that comes back. */
const BASE: Bytes = { toCsp: message(128 * 65), toDataUser: message(65) };

const sum = (parts: readonly Bytes[]): Bytes => ({
  toCsp: parts.reduce((total, part) => total + part.toCsp, 0),
  toDataUser: parts.reduce((total, part) => total + part.toDataUser, 0),
});

function rotating(d: number, entryBits: number, noiseBits: number, ringBits: number): readonly ProductSize[] {
  return [
    size([d, d, d], entryBits, ringBits),
    size([(d * (d + 1)) / 2, 1, 1], noiseBits, ringBits),
    size([d, d, d], entryBits, ringBits, 'upper'),
  ];
}

/** All of a PCA; of a correlation matrix what follows the circuit. */
function pcaBytes(task: StatisticsTask, { components: k, outputs }: Program): Bytes {
  const {
    features: d,
    ringBits,
    rotationBits,
    noiseEntryBits,
    vectorRingBits,
    shareBits,
  } = rotatedParameters(task);
  const entries = (d * (d + 1)) / 2;
  const statistics = isStandardised(task.method)
    ? []
    : [size([d, 1, d], shareBits.V + 1, ringBits), size([entries, 1, 1], shareBits.R + 1, ringBits)];
  const opening = isStandardised(task.method)
    ? []
    : [{ toCsp: ring(1, ringBits), toDataUser: ring(outputs.includes('mean') ? 1 + d : 1, ringBits) }];
  return sum([
    ...opening,
    BASE,
    exchangeBytes([[...statistics, ...rotating(d, rotationBits + 1, noiseEntryBits, ringBits)]]),
    { toCsp: 0, toDataUser: ring(entries, ringBits) },
    exchangeBytes([[size([d, d, k], rotationBits + 1, vectorRingBits)]]),
    { toCsp: 0, toDataUser: ring(d * k, vectorRingBits) },
  ]);
}

function pencilBytes(task: StatisticsTask, program: Program): Bytes {
  const parameters = pencilParameters(task, program);
  const { features: d, components: k, classes, groups: r, columns: n, shareBits, ringBits } = parameters;
  const { group, signal, white, turned, back, inner, openRing, vectorRing, wide } = parameters;
  const count = classes.reduce((total, one) => total + one);
  const entryBits = parameters.rotationBits + 1;
  const statistics =
    task.method.kind === 'mdr'
      ? [size([d, count, count], shareBits.V + 1, wide.ring), size([d, count, d], shareBits.V + 1, wide.ring)]
      : [
          size([d, 1, d], shareBits.V + ceilLog2(classes[0]!) + 1, ringBits),
          size([(d * (d + 1)) / 2, 1, 1], shareBits.R + 1, ringBits),
        ];
  const first = [
    ...statistics,
    size([d, classes[0]!, r], shareBits.V + 1, group.ring),
    size([d, d, r], parameters.fineRotationBits + 1, signal.ring),
    ...rotating(d, entryBits, parameters.noiseEntryBits, ringBits),
  ];
  const second = [
    size([r, d, d], signal.ring - signal.cut + 2, white.ring),
    size([d, d, n], entryBits, turned.ring),
    ...(n > 1 ? [size([n, n, d], parameters.mixingBits + 1, openRing)] : []),
  ];
  const third = [
    [size([d, d, k], entryBits, back.ring)],
    [size([k, d, d], back.ring - back.cut + 2, inner.ring), size([d, d, k], entryBits, vectorRing)],
  ];
  const declared = program.outputs.includes('mean') ? count + d : count;
  return sum([
    { toCsp: ring(1, ringBits), toDataUser: ring(declared, ringBits) },
    BASE,
    exchangeBytes([first]),
    { toCsp: 0, toDataUser: ring((d * (d + 1)) / 2, ringBits) },
    exchangeBytes([second]),
    { toCsp: 0, toDataUser: ring(d * n, openRing) },
    exchangeBytes(third),
    { toCsp: 0, toDataUser: ring(d * k, vectorRing) },
  ]);
}

/** Of a correlation matrix without the circuit that standardises. */
export function rotatedBytes(task: StatisticsTask, program: Program): Bytes {
  return task.method.kind === 'pca' ? pcaBytes(task, program) : pencilBytes(task, program);
}
