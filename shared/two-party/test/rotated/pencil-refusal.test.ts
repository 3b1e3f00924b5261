/**
 * Pencils that the data user refuses: as the reference does, and the CSP must not notice, nor may anything
 * come of it.
 *
 * @claims S-63, S-64, S-176
 */
import { decompose } from '@eigenveil/projection';
import { describe, expect, it } from 'vitest';
import { MessageStream } from '../../src/channel/message-stream.ts';
import type { Matrix } from '../../src/rotated/matrices.ts';
import { answerPencil } from '../../src/rotated/pencil/csp.ts';
import { askPencil } from '../../src/rotated/pencil/data-user.ts';
import { drawPencilSecrets } from '../../src/rotated/secrets.ts';
import { pencilPaces } from '../../src/rotated/standard-pace.ts';
import { rotated } from '../../src/rotated.ts';
import { dealtLattice } from '../support/dealers.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';
import { pencilProducts } from '../support/views.ts';
import { dca, type GivenPencil, labelled, lda, mdr, pencilSetting } from './pencils.ts';
import { AT_ONCE, systemBits } from './run.ts';
import type { Setting } from './settings.ts';
import { watched } from './watched.ts';

/** What each end came to, and what the data user put into its products that it does not share: H, C₁, A. */
async function asked({ task, program, garbler, evaluator }: Setting) {
  const [left, right] = memoryChannelPair();
  const { csp: atCsp, user: atUser, log } = dealtLattice();
  const lengths: number[] = [];
  const noting = (message: Uint8Array) => {
    lengths.push(message.length);
    return message;
  };
  const [csp, user] = await Promise.allSettled([
    answerPencil(
      new MessageStream(watched(left, noting)),
      atCsp,
      { task, program },
      { ...garbler, markAnswered: async () => undefined },
      (parameters) => drawPencilSecrets(parameters, systemBits()),
    ),
    askPencil(
      new MessageStream(watched(right, noting)),
      atUser,
      { task, program },
      { ...evaluator, pace: AT_ONCE },
    ),
  ]);
  const kind = task.method.kind === 'mdr' ? 'mdr' : undefined;
  const { contrasts, root, directions } = pencilProducts(task.labellings[0]!.classes.length - 1, kind);
  const given = [contrasts, root, directions].map((product) => log[product]!.user);
  const code = user.status === 'rejected' ? user.reason.code : undefined;
  const isZero = (matrix: Matrix) => matrix.flat().every((entry) => entry === 0n);
  return { csp, user, code, zeros: given.map(isZero), lengths };
}

const fine: GivenPencil = { ...labelled(60, 5, 2), components: 1, method: dca(0.1) };
const flat = labelled(60, 5, 2);
/** The last feature is the same in all rows. */
const dull = { ...flat, rows: flat.rows.map((row) => [...row.slice(0, 4), 0.25]) };
/** The first feature tells the class. */
const told = { ...flat, rows: flat.rows.map((row, i) => [i % 2 ? 0.5 : -0.5, ...row.slice(1)]) };
const single = { ...flat, labellings: [{ classes: 2, labels: flat.rows.map(() => 0) }] };

const refused: readonly (readonly [string, string, GivenPencil, readonly boolean[]])[] = [
  ['a single class', 'ERR_SINGLE_CLASS', { ...single, components: 1, method: dca(0.1) }, [true, true, true]],
  [
    'no rows',
    'ERR_NO_SAMPLES',
    { rows: [], d: 5, labellings: [{ classes: 2, labels: [] }], components: 1, method: dca(0.1) },
    [true, true, true],
  ],
  [
    'a scatter that is singular without a ridge',
    'ERR_NOT_POSITIVE_DEFINITE',
    { ...dull, components: 1, method: dca(0) },
    [false, true, true],
  ],
  [
    'classes that a feature tells without a ridge',
    'ERR_NOT_POSITIVE_DEFINITE',
    { ...told, components: 1, method: lda(0) },
    [false, false, true],
  ],
];

describe('a refused pencil', () => {
  it.each(refused)('asks for nothing that would tell: %s', async (_, code, given, zeros) => {
    const setting = pencilSetting(given);
    const outcome = await asked(setting);
    expect(outcome).toMatchObject({ csp: { status: 'fulfilled' }, code, zeros });
    // The reference says the same.
    expect(() => decompose({ ...setting.program, outputs: [] }, setting.statistics)).toThrow(
      expect.objectContaining({ code }),
    );
    const { lengths, user } = await asked(pencilSetting(fine));
    expect(user.status).toBe('fulfilled');
    expect(outcome.lengths).toEqual(lengths);
  });

  it.each([
    [
      'fewer rows than components need',
      'ERR_FULL_RANK',
      { ...labelled(3, 5, 2), components: 1, method: dca(0.1) },
    ],
    [
      'MDR of classes whose contrasts are as many as components',
      'ERR_FULL_RANK',
      {
        ...labelled(40, 5, 3),
        labellings: [
          labelled(40, 5, 3).labellings[0]!,
          { classes: 2, labels: new Array<number>(40).fill(0) },
        ],
        components: 2,
        method: mdr(0.1),
      },
    ],
    ['a ridge that is too small', 'ERR_ILL_CONDITIONED', { ...dull, components: 1, method: dca(1e-10) }],
  ] as const)('is one of %s', async (_, code, given) => {
    const outcome = await asked(pencilSetting(given));
    expect(outcome).toMatchObject({ csp: { status: 'fulfilled' }, code, zeros: [false, true, true] });
    // As one with a result, of the same sizes.
    const { rows } = labelled(60, 5, 2);
    const privacy = { classes: 2, labels: rows.map((_row, i) => (i >> 2) % 2) };
    const utility = { classes: 3, labels: rows.map((_row, i) => i % 3) };
    const other = given.method.kind === 'mdr' ? { rows, labellings: [utility, privacy] } : labelled(60, 5, 2);
    const { lengths, user } = await asked(
      pencilSetting({ ...given, ...other, method: given.method.kind === 'mdr' ? mdr(0.1) : dca(0.1) }),
    );
    expect(user.status).toBe('fulfilled');
    expect(outcome.lengths).toEqual(lengths);
  });

  it('that is too ill-conditioned is named with the measured figure', async () => {
    const { user } = await asked(pencilSetting({ ...dull, components: 1, method: dca(1e-10) }));
    const { message } = (user as PromiseRejectedResult).reason;
    const [, limit, figure] = /from ([\d.e-]+) of .* got ([\d.e-]+) of it/.exec(message)!;
    // ρ over the trace, which is that of four features.
    expect(Number(figure)).toBeGreaterThan(1e-12);
    expect(Number(figure)).toBeLessThan(1e-10);
    // 2^−18 over sixty rows: more than the noise on this trace asks for.
    expect(Number(limit)).toBeGreaterThan(Math.sqrt(5) * 2 ** -35);
    // Two digits each.
    const ratio = (Number(limit) / Number(figure)) * ((60 * 1e-10) / 2 ** -18);
    expect(Math.abs(ratio - 1)).toBeLessThan(0.1);
  });

  it('takes a ridge that is not', async () => {
    const { user } = await asked(pencilSetting({ ...dull, components: 1, method: dca(1e-7) }));
    expect(user.status).toBe('fulfilled');
  });

  it('of labellings of different rows is no statistics', async () => {
    const setting = pencilSetting({
      ...labelled(40, 5, 2),
      labellings: [
        { classes: 2, labels: Array.from({ length: 40 }, (_, i) => i % 2) },
        { classes: 2, labels: Array.from({ length: 39 }, (_, i) => i % 2) },
      ],
      components: 1,
      method: mdr(0.1),
    });
    expect(await asked(setting)).toMatchObject({ code: 'ERR_STATISTICS_INVALID', zeros: [true, true, true] });
  });

  it('has the messages of any other over products from lattices, and the connection is closed in order', async () => {
    const lengths: number[][] = [];
    for (const given of [fine, { ...single, components: 1, method: dca(0.1) }]) {
      const { task, program, garbler, evaluator } = pencilSetting(given);
      const [left, right] = memoryChannelPair();
      const sent: number[] = [];
      const [csp] = await Promise.allSettled([
        rotated.runCsp(left, { task, program }, { ...garbler, markAnswered: async () => undefined }),
        rotated.runDataUser(
          watched(right, (message) => {
            sent.push(message.length);
            return message;
          }),
          { task, program },
          { ...evaluator, pace: AT_ONCE },
        ),
      ]);
      expect(csp.status).toBe('fulfilled');
      lengths.push(sent);
    }
    expect(lengths[1]).toEqual(lengths[0]);
  });
});

describe('the data user', () => {
  it('sends after public times alone, whatever it has found', async () => {
    const moments: number[][] = [];
    let usual: readonly number[] = [];
    for (const given of [fine, ...refused.map(([, , other]) => other)]) {
      const { task, program, garbler, evaluator } = pencilSetting(given);
      const [left, right] = memoryChannelPair();
      const { csp: atCsp, user: atUser } = dealtLattice();
      // Time passes in waits alone.
      let now = 0;
      const clock = {
        now: () => now,
        sleep: async (milliseconds: number) => {
          now += milliseconds;
        },
      };
      const sent: number[] = [];
      const stream = new MessageStream(right);
      await Promise.allSettled([
        answerPencil(
          new MessageStream(left),
          atCsp,
          { task, program },
          { ...garbler, markAnswered: async () => undefined },
          (parameters) => drawPencilSecrets(parameters, systemBits()),
        ),
        askPencil(
          stream,
          () => async (plan) => {
            const products = await atUser()(plan);
            return {
              multiply: async (...asked) => {
                await stream.released(); // as the first byte of these would be
                sent.push(now);
                return products.multiply(...asked);
              },
            };
          },
          { task, program },
          { ...evaluator, pace: { milliseconds: 1000, clock } },
        ),
      ]);
      moments.push(sent);
      const [d, k] = [task.features.length, program.components];
      const classes = task.labellings.map((labelling) => labelling.classes.length);
      const { whole, ...paces } = pencilPaces(d, classes, false, k);
      const part = (milliseconds: number) => Math.ceil((1000 * milliseconds) / whole);
      const first = part(paces.contrasts);
      const second = first + part(paces.root);
      const last = second + part(paces.decomposition);
      // G and T; P T and X; M. Then C₁, and P₂ F. Then the way back.
      expect(sent).toEqual([first, first, first, second, second, last, last]);
      if (moments.length === 1) usual = sent;
    }
    for (const sent of moments) expect(sent).toEqual(usual);
  });
});
