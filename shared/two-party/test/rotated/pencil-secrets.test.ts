/** What the CSP draws for a pencil: distributions, roundings, and that all of it reaches what it is for. */
import { describe, expect, it } from 'vitest';
import { lengthsOf } from '../../src/rotated/pencil/parameters.ts';
import { drawPencilSecrets, type PencilSecrets } from '../../src/rotated/secrets.ts';
import { dca, distanceToPencil, labelled, pencilSetting, resultOf } from './pencils.ts';
import { KS_LIMIT, kolmogorov, normalCdf, seededBits } from './statistics.ts';

const parameters = lengthsOf({
  ...{ features: 4, groups: 3, components: 2, columns: 3, classes: [4], summed: false },
  shareBits: { R: 96, V: 96, sums: 96 },
  totalBits: 60,
  fractionBits: 14,
});

describe('the secrets of a pencil', () => {
  const random = seededBits('pencil secrets');
  const drawn = Array.from({ length: 60 }, () => drawPencilSecrets(parameters, random));

  it('are normal of the deviations that the proof has', () => {
    const { openBits, vectorBits, noiseBits, rotationBits } = parameters;
    const deviations = (numbers: readonly bigint[], bits: number) =>
      numbers.map((x) => Number(x) * 2 ** -bits);
    const normals = [
      deviations(
        drawn.flatMap(({ signalNoise }) => signalNoise.flat()),
        openBits - 46,
      ),
      deviations(
        drawn.flatMap(({ flood }) => flood.flat()),
        vectorBits - 40,
      ),
      // Off the diagonal of a 4 × 4 triangle.
      deviations(
        drawn.flatMap(({ noise }) => [1, 2, 3, 5, 6, 8].map((e) => noise[e]!)),
        2 * rotationBits - 46,
      ),
    ];
    for (const list of normals) expect(kolmogorov(list, normalCdf)).toBeLessThan(KS_LIMIT);
    expect(noiseBits).toBe(2 * rotationBits - 46);
  });

  it('have one P at two roundings, and three rotations that differ', () => {
    for (const { rotation, fineRotation, turn, mixing } of drawn.slice(0, 5)) {
      const more = parameters.fineRotationBits - parameters.rotationBits;
      for (const [i, row] of rotation.entries()) {
        for (const [j, entry] of row.entries()) {
          const off = Math.abs(Number((entry << BigInt(more)) - fineRotation[i]![j]!)) / 2 ** more;
          expect(off).toBeLessThanOrEqual(0.5);
        }
      }
      expect(turn).not.toEqual(rotation);
      expect(mixing).toHaveLength(3);
    }
    expect(new Set(drawn.map(({ turn }) => turn[0]![0])).size).toBe(drawn.length);
    expect(new Set(drawn.map(({ mixing }) => mixing![0]![0])).size).toBe(drawn.length);
  });
});

describe('what is drawn reaches the answer:', () => {
  const louder = (matrix: PencilSecrets['flood']) => matrix.map((row) => row.map((entry) => entry << 30n));

  it.each([
    ['noise on Y', 2, (own: PencilSecrets) => ({ signalNoise: louder(own.signalNoise) })],
    ['noise on Y', 3, (own: PencilSecrets) => ({ signalNoise: louder(own.signalNoise) })],
    ['flood', 3, (own: PencilSecrets) => ({ flood: louder(own.flood) })],
  ] as const)('%s, %i classes', async (_, classes, change) => {
    const setting = pencilSetting({ ...labelled(60, 4, classes), components: classes - 1, method: dca(0.1) });
    const secrets = (sizes: Parameters<typeof drawPencilSecrets>[0]) => {
      const own = drawPencilSecrets(sizes, seededBits('louder'));
      return { ...own, ...change(own) };
    };
    const { sine } = distanceToPencil(setting, await resultOf(setting, { secrets }));
    expect(sine).toBeGreaterThan(1e-7);
  });
});
