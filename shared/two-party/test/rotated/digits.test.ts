/** A data user whose correlations depend on the digit would read P, and with it T, out of one answer: the CSP does not give it. */
import type { CodedError } from '@eigenveil/platform';
import { describe, expect, it } from 'vitest';
import { withAbort } from '../../src/channel/abort.ts';
import { MessageStream } from '../../src/channel/message-stream.ts';
import { drawDelta, setUpSender } from '../../src/oblivious-transfer/index.ts';
import { type CorrelatedProduct, multiplyEachCorrelated } from '../../src/products/index.ts';
import { checkSize, DIGIT_BITS } from '../../src/products/layout.ts';
import { askRotated } from '../../src/rotated/data-user.ts';
import { type Matrix, symmetricMatrix, transpose } from '../../src/rotated/matrices.ts';
import { type RotatedParameters, rotatedParameters } from '../../src/rotated/parameters.ts';
import { drawSecrets } from '../../src/rotated/secrets.ts';
import { rotated } from '../../src/rotated.ts';
import { type Lie, multiplyLying } from '../support/deviating.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';
import { view } from '../support/views.ts';
import { datasetRows } from './datasets.ts';
import { AT_ONCE, systemBits } from './run.ts';
import { type Setting, settingOf } from './settings.ts';

/** The flood takes the bits below; 7 digits of four bits lie above it in every entry of the last product. */
const DIGITS_PER_ENTRY = 7;

/** Which digits of Pᵀ show where: the highest ones of all entries of a row, side by side in the columns of the answer. */
function places({ features: d, rotationBits }: RotatedParameters, components: number) {
  const digits = Math.ceil((rotationBits + 1) / DIGIT_BITS);
  const shown = Math.floor((DIGITS_PER_ENTRY * components) / d);
  const place = (inner: number, t: number) => {
    const n = inner * shown + (digits - 1 - t);
    return { column: Math.floor(n / DIGITS_PER_ENTRY), position: n % DIGITS_PER_ENTRY };
  };
  return { digits, shown, place };
}

/** A = 0, and digit δ of weight 16^t carries 16^−t times the place where it shall show. */
function showing(parameters: RotatedParameters, components: number): Lie['deviation'] {
  const { digits, shown, place } = places(parameters, components);
  return ({ inner, t }, column) => {
    if (t < digits - shown) return 0n;
    const spot = place(inner, t);
    if (spot.column !== column) return 0n;
    return 1n << BigInt(parameters.vectorRingBits - DIGIT_BITS * (spot.position + 1 + t));
  };
}

/** The same, and what a column is off by is taken from the mask behind it. */
function cancelling(parameters: RotatedParameters, components: number): Lie['deviation'] {
  const shown = showing(parameters, components);
  return (digit, column) => (column < components ? shown(digit, column) : -shown(digit, column - components));
}

/** P in units of 2^−f from the answer, d × components. */
function readRotation(answer: Matrix, parameters: RotatedParameters): number[][] {
  const { features: d, rotationBits: f, vectorRingBits } = parameters;
  const { digits, shown, place } = places(parameters, answer[0]!.length);
  const unit = BigInt(vectorRingBits - DIGIT_BITS * DIGITS_PER_ENTRY);
  const rows = answer.map((row) => {
    // Rounded to the last place: the flood is below half of it.
    const numbers = row.map((entry) =>
      BigInt.asUintN(DIGIT_BITS * DIGITS_PER_ENTRY, (entry + (1n << (unit - 1n))) >> unit),
    );
    return Array.from({ length: d }, (_, inner) => {
      let entry = 0;
      for (let t = digits - 1; t >= digits - shown; t -= 1) {
        const { column, position } = place(inner, t);
        const digit = (numbers[column]! >> BigInt(DIGIT_BITS * (DIGITS_PER_ENTRY - 1 - position))) & 15n;
        entry += Number(digit) * 16 ** t;
      }
      return (entry + 16 ** (digits - shown) / 2) / 2 ** f - 1;
    });
  });
  return rows[0]!.map((_, i) => rows.map((row) => row[i]!)); // the digits are those of Pᵀ
}

const times = (a: readonly (readonly number[])[], b: readonly (readonly number[])[]) =>
  a.map((row) => b[0]!.map((_, j) => row.reduce((sum, x, k) => sum + x * b[k]![j]!, 0)));

function scatterOf({ statistics }: Setting): Matrix {
  const { V, M: Q } = statistics.labellings[0]![0]!;
  return symmetricMatrix(statistics.R, V.length).map((row, i) =>
    row.map((entry, j) => Q * entry - V[i]! * V[j]!),
  );
}

/** Relative error of Pᵀ M P against T. */
function errorOf(P: readonly (readonly number[])[], M: readonly bigint[], given: Setting) {
  const { rotationBits, maskBits } = rotatedParameters(given.task);
  const T = scatterOf(given);
  const opened = symmetricMatrix(
    M.map((entry) => entry - (1n << BigInt(maskBits - 1))),
    T.length,
  ).map((row) => row.map((entry) => Number(entry) / 2 ** (2 * rotationBits)));
  const transposed = P[0]!.map((_, j) => P.map((row) => row[j]!));
  const guess = times(times(transposed, opened), P);
  const size = (matrix: readonly (readonly number[])[]) => Math.hypot(...matrix.flat());
  return (
    size(guess.map((row, i) => row.map((x, j) => x - Number(T[i]![j]!)))) /
    size(T.map((row) => row.map(Number)))
  );
}

/** The data user follows the protocol but for its last product; what it was given after M, and how the CSP ended. */
async function attack({ task, program, garbler, evaluator }: Setting, lieOf: typeof showing) {
  const parameters = rotatedParameters(task);
  const { features: d, rotationBits, vectorRingBits: ringBits } = parameters;
  const { components } = program;
  const [left, right] = memoryChannelPair();
  let marked = 0;
  const markAnswered = async () => {
    marked += 1;
  };
  const stream = new MessageStream(right);
  const correlator = async () => {
    const sender = await setUpSender(stream, drawDelta());
    return {
      multiply: async (products: readonly CorrelatedProduct[]) => {
        if (products.length > 1) return await multiplyEachCorrelated(sender, products);
        const size = { rows: d, inner: d, columns: components, entryBits: rotationBits + 1, ringBits };
        const nothing = Array.from({ length: d }, () => new Array<bigint>(components).fill(0n));
        const lie = { deviation: lieOf(parameters, components) };
        return [await multiplyLying(sender, checkSize({ ...size, part: 'whole' }), nothing, lie)];
      },
    };
  };
  const [csp, user] = await Promise.allSettled([
    rotated.runCsp(left, { task, program }, { ...garbler, markAnswered }),
    withAbort(right, () =>
      askRotated(stream, correlator, { task, program }, { ...evaluator, pace: AT_ONCE }),
    ),
  ]);
  const codeOf = (end: PromiseSettledResult<unknown>) =>
    end.status === 'rejected' ? (end.reason as CodedError).code : 'done';
  return { csp: codeOf(csp), user: codeOf(user), marked };
}

describe('a data user that uses another correlation for every digit of the rotation', () => {
  it.each([
    ['pima', 6, 'no mask', showing],
    ['pima', 6, 'masks', cancelling],
    ['iris', 2, 'masks', cancelling],
    ['iris', 1, 'masks', cancelling],
  ] as const)(
    'is given no vectors: %s, %i of them, %s to make up for it',
    async (rows, components, _, lie) => {
      const given = settingOf({ rows: datasetRows(rows), components });
      // Vectors that were given would be ERR_ROTATION_CHECK at the data user: they are not orthonormal.
      expect(await attack(given, lie)).toEqual({
        csp: 'ERR_PRODUCT_CHECK',
        user: 'ERR_CHANNEL_ABORTED',
        marked: 1,
      });
    },
  );

  it('would read T out of them', () => {
    const components = 6;
    const given = settingOf({ rows: datasetRows('pima'), components });
    const parameters = rotatedParameters(given.task);
    const { features: d, rotationBits, vectorRingBits } = parameters;
    const secrets = drawSecrets(parameters, components, systemBits());
    const deviation = showing(parameters, components);
    const { digits } = places(parameters, components);
    const answer = transpose(secrets.rotation).map((entries, row) =>
      secrets.flood[row]!.map((flood, column) => {
        let sum = flood;
        for (const [inner, entry] of entries.entries()) {
          for (let t = 0; t < digits; t += 1) {
            const digit = ((entry + (1n << BigInt(rotationBits))) >> BigInt(DIGIT_BITS * t)) & 15n;
            sum += (digit << BigInt(DIGIT_BITS * t)) * deviation({ row, inner, t }, column);
          }
        }
        return BigInt.asUintN(vectorRingBits, sum);
      }),
    );
    const P = readRotation(answer, parameters);
    expect(P).toHaveLength(d);
    expect(errorOf(P, view(scatterOf(given), secrets), given)).toBeLessThan(1e-5);
  });
});
