/** A result that the data user refuses: the CSP must not notice, and no vector must come. */
import { describe, expect, it } from 'vitest';
import { MessageStream } from '../../src/channel/message-stream.ts';
import { answerRotated } from '../../src/rotated/csp.ts';
import { askRotated } from '../../src/rotated/data-user.ts';
import { drawSecrets } from '../../src/rotated/secrets.ts';
import { dealtLattice } from '../support/dealers.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';
import { AT_ONCE, systemBits } from './run.ts';
import { type Given, settingOf, spread } from './settings.ts';

/** The directions that the data user asked for, and what each end came to. */
async function directions(given: Given) {
  const { task, program, garbler, evaluator } = settingOf(given);
  const [left, right] = memoryChannelPair();
  const { csp: lattice, user: products, log } = dealtLattice();
  const [csp, user] = await Promise.allSettled([
    answerRotated(
      new MessageStream(left),
      lattice,
      { task, program },
      { ...garbler, markAnswered: async () => undefined },
      (parameters) => drawSecrets(parameters, program.components, systemBits()),
    ),
    askRotated(new MessageStream(right), products, { task, program }, { ...evaluator, pace: AT_ONCE }),
  ]);
  const code = user.status === 'rejected' ? user.reason.code : undefined;
  return { csp: csp.status, user: user.status, code, matrix: log.at(-1)!.user };
}

const noisy = {
  rows: spread(40, 8, 5),
  components: 3,
  program: { allowFullRank: true },
  task: {
    differentialPrivacy: {
      epsilon: 1,
      delta: 1e-5,
      neighbours: 'add-remove',
      clippingNorm: 2,
      noise: 'servers',
      honestOwners: null,
      dataIndependentRanges: true,
    },
  },
} as const;

describe('a refused result', () => {
  it.each([
    ['fewer rows than needed', 'ERR_FULL_RANK', { rows: spread(4, 8, 5), components: 3 }],
    ['no rows', 'ERR_NO_SAMPLES', { rows: [], features: 4, components: 2 }],
    ['more noise than rows', 'ERR_STATISTICS_INVALID', { ...noisy, shift: -20 }],
  ])('asks for nothing: %s', async (_, reason, given) => {
    const { csp, user, code, matrix } = await directions(given);
    expect([csp, user, code]).toEqual(['fulfilled', 'rejected', reason]);
    expect(matrix.flat().every((entry) => entry === 0n)).toBe(true);
  });

  it('is told from others, which ask for directions of length 1', async () => {
    for (const given of [
      { rows: spread(40, 8, 5), components: 3 },
      { ...noisy, shift: 20 },
    ]) {
      const { csp, user, matrix } = await directions(given);
      expect([csp, user]).toEqual(['fulfilled', 'fulfilled']);
      expect(matrix.flat().some((entry) => entry !== 0n)).toBe(true);
    }
  });
});
