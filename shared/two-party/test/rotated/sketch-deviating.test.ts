/** What a data user gains that puts another share of Z', or of J, into the last products of a sketch: docs/rotated-sketches.md, S-617. */
import { expect, it } from 'vitest';
import { MessageStream, memoryChannelPair } from '../../src/index.ts';
import { clearProductsBothWays } from '../../src/insides/clear-products.ts';
import { multiplyMatrices } from '../../src/rotated/matrices.ts';
import type { CspProducts, DataUserProducts } from '../../src/rotated/products.ts';
import { answerSketch } from '../../src/rotated/sketch/csp.ts';
import { askSketch } from '../../src/rotated/sketch/data-user.ts';
import { sketchParameters } from '../../src/rotated/sketch/parameters.ts';
import { drawSketchSecrets } from '../../src/rotated/sketch/secrets.ts';
import { decodeShares } from '../../src/shares.ts';
import { AT_ONCE, systemBits } from './run.ts';
import { patterned, type SketchSetting, sketchSetting } from './sketches.ts';

/** Bits of J that a group of l features gives, since no entry of Z'J here comes near the others of the ring. */
const STEP = 14;
const GROUPS = 3;

/** The shares that the CSP sends last, which notices nothing of a data user that deviates. */
async function sharesSent(
  { task, program, garbler, evaluator }: SketchSetting,
  csp: CspProducts,
  user: DataUserProducts,
): Promise<readonly bigint[]> {
  const parameters = sketchParameters(task, program);
  const { features: d, components: k, vectorRing: ring } = parameters;
  const [left, right] = memoryChannelPair();
  const read: Uint8Array[] = [];
  class Noting extends MessageStream {
    override async read(type: number, length: number): Promise<Uint8Array> {
      const bytes = await super.read(type, length);
      read.push(bytes);
      return bytes;
    }
  }
  const [, end] = await Promise.allSettled([
    askSketch(new Noting(right), async () => user, { task, program }, { ...evaluator, pace: AT_ONCE }),
    answerSketch(
      new MessageStream(left),
      async () => csp,
      { task, program },
      { ...garbler, markAnswered: async () => undefined },
      () => drawSketchSecrets(parameters, systemBits()),
    ),
  ]);
  expect(end.status).toBe('fulfilled');
  return decodeShares(new Array<number>(d * k).fill(ring), read.at(-1)!);
}

it('tells a data user that adds powers of two to its share of Z′ the coefficients, and the images as before', async () => {
  const setting = sketchSetting({ rows: patterned(60, 40, 12), columns: 8, components: 2 });
  const { task, program } = setting;
  const parameters = sketchParameters(task, program);
  const { columns: l, components: k, vectorRing: ring } = parameters;
  const signed = (value: bigint) => BigInt.asIntN(ring, value);
  const shiftOf = (i: number) => BigInt(ring - STEP * (1 + Math.floor(i / l)));
  const isAltered = (i: number) => i < GROUPS * l;

  const { csp: atCsp, user: atUser, log } = clearProductsBothWays();
  let calls = 0;
  let ownCoefficients: readonly (readonly bigint[])[] = [];
  const shares: bigint[][][] = [];
  let own: bigint[][] = [];
  const deviating: DataUserProducts = {
    multiply: async (products) => {
      calls += 1;
      if (calls < 3) return atUser.multiply(products);
      const [first, second, third, piece] = products;
      if ('from' in piece!.matrix) throw new TypeError('another order expected');
      own = transposed(piece!.matrix);
      const altered = piece!.matrix.map((row, a) =>
        row.map((entry, i) =>
          isAltered(i) && i % l === a ? BigInt.asUintN(ring, entry + (1n << shiftOf(i))) : entry,
        ),
      );
      const result = await atUser.multiply([first!, second!, third!, { ...piece!, matrix: altered }]);
      shares.push(result[3]!);
      return result;
    },
    reversed: {
      multiply: async (products) => {
        const [piece] = products;
        const result = await atUser.reversed.multiply(products);
        if (calls === 3 && !('from' in piece!.matrix)) {
          ownCoefficients = transposed(piece!.matrix);
          shares.push(result[0]!);
        }
        return result;
      },
    },
  };
  let theirKept: bigint[][] = [];
  const watched: CspProducts = {
    ...atCsp,
    reversed: {
      multiply: (products) => {
        const { matrix } = products[0]!;
        if (!('from' in matrix)) theirKept = transposed(matrix);
        return atCsp.reversed.multiply(products);
      },
    },
  };
  const theirs = await sharesSent(setting, watched, deviating);

  // What the data user has: its own shares, and what the CSP has sent last.
  const local = multiplyMatrices(own, ownCoefficients, ring);
  const [mixed, back] = [transposed(shares[0]!), transposed(shares[1]!)];
  const seen = theirs.map((share, at) => {
    const [i, j] = [Math.floor(at / k), at % k];
    const altered = isAltered(i) ? ownCoefficients[i % l]![j]! << shiftOf(i) : 0n;
    return signed(share + local[i]![j]! + mixed[i]![j]! + back[i]![j]! + altered);
  });
  const J = Array.from({ length: l }, (_, a) =>
    Array.from({ length: k }, (__, j) => {
      let known = 0n;
      for (let group = 0; group < GROUPS; group += 1) {
        const i = group * l + a;
        const bits = STEP * (group + 1);
        const left = BigInt.asIntN(ring, seen[i * k + j]! - (known << shiftOf(i)));
        const unit = shiftOf(i) + BigInt(STEP * group);
        known += ((left + (1n << (unit - 1n))) >> unit) << BigInt(STEP * group);
        known = BigInt.asIntN(bits, known);
      }
      return known;
    }),
  );

  const truth = ownCoefficients.map((row, a) =>
    row.map((entry, j) => signed(entry + log.at(-1)!.matrix[j]![a]!)),
  );
  expect(J).toEqual(truth);
  const Z = own.map((row, i) => row.map((entry, a) => signed(entry + theirKept[i]![a]!)));
  const images = seen.map((value, at) => {
    const [i, j] = [Math.floor(at / k), at % k];
    return signed(isAltered(i) ? value - (J[i % l]![j]! << shiftOf(i)) : value);
  });
  expect(images).toEqual(multiplyMatrices(Z, truth, ring).flat().map(signed));
});

/** Bits of an entry of Z' and of what is added up before it, and where they begin: real rows leave the ring's other bits free. */
const ENTRY = 14;
const LOW = 18;

it('tells a data user that puts other numbers into the place of its share of J all of Z′', async () => {
  const setting = sketchSetting({ rows: patterned(60, 40, 12), columns: 9, components: 3 });
  const { task, program } = setting;
  const parameters = sketchParameters(task, program);
  const { columns: l, components: k, features: d, vectorRing: ring } = parameters;
  const { csp, user, log } = clearProductsBothWays();
  // Column j of what it adds has the columns 3j, 3j + 1 and 3j + 2 of Z' side by side.
  const added = Array.from({ length: k }, (_, j) =>
    Array.from({ length: l }, (__, a) =>
      Math.floor(a / k) === j ? 1n << BigInt(LOW + ENTRY * (a % k)) : 0n,
    ),
  );
  let calls = 0;
  let local: bigint[][] = [];
  let kept: bigint[][] = [];
  let choices: bigint[][] = [];
  const shares: bigint[][][] = [];
  const deviating: DataUserProducts = {
    multiply: async (products) => {
      calls += 1;
      if (calls < 3) return user.multiply(products);
      const [directions, ...others] = products;
      // No directions, so that J is its flood.
      const nothing = directions!.matrix as readonly (readonly bigint[])[];
      const zeros = nothing.map((row) => row.map(() => 0n));
      const result = await user.multiply([{ ...directions!, matrix: zeros }, ...others]);
      kept = transposed(products[3]!.matrix as readonly (readonly bigint[])[]);
      shares.push(result[3]!);
      return result;
    },
    reversed: {
      multiply: async (products) => {
        if (calls < 3) return user.reversed.multiply(products);
        const [piece] = products;
        const own = piece!.matrix as readonly (readonly bigint[])[];
        choices = own.map((row, j) => row.map((entry, a) => BigInt.asIntN(ring, entry + added[j]![a]!)));
        const result = await user.reversed.multiply([{ ...piece!, matrix: choices }]);
        shares.push(result[0]!);
        return result;
      },
    },
  };
  const theirs = await sharesSent(setting, csp, deviating);

  local = multiplyMatrices(kept, transposed(choices), ring);
  const seen = (i: number, j: number) =>
    BigInt.asIntN(ring, theirs[i * k + j]! + local[i]![j]! + shares[0]![j]![i]! + shares[1]![j]![i]!);
  const found = Array.from({ length: d }, (_, i) =>
    Array.from({ length: l }, (__, a) => {
      let rest = seen(i, Math.floor(a / k));
      rest = (rest + (1n << BigInt(LOW - 1))) >> BigInt(LOW); // without Z' times the flood
      for (let before = 0; before < a % k; before += 1)
        rest = (rest - BigInt.asIntN(ENTRY, rest)) >> BigInt(ENTRY);
      return BigInt.asIntN(ENTRY, rest);
    }),
  );
  const shorter = Math.min(ring, parameters.gram.ring);
  const truth = kept.map((row, i) =>
    row.map((entry, a) => BigInt.asIntN(shorter, entry + log[0]!.matrix[a]![i]!)),
  );
  expect(found).toEqual(truth);
});

function transposed(matrix: readonly (readonly bigint[])[]): bigint[][] {
  return matrix[0]!.map((_, j) => matrix.map((row) => row[j]!));
}
