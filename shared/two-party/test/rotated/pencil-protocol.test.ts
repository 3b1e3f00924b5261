/** Pencils over products from lattices, end to end: results, trips, the mark, what is refused before a byte, and faults. */
import { type MethodParameters, methodOf } from '@eigenveil/methods';

import { describe, expect, it } from 'vitest';
import type { Channel } from '../../src/index.ts';
import { LATTICE_MESSAGE } from '../../src/lattice/messages.ts';
import { pencilPlan } from '../../src/rotated/pencil/steps.ts';
import { rotated } from '../../src/rotated.ts';
import { recorded } from '../support/garbled-run.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';
import { answersBefore, messagesOf } from '../support/views.ts';
import { dca, distanceToPencil, type GivenPencil, labelled, lda, mdr, pencilSetting } from './pencils.ts';
import { AT_ONCE } from './run.ts';
import type { Setting } from './settings.ts';
import { countingTrips, watched } from './watched.ts';

interface Options {
  readonly channels?: readonly [Channel, Channel];
  readonly markAnswered?: () => Promise<void>;
}

async function run(
  { task, program, garbler, evaluator }: Setting,
  { channels = memoryChannelPair(), markAnswered = async () => undefined }: Options = {},
) {
  const [left, right] = channels;
  const [csp, user] = await Promise.allSettled([
    rotated.runCsp(left, { task, program }, { ...garbler, markAnswered }),
    rotated.runDataUser(right, { task, program }, { ...evaluator, pace: AT_ONCE }),
  ]);
  return { csp, user, bytes: left.bytesSent + right.bytesSent };
}

const two: GivenPencil & { method: MethodParameters } = {
  ...labelled(40, 4, 2),
  components: 1,
  method: dca(0.1),
};
const three: GivenPencil & { method: MethodParameters } = {
  ...labelled(45, 5, 3),
  components: 2,
  method: lda(0.1),
};
const hidden = {
  ...labelled(48, 5, 3),
  labellings: [
    { classes: 3, labels: Array.from({ length: 48 }, (_, i) => i % 3) },
    { classes: 3, labels: Array.from({ length: 48 }, (_, i) => (i >> 2) % 3) },
  ],
};
/** The same without a ridge on the signal. */
const computed = (method: MethodParameters): MethodParameters =>
  method.kind === 'dca' ? dca(method.ridge) : method;
const refusal = (code: string, message = '') => ({
  status: 'rejected',
  reason: expect.objectContaining({ code, message: expect.stringContaining(message) }),
});

describe('a pencil by rotated', () => {
  type Row = [string, number, GivenPencil & { method: MethodParameters }];
  it.each<Row>([
    ['LDA of three classes', 18, three],
    ['DCA with a ridge on the signal', 18, { ...labelled(40, 7, 2), components: 2, method: dca(0.2, 0.1) }],
    ['MDR', 20, { ...hidden, components: 2, method: mdr(0.1) }],
    ['DCA of two classes', 16, two],
  ])('%s is that of the reference, in %i trips', async (_, most, given) => {
    const setting = pencilSetting({
      ...given,
      program: { outputs: ['mean', ...methodOf(given).revealedByRotation], twoValued: 0 },
    });
    const { channels, trips } = countingTrips();
    const { csp, user } = await run(setting, { channels });
    if (csp.status === 'rejected') throw csp.reason;
    if (user.status === 'rejected') throw user.reason;
    const { eigenvalueError, sine } = distanceToPencil(setting, user.value);
    expect(eigenvalueError).toBeLessThan(1e-11);
    expect(sine).toBeLessThan(1e-9);
    const { labellings } = setting.statistics;
    expect(user.value.sampleCount).toBe(given.rows.length);
    expect(user.value.classCounts).toEqual(labellings.map((classes) => classes.map(({ M }) => Number(M))));
    const sums = labellings[0]!.map(({ V }) => V[0]!).reduce((a, b) => a + b);
    expect(user.value.mean![0]).toBeCloseTo(Number(sums) / 2 ** 14 / given.rows.length, 12);
    expect(trips()).toBe(most);
  });

  it('is marked as answered once, before the CSP says anything of M', async () => {
    const setting = pencilSetting(two);
    const [left, right] = memoryChannelPair();
    const sent: Uint8Array[] = [];
    const marked: number[] = [];
    const { csp } = await run(setting, {
      channels: [recorded(left, sent, (frame) => Uint8Array.from(frame)), right],
      markAnswered: async () => {
        marked.push(sent.length);
      },
    });
    expect(csp.status).toBe('fulfilled');
    expect(marked).toHaveLength(1);
    // G, V·V, R·Q, X, P T and noise stay shared; then comes M.
    const answers = messagesOf(sent.slice(0, marked[0])).filter(
      ({ type }) => type === LATTICE_MESSAGE.answer,
    );
    expect(answers).toHaveLength(answersBefore(await pencilPlan(setting.task, setting.program), 6));
  });

  it.each([
    [
      'a negative ridge on the signal',
      { ...two, method: dca(0.1, -0.05) },
      {},
      'ERR_PROGRAM_INVALID',
      'garbled',
    ],
    ['one above the ridge', { ...two, method: dca(0.1, 0.2) }, {}, 'ERR_PROGRAM_INVALID', 'garbled'],
    [
      'no declared spectrum',
      two,
      { outputs: ['sampleCount', 'classCounts'] },
      'ERR_PROGRAM_INVALID',
      'declare spectrum',
    ],
    [
      'no declared class counts',
      two,
      { outputs: ['sampleCount', 'spectrum'] },
      'ERR_PROGRAM_INVALID',
      'declare classCounts',
    ],
    ['d − 1 components', { ...labelled(40, 4, 5), components: 3, method: dca(0.1) }, {}, 'ERR_FULL_RANK', ''],
    [
      'd − 1 components of MDR',
      { ...labelled(48, 3, 3), labellings: hidden.labellings, components: 2, method: mdr(0.1) },
      {},
      'ERR_FULL_RANK',
      '',
    ],
    [
      'MDR without a ridge',
      { ...hidden, components: 1, method: mdr(0) },
      {},
      'ERR_NOT_POSITIVE_DEFINITE',
      '',
    ],
    [
      'a two-valued feature',
      { ...labelled(40, 4, 3), components: 2, method: dca(0.1) },
      { twoValued: 1 },
      'ERR_FULL_RANK',
      '',
    ],
  ] as const)('refuses %s at both ends, before a byte', async (_, given, program, code, message) => {
    // With shares of a task that has some, since they do not come to matter.
    const { task, ...setting } = pencilSetting({ ...given, method: computed(given.method), program });
    const { method } = given;
    const { csp, user, bytes } = await run({
      ...setting,
      task: { ...task, method },
      program: { ...setting.program, method },
    });
    expect(csp).toMatchObject(refusal(code, message));
    expect(user).toMatchObject(refusal(code, message));
    expect(bytes).toBe(0);
  });

  it('refuses differential privacy, and says why', async () => {
    const setting = pencilSetting(two);
    const differentialPrivacy = {
      epsilon: 1,
      delta: 1e-5,
      neighbours: 'add-remove',
      clippingNorm: 2,
      noise: 'servers',
      honestOwners: null,
      dataIndependentRanges: true,
    } as const;
    const { csp, bytes } = await run({ ...setting, task: { ...setting.task, differentialPrivacy } });
    expect(csp).toMatchObject(refusal('ERR_PROGRAM_INVALID', 'positive semidefinite'));
    expect(bytes).toBe(0);
  });
});

describe('faults on the way', () => {
  const title = 'give an error or another answer, and no second one';
  it(`${title}, in messages of the data user`, () => giveNoSecondAnswer([1], [3, 5, 8, 9, 10, 11]));
  it(`${title}, wherever a bit is flipped`, { tags: ['long'] }, () =>
    giveNoSecondAnswer(
      [0, 1],
      Array.from({ length: 12 }, (_, i) => i),
    ),
  );

  async function giveNoSecondAnswer(ends: readonly (0 | 1)[], places: readonly number[]) {
    const setting = pencilSetting({ ...labelled(30, 4, 2), components: 1, method: dca(0.2) });
    const outcomes = new Set<string>();
    for (const end of ends) {
      for (const index of places) {
        const channels = memoryChannelPair({ silenceMilliseconds: 1000 });
        let sent = 0;
        channels[end] = watched(channels[end], (message) => {
          sent += 1;
          if (sent !== index + 1) return message;
          const changed = Uint8Array.from(message);
          changed[Math.floor(0.6 * changed.length)]! ^= 0x80;
          return changed;
        });
        let marked = 0;
        const { csp, user } = await run(setting, {
          channels,
          markAnswered: async () => {
            marked += 1;
          },
        });
        if (csp.status === 'fulfilled' && user.status === 'fulfilled') {
          // Class 0 of ciphertexts and answers have no check but TLS.
          outcomes.add('an answer');
        } else if (csp.status === 'rejected') {
          outcomes.add(csp.reason.code);
          expect(marked).toBeLessThan(2);
        } else outcomes.add('an error at the data user');
      }
    }
    expect(outcomes).toContain('ERR_CHANNEL_MESSAGE');
  }
});
