/** A correlation matrix by the whole protocol, circuit and transfers included: results, what a refusal shows, the mark, and faults. */
import { type Components, type MethodParameters, ofKind } from '@eigenveil/methods';
import { decompose } from '@eigenveil/projection';
import { valueBitsOf } from '@eigenveil/task';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkRotated } from '../../src/check-task.ts';
import { rotated } from '../../src/rotated.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';
import { datasetRows } from './datasets.ts';
import { AT_ONCE } from './run.ts';
import { type Given, type Setting, settingOf, spread } from './settings.ts';
import { watched } from './watched.ts';

const CORRELATION: MethodParameters = { kind: 'pca', scale: 'correlation' };
const OUTPUTS = ['mean', 'trace', 'sampleCount', 'spectrum', 'variances'] as const;

const given = (rows: Given['rows'], components: number, features?: number): Setting =>
  settingOf({
    rows,
    components,
    ...(features && { features }),
    program: { outputs: OUTPUTS },
    task: { method: CORRELATION, maximumSamplesPerOwner: 64 },
  });

/** Both ends; what each came to, and the lengths of what the data user sent. */
async function run(
  { task, program, garbler, evaluator }: Setting,
  {
    mark = async () => undefined,
    change,
    abortAfter = Number.POSITIVE_INFINITY,
  }: { mark?: () => Promise<void>; change?: (message: Uint8Array) => void; abortAfter?: number } = {},
) {
  const [left, right] = memoryChannelPair();
  const lengths: number[] = [];
  let marks = 0;
  let sinceMark = 0;
  const channel = watched(left, (message) => {
    if (marks === 0) return message;
    if (sinceMark === abortAfter) void left.abort('ERR_COMPUTATION');
    sinceMark += 1;
    if (sinceMark > 1 || change === undefined) return message;
    const changed = Uint8Array.from(message);
    change(changed);
    return changed;
  });
  const markAnswered = async () => {
    await mark();
    marks += 1;
  };
  const noting = watched(right, (message) => {
    lengths.push(message.length);
    return message;
  });
  const [csp, user] = await Promise.allSettled([
    rotated.runCsp(channel, { task, program }, { ...garbler, markAnswered }),
    rotated.runDataUser(noting, { task, program }, { ...evaluator, pace: AT_ONCE }),
  ]);
  const code = user.status === 'rejected' ? user.reason.code : undefined;
  return { csp: csp.status, code, user, lengths, marks, sinceMark };
}

/** What the last output hashes to, whatever it is. */
function spoilOutputs(message: Uint8Array): void {
  for (const byte of [1, 9]) message[message.length - byte]! ^= 1;
}

async function result(setting: Setting): Promise<Components> {
  const { csp, user, marks } = await run(setting);
  if (user.status === 'rejected') throw user.reason;
  expect([csp, marks]).toEqual(['fulfilled', 1]);
  return ofKind('components', user.value);
}

/** Sines over standardised features, where vectors have length 1; of gaps from 5 % on. */
function compare({ program, statistics }: Setting, decomposition: Components): void {
  const expected = decompose(program, statistics);
  const values = expected.spectrum!;
  const deviations = expected.variances!.map(Math.sqrt);
  const standard = (w: readonly number[]) => w.map((entry, i) => entry * deviations[i]!);
  for (const [i, value] of decomposition.spectrum!.entries())
    expect(Math.abs(value - values[i]!)).toBeLessThan(1e-8 * values[0]!);
  for (const [j, w] of decomposition.vectors.entries()) {
    const gap =
      Math.min(...[j - 1, j + 1].map((o) => Math.abs((values[o] ?? Infinity) - values[j]!))) / values[0]!;
    const rest = standard(w).map((entry, i) => entry - standard(expected.vectors[j]!)[i]!);
    if (gap > 0.05) expect(Math.hypot(...rest)).toBeLessThan(1e-7);
    expect(Math.max(...w)).toBe(Math.max(...w.map(Math.abs)));
  }
  expect(decomposition.variances).toEqual(
    expected.variances!.map((variance) => expect.closeTo(variance, 14)),
  );
  for (const name of ['sampleCount', 'trace'] as const) expect(decomposition[name]).toBe(expected[name]);
  expect(decomposition.mean).toEqual(expected.mean!.map((mean) => expect.closeTo(mean, 14)));
}

/** Deviations that differ by up to 2^11, and a feature without any. */
const uneven = () =>
  spread(40, 6, 7).map((row) => [...row.map((value, i) => value / [1, 2048, 1, 64, 1, 8][i]!), -0.25]);

describe('rotated, of a correlation matrix', () => {
  let fine: Awaited<ReturnType<typeof run>>;
  beforeAll(async () => {
    fine = await run(given(spread(40, 5, 3), 1));
  });

  it('gives 0 to a feature without variance, and all digits to small ones', async () => {
    const setting = given(uneven(), 1);
    const decomposition = await result(setting);
    compare(setting, decomposition);
    expect(decomposition.vectors[0]![6]).toBe(0);
    expect(decomposition.trace).toBe(6);
  });

  it('takes shares as circuits do', () => {
    const { task } = given(uneven(), 1);
    expect(rotated.shareBits(task)).toEqual(valueBitsOf(task));
  });

  it('needs every output that the data user learns', () => {
    const { task, program } = given(uneven(), 1);
    const check = (outputs: typeof program.outputs) => checkRotated(task, { ...program, outputs });
    check(['sampleCount', 'spectrum', 'variances']);
    expect(() => check(['sampleCount', 'spectrum'])).toThrow(
      expect.objectContaining({ code: 'ERR_PROGRAM_INVALID', message: expect.stringContaining('variances') }),
    );
  });

  it('shows the CSP nothing of a refusal, nor of a circuit whose output was changed on the way', async () => {
    const setting = given(spread(40, 5, 3), 1);
    expect(fine).toMatchObject({ csp: 'fulfilled', code: undefined });
    const refused = await run(given(spread(3, 5, 3), 1, 5));
    expect(refused).toMatchObject({ csp: 'fulfilled', code: 'ERR_FULL_RANK', lengths: fine.lengths });
    const spoilt = await run(setting, { change: spoilOutputs });
    expect(spoilt).toMatchObject({ csp: 'fulfilled', code: 'ERR_GARBLING_CHECK', lengths: fine.lengths });
  });

  it('ends as without it when the line breaks behind such a circuit: else the CSP would see by the next attempt', {
    tags: ['long'],
  }, async () => {
    const setting = given(spread(40, 5, 3), 1);
    const abortAfter = fine.sinceMark - 1; // all but the vectors
    const broken = await run(setting, { abortAfter });
    const spoilt = await run(setting, { abortAfter, change: spoilOutputs });
    expect(broken.code).toBe('ERR_CHANNEL_ABORTED');
    expect(spoilt).toEqual(broken);
  });

  it('shows it nothing of a refusal without rows either', { tags: ['long'] }, async () => {
    const refused = await run(given([], 1, 5));
    expect(refused).toMatchObject({ csp: 'fulfilled', code: 'ERR_NO_SAMPLES', lengths: fine.lengths });
  });

  it('is marked before anything is decoded, or nothing leaves', async () => {
    const setting = given(spread(40, 5, 3), 1);
    const mark = () => Promise.reject(new Error('no disk'));
    const { csp, code, lengths } = await run(setting, { mark });
    expect([csp, code]).toEqual(['rejected', 'ERR_CHANNEL_ABORTED']);
    // It has not begun what depends on its share of the matrix.
    expect(lengths.length).toBeLessThan(fine.lengths.length);
    expect(fine.lengths.slice(0, lengths.length)).toEqual(lengths);
  });

  it('is refused with another number of owners than was verified', async () => {
    const setting = given(spread(40, 5, 3), 1);
    const { csp, code } = await run({ ...setting, garbler: { ...setting.garbler, verifiedOwners: 4 } });
    expect([csp, code]).toEqual(['rejected', 'ERR_OWNER_COUNT']);
  });
});

it.each([
  ['pima', 3],
  ['ionosphere', 15],
] as const)(
  'rotated decomposes the correlation matrix of %s',
  { tags: ['long'], timeout: 120_000 },
  async (name, components) => {
    const setting = given(datasetRows(name), components);
    compare(setting, await result(setting));
  },
);
