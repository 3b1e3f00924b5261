/**
 * What the CSP sees of a computation: the same messages, the same closing and the same moment, whatever the
 * data user makes of the answer.
 *
 * @claims S-63, S-64, S-65, S-66
 */

import { sumsOf } from '@eigenveil/methods';
import type { CodedError } from '@eigenveil/platform';
import { describe, expect, it } from 'vitest';
import { type Channel, type DataUserInput, type Pace, TWO_PARTY_PROTOCOLS } from '../src/index.ts';
import { LATTICE_MESSAGE } from '../src/lattice/messages.ts';
import type { SizedProduct } from '../src/lattice/sizes.ts';
import { wordBytes } from '../src/lattice/words.ts';
import { standardPaceOf } from '../src/programs/index.ts';
import { ROTATED_MESSAGE } from '../src/rotated/messages.ts';
import { pencilPaces, sketchPaces, sumsPace, turnedPace } from '../src/rotated/standard-pace.ts';
import { turningPlan } from '../src/rotated/turning.ts';
import { AT_ONCE } from './rotated/run.ts';
import { type Given, type Setting, settingOf, spread } from './rotated/settings.ts';
import { memoryChannelPair } from './support/memory-channel.ts';
import { toRing } from './support/to-ring.ts';
import { answersBefore, MadeUpTime, PCA_PRODUCTS, placeOf } from './support/views.ts';

type Name = keyof typeof TWO_PARTY_PROTOCOLS;

interface Disturbance {
  /** Changes the n-th message of the CSP. */
  readonly spoil?: (message: Uint8Array, index: number) => void;
  /** Of a message, or of the end. */
  readonly onReceive?: () => void;
  readonly evaluator?: Partial<DataUserInput>;
}

/** Passes on what the CSP sends and gets; `seen` are the lengths of what it gets. */
function cspEnd(channel: Channel, { spoil, onReceive }: Disturbance) {
  const seen: number[] = [];
  let sent = 0;
  const end: Channel = {
    async send(message, released) {
      const own = Uint8Array.from(message);
      const index = sent++;
      spoil?.(own, index);
      await channel.send(own);
      released?.();
    },
    async receive() {
      const message = await channel.receive().finally(() => onReceive?.());
      seen.push(message.length);
      return message;
    },
    close: () => channel.close(),
    abort: (code) => channel.abort(code),
    bytesSent: 0,
    bytesReceived: 0,
  };
  return { end, seen, sent: () => sent };
}

/** Runs both ends to the end of their conversation. */
async function run(
  name: Name,
  { task, program, garbler, evaluator }: Setting,
  disturbance: Disturbance = {},
) {
  const protocol = TWO_PARTY_PROTOCOLS[name];
  const bits = protocol.shareBits(task);
  const [left, right] = memoryChannelPair();
  const { end, seen, sent } = cspEnd(left, disturbance);
  const verifiedOwners = garbler.verifiedOwners;
  const input = {
    shares: toRing(bits, garbler.shares),
    verifiedOwners,
    markAnswered: async () => undefined,
  };
  const shares = toRing(bits, evaluator.shares);
  let answered = 0;
  const [csp, user] = await Promise.allSettled([
    protocol.runCsp(end, { task, program }, input),
    protocol.runDataUser(
      right,
      { task, program },
      { shares, pace: AT_ONCE, ...disturbance.evaluator, onAnswer: () => (answered += 1) },
    ),
  ]);
  // How it ended for the CSP: in order, or with a reason.
  const closing = await left.receive().then(
    () => 'another message',
    (error: CodedError) => error.parameters.reason ?? error.code,
  );
  const code = user.status === 'rejected' ? user.reason.code : undefined;
  return { code, answered, sent: sent(), seenByCsp: { csp: csp.status, messages: seen, closing } };
}

const FEATURES = { simulated: 3, garbled: 2, rotated: 4, linear: 3 };
const given = (name: Name, rows: number, changes: Partial<Given> = {}): Given => ({
  rows: spread(rows, FEATURES[name], 3),
  features: FEATURES[name],
  components: Math.max(1, FEATURES[name] - 2),
  ...(name === 'garbled' && { program: { outputs: [] } }), // which need not hide a spectrum
  ...changes,
});

/** Flips a bit of some bytes of one message. */
const spoiling =
  (index: number, from: number, to: number, bit: number) => (message: Uint8Array, i: number) => {
    if (i !== index) return;
    for (const [at, byte] of message.entries())
      if (at >= from && at < Math.min(to, message.length)) message[at] = byte ^ bit;
  };

describe.each(['garbled', 'rotated'] as const)('%s: the CSP sees no difference', (name) => {
  // A run of garbled costs half a second: the first refusal and the last show there what the others repeat.
  const FEW = name === 'garbled' ? ['ERR_OWNER_COUNT', 'ERR_GARBLING_CHECK'] : undefined;
  it('between a result and a refusal', () => isTheSame((reason) => FEW?.includes(reason) ?? true));
  it('between a result and any refusal', { tags: ['long'] }, () => isTheSame(() => true));

  async function isTheSame(isTried: (reason: string) => boolean): Promise<void> {
    const { code, answered, sent, seenByCsp } = await run(name, settingOf(given(name, 40)));
    expect([code, answered, seenByCsp.csp]).toEqual([undefined, 1, 'fulfilled']);
    expect(seenByCsp.closing).toBe('ERR_CHANNEL_CLOSED');

    const whole = settingOf(given(name, 40));
    const ofOthers = { ...whole, garbler: { ...whole.garbler, verifiedOwners: 2 } };
    const refused: [string, Setting, Disturbance?][] = [
      ...(name === 'garbled' ? ([['ERR_OWNER_COUNT', ofOthers]] satisfies [string, Setting][]) : []),
      ['ERR_NO_SAMPLES', settingOf(given(name, 0))],
      ['ERR_FULL_RANK', settingOf(given(name, 2))],
      [
        name === 'garbled' ? 'ERR_GARBLING_CHECK' : 'ERR_ROTATION_CHECK',
        settingOf(given(name, 40)),
        // Some of the garbled outputs are not used. One entry alone of the rotated vectors could change its sign and leave the length as it was.
        { spoil: name === 'garbled' ? spoiling(sent - 1, 100, 400, 4) : spoiling(sent - 1, 8, 100, 0x20) },
      ],
    ];
    for (const [reason, setting, disturbance] of refused.filter(([own]) => isTried(own))) {
      const other = await run(name, setting, disturbance);
      expect(other).toMatchObject({ code: reason, answered: 1 });
      expect(other.seenByCsp).toEqual(seenByCsp);
    }
  }
});

it('simulated: nor where the number of owners is refused', async () => {
  const setting = settingOf(given('simulated', 40));
  const other = { ...setting, garbler: { ...setting.garbler, verifiedOwners: 2 } };
  const { seenByCsp } = await run('simulated', setting);
  expect(await run('simulated', other)).toMatchObject({ code: 'ERR_OWNER_COUNT', seenByCsp });
});

/** The byte of an answer of the CSP that a bit of its second result lies in: of an entry off the diagonal of M. */
const secondResult = ({ down, degree }: SizedProduct) => down * wordBytes(degree) + 5;

describe('rotated: a CSP that spoils what it sends', () => {
  it.each([
    ['its share of the number of samples', async () => [ROTATED_MESSAGE.declared, 0, 0, 0x80] as const],
    [
      'its answer that opens the matrix',
      async ({ task, program }: Setting) => {
        const plan = await turningPlan(task, program);
        const byte = secondResult(plan.products[PCA_PRODUCTS.matrix]!);
        return [LATTICE_MESSAGE.answer, answersBefore(plan, PCA_PRODUCTS.matrix), byte, 1] as const;
      },
    ],
  ])('(%s) does not see that it was noticed', async (_, which) => {
    const setting = settingOf(given('rotated', 40));
    const frames: Uint8Array[] = [];
    const { seenByCsp } = await run('rotated', setting, { spoil: (message) => frames.push(message) });
    const [type, number, byte, bit] = await which(setting);
    const { frame, at } = placeOf(frames, type, number, byte);
    const other = await run('rotated', setting, { spoil: spoiling(frame, at, at + 1, bit) });
    expect(other).toMatchObject({ code: 'ERR_ROTATION_CHECK', answered: 1, seenByCsp });
  });
});

describe('rotated: the first byte after the matrix', () => {
  /** When the CSP gets each message of the data user. */
  async function times(
    setting: Setting,
    milliseconds: number,
    clock: MadeUpTime,
    spoil?: Disturbance['spoil'],
  ) {
    const came: number[] = [];
    const missed: number[] = [];
    const pace: Pace = { milliseconds, clock, onMiss: (late) => missed.push(late) };
    const { code } = await run('rotated', setting, {
      onReceive: () => came.push(clock.time),
      evaluator: { pace },
      ...(spoil && { spoil }),
    });
    return { code, came, missed };
  }

  it('leaves at a public moment, of a result and of a refusal', { tags: ['long'] }, async () => {
    for (const [rows, reason] of [
      [40, undefined],
      [2, 'ERR_FULL_RANK'],
      [0, 'ERR_NO_SAMPLES'],
    ] as const) {
      const { code, came, missed } = await times(settingOf(given('rotated', rows)), 1000, new MadeUpTime());
      expect(code).toBe(reason);
      const [before, after] = [came.filter((time) => time === 0), came.filter((time) => time > 0)];
      expect(before.length).toBeGreaterThan(0);
      expect(after.length).toBeGreaterThan(0);
      expect(Math.min(...after)).toBeGreaterThanOrEqual(1000);
      expect(missed).toEqual([]);
    }
  });

  it('leaves at the same moment where it is an abort, since what came then was wrong', async () => {
    const setting = settingOf(given('rotated', 40));
    const frames: Uint8Array[] = [];
    await run('rotated', setting, { spoil: (message) => frames.push(message) });
    const plan = await turningPlan(setting.task, setting.program);
    const vectors = answersBefore(plan, PCA_PRODUCTS.vectors);
    const { frame, at } = placeOf(frames, LATTICE_MESSAGE.answer, vectors, -8); // the message's type
    const { code, came } = await times(setting, 1000, new MadeUpTime(), spoiling(frame, at, at + 1, 0x80));
    expect(code).toBe('ERR_CHANNEL_MESSAGE');
    expect(came.at(-1)).toBeGreaterThanOrEqual(1000);
  });

  it('leaves at once where the moment has passed, which is told', async () => {
    const { code, missed } = await times(settingOf(given('rotated', 40)), 5, new MadeUpTime(10));
    expect(code).toBeUndefined();
    expect(missed).toEqual([5]);
  });
});

it('the standard pace grows with features and components, and stays far below what ends a silent line', () => {
  const whole = (features: number, components: number) => pencilPaces(features, [2], false, components).whole;
  for (const pace of [turnedPace, whole]) {
    expect(pace(4, 2)).toBeGreaterThanOrEqual(90);
    expect(pace(50, 15)).toBeGreaterThan(pace(34, 15));
    expect(pace(50, 48)).toBeGreaterThan(pace(50, 15));
    expect(pace(200, 200)).toBeLessThan(60_000);
  }
  // A task has at most 200 components.
  expect(turnedPace(400, 200)).toBeLessThan(100_000);
});

it('the waits of a sketch grow with its columns and with what follows from all features, and stay as far below', () => {
  const [small, more, wide] = [
    sketchPaces(1024, 60, 20),
    sketchPaces(1024, 80, 20),
    sketchPaces(4096, 60, 20),
  ];
  for (const wait of ['centring', 'root', 'decomposition'] as const)
    expect(more[wait]).toBeGreaterThan(small[wait]);
  expect(wide.centring).toBeGreaterThan(small.centring);
  expect(wide.decomposition).toBeGreaterThan(small.decomposition);
  const { whole, ...parts } = sketchPaces(10_000, 80, 78);
  expect(whole).toBe(parts.root + parts.decomposition);
  expect(parts.centring + whole).toBeLessThan(60_000);
});

it('the pace of a task is that of what it computes', () => {
  const features = Array.from({ length: 40 }, (_, i) => ({ name: `f${i}`, min: 0, max: 1 }));
  const pca = { features, components: 3, method: { kind: 'pca' }, sketch: undefined } as const;
  expect(standardPaceOf(pca)).toBe(turnedPace(40, 3));
  expect(standardPaceOf({ ...pca, method: { kind: 'lda', ridge: 0 } })).toBe(
    pencilPaces(40, [2], false, 3).whole,
  );
  expect(standardPaceOf({ ...pca, sketch: { columns: 12 } })).toBe(sketchPaces(40, 12, 3).whole);
  const method = { kind: 'histogram', height: 3, strategy: 'privelet' } as const;
  expect(standardPaceOf({ ...pca, method })).toBe(sumsPace(sumsOf({ features, method })));
  expect(sumsOf({ features, method })).toBeGreaterThan(0);
});
