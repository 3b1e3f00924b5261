/** What the CSP's two answers amount to, exactly: M with its noise and mask, and the rotated directions with their flood. */
import { describe, expect, it } from 'vitest';
import { MessageStream } from '../../src/channel/message-stream.ts';
import { answerRotated } from '../../src/rotated/csp.ts';
import { askRotated } from '../../src/rotated/data-user.ts';
import {
  multiplyMatrices,
  symmetricMatrix,
  transpose,
  upperEntries,
  upperOf,
} from '../../src/rotated/matrices.ts';
import { rotatedParameters } from '../../src/rotated/parameters.ts';
import { drawSecrets, type RotationSecrets } from '../../src/rotated/secrets.ts';
import { dealtLattice } from '../support/dealers.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';
import { view } from '../support/views.ts';
import { AT_ONCE, systemBits } from './run.ts';
import { type Given, settingOf, spread } from './settings.ts';

/** A run with everything that either end held. */
async function record(given: Given) {
  const { task, program, garbler, evaluator, statistics } = settingOf(given);
  const parameters = rotatedParameters(task);
  const [left, right] = memoryChannelPair();
  const { csp, user, log } = dealtLattice(undefined, { isExact: true });
  let secrets: RotationSecrets | undefined;
  await Promise.allSettled([
    answerRotated(
      new MessageStream(left),
      csp,
      { task, program },
      { ...garbler, markAnswered: async () => undefined },
      () => {
        secrets = drawSecrets(parameters, program.components, systemBits());
        return secrets;
      },
    ),
    askRotated(new MessageStream(right), user, { task, program }, { ...evaluator, pace: AT_ONCE }),
  ]);
  const { ringBits, vectorRingBits } = parameters;
  // Products in order: V, R, the rotation, the noise, the rotation again; the rotation back.
  const [, , , scaled, twice, back] = log.map(({ got }) => got);
  return {
    statistics,
    parameters,
    secrets: secrets!,
    directions: log.at(-1)!.user,
    M: upperOf(twice!).map((entry, n) => BigInt.asIntN(ringBits, entry + scaled![n]![0]!)),
    vectors: back!.flat().map((entry) => BigInt.asIntN(vectorRingBits, entry)),
    opened: log.map(({ isOpened }) => isOpened),
  };
}

describe('the answer', () => {
  const given = { rows: spread(40, 5, 3), components: 2 };

  it('is 4^f P T Pᵀ, noise times the trace, and the mask', async () => {
    const { statistics, secrets, M, opened } = await record(given);
    const { V, M: Q } = statistics.labellings[0]![0]!;
    const T = symmetricMatrix(statistics.R, 5).map((row, i) =>
      row.map((entry, j) => Q * entry - V[i]! * V[j]!),
    );
    expect(M).toEqual(view(T, secrets));
    expect(opened).toEqual([false, false, false, false, true, true]);
  });

  it('is 4^f Pᵀ A and the flood', async () => {
    const { secrets, parameters, directions, vectors } = await record(given);
    const { vectorRingBits } = parameters;
    const exact = multiplyMatrices(transpose(secrets.rotation), directions, vectorRingBits).flat();
    expect(vectors).toEqual(
      exact.map((entry, n) => BigInt.asIntN(vectorRingBits, entry + secrets.flood.flat()[n]!)),
    );
    expect(directions.flat().some((entry) => entry !== 0n)).toBe(true);
  });

  it('is the flood alone where the result is refused', async () => {
    const { secrets, vectors } = await record({ rows: spread(3, 5, 3), components: 3 });
    expect(vectors).toEqual(secrets.flood.flat());
  });

  it('has noise and flood of the stated scales', () => {
    const { parameters } = { parameters: rotatedParameters(settingOf({ ...given, components: 1 }).task) };
    const random = systemBits();
    const { noiseBits, floodBits, rotationBits, maskBits } = parameters;
    expect([noiseBits, floodBits]).toEqual([2 * rotationBits - 36, 2 * rotationBits - 33]);
    const draws = Array.from({ length: 200 }, () => drawSecrets(parameters, 4, random));
    const deviation = (values: readonly bigint[], bits: number) =>
      Math.sqrt(values.reduce((sum, value) => sum + (Number(value) / 2 ** bits) ** 2, 0) / values.length);
    const diagonal = upperEntries(5, (i, j) => i === j);
    // Six standard errors.
    const near = (value: number, expected: number, count: number) =>
      expect(Math.abs(value / expected - 1)).toBeLessThan(6 / Math.sqrt(2 * count));
    near(
      deviation(
        draws.flatMap(({ flood }) => flood.flat()),
        floodBits,
      ),
      1,
      4000,
    );
    near(
      deviation(
        draws.flatMap(({ noise }) => noise.filter((_, e) => !diagonal[e])),
        noiseBits,
      ),
      1,
      2000,
    );
    near(
      deviation(
        draws.flatMap(({ noise }) => noise.filter((_, e) => diagonal[e])),
        noiseBits,
      ),
      Math.SQRT2,
      1000,
    );
    near(
      deviation(
        draws.flatMap(({ mask }) => mask),
        maskBits,
      ),
      1 / Math.sqrt(3),
      3000,
    );
  });
});
