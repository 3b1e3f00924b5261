/** The sizes of all products by transfers of a pencil and of a sketch, from the public task alone. */
import type { Program, StatisticsTask } from '@eigenveil/task';
import { checkSize, DIGIT_BITS, type DigitBits, type Part, type ProductSize } from '../products/layout.ts';
import { bitsLeft } from './matrices.ts';
import { sketchParameters } from './sketch/parameters.ts';
import { type Cut, liftingSizes, piecesOf } from './sketch/products.ts';

/** Products that are made together, with one check, in waves: see wavesOf(). */
export type Exchange = readonly (readonly ProductSize[])[];

type Sides = readonly [rows: number, inner: number, columns: number];

function size(
  [rows, inner, columns]: Sides,
  entryBits: number,
  ringBits: number,
  part: Part = 'whole',
): ProductSize {
  return checkSize({ rows, inner, columns, entryBits, ringBits, part });
}

/** Over a fast line bytes cost less than what they save: see DigitBits. */
export function digitBitsOf({ serverLine }: Pick<StatisticsTask, 'serverLine'>): DigitBits {
  return serverLine === 'fast' ? 3 : DIGIT_BITS;
}

/**
 * The choices of the second and of the last are the data user's; with a floor of the third, since an exchange
 * that centres comes first.
 */
export function exchangesOfSketch(task: StatisticsTask, program: Program): readonly Exchange[] {
  const parameters = sketchParameters(task, program);
  const { features: d, columns: l, components: k, entryShareBits, ringBits } = parameters;
  const { gram, turned, framed, half, white, mixed, openRing } = parameters;
  const { back, inner, coefficients, vectorRing } = parameters;
  const entryBits = parameters.rotationBits + 1;
  const fineBits = parameters.fineRotationBits + 1;
  const upper = (l * (l + 1)) / 2;
  const lifting = (count: number, stage: Cut) =>
    liftingSizes(count, stage).map((one) => size([1, one.size, one.size], 2, one.ring));
  const pieces = piecesOf(d).map((piece) => size([k, l, piece.size], vectorRing, vectorRing));
  const { centringRing, centringBits } = parameters;
  const centring = [
    ...piecesOf(d).map((piece) => size([l, 1, piece.size], centringBits.sums, centringRing)),
    size([d, 1, l], centringBits.V, centringRing),
  ];
  return [
    ...(parameters.hasFloor ? [[centring]] : []),
    [
      [
        size([l, d, l], Math.min(entryShareBits + 1, gram.ring), gram.ring),
        ...rotating(l, entryBits, parameters.noiseEntryBits, ringBits),
      ],
      [...lifting(upper, gram), size([l, l, l], fineBits, turned.ring)],
      [...lifting(l * l, turned), size([l, l, l], fineBits, framed.ring, 'upper')],
    ],
    [
      [...lifting(upper, framed), size([l, l, l], parameters.rootEntryBits, half.ring)],
      [...lifting(l * l, half), size([l, l, l], parameters.rootEntryBits, white.ring, 'upper')],
    ],
    [
      [...lifting(upper, white), size([l, l, l], entryBits, mixed.ring)],
      [...lifting(l * l, mixed), size([l, l, l], entryBits, openRing, 'upper')],
    ],
    [
      [size([l, l, k], fineBits, back.ring)],
      [size([k, l, l], bitsLeft(back), inner.ring), size([l, l, k], fineBits, coefficients.ring)],
      pieces,
    ],
    [pieces],
  ];
}

function rotating(d: number, entryBits: number, noiseBits: number, ringBits: number): readonly ProductSize[] {
  return [
    size([d, d, d], entryBits, ringBits),
    size([(d * (d + 1)) / 2, 1, 1], noiseBits, ringBits),
    size([d, d, d], entryBits, ringBits, 'upper'),
  ];
}
