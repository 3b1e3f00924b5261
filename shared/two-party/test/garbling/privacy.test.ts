/** Nothing leaks: an audit finds each of five planted leaks, and nothing in honest sessions. */
import { createHash, randomBytes } from 'node:crypto';
import { seeded } from '@eigenveil/testbed/random';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { MessageStream } from '../../src/channel/message-stream.ts';
import { TABLE_BYTES } from '../../src/garbling/gates.ts';
import { CHUNK_GATES } from '../../src/garbling/hash.ts';
import type { Kernels } from '../../src/garbling/kernels.ts';
import { GARBLING_MESSAGE } from '../../src/garbling/messages.ts';
import { HASH_KEY_BYTES } from '../../src/oblivious-transfer/hash.ts';
import { type Program, type Run, type RunOptions, randomBits, runGarbled } from '../support/garbled-run.ts';
import { messagesOf } from '../support/views.ts';
import { plantSelectBits } from './planted.ts';
import { audit, type Public } from './transcript.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** What this file uses of the WebAssembly interface, which the type library of the language does not declare. */
declare const WebAssembly: { Instance: new (module: object, imports: object) => { exports: object } };

/** Kernels whose tweak is 0 for every gate. */
function plantTweak(): void {
  const { Instance } = WebAssembly;
  class Stuck {
    readonly exports: object;
    constructor(module: object, imports: object) {
      const { exports } = new Instance(module, imports);
      const kernels = exports as Kernels;
      this.exports = {
        ...kernels,
        garbleTweak: (blocks, n) => kernels.garbleTweak(blocks, n, 0),
        garbleCombine: (d, a, b, x, y, t, n) => kernels.garbleCombine(d, a, b, x, y, t, n, 0),
        evaluateTweak: (blocks, n) => kernels.evaluateTweak(blocks, n, 0),
        evaluateCombine: (d, a, b, x, y, t, n) => kernels.evaluateCombine(d, a, b, x, y, t, n, 0),
      } satisfies Kernels;
    }
  }
  vi.spyOn(WebAssembly, 'Instance').mockImplementation(Stuck);
}

const LANES = 600;

/** One gate twice on the same inputs, in batches of their own; then a batch; reveals an input and a result. */
const program: Program = async (session, garblerBits, evaluatorBits) => {
  const a = await session.garblerInput(LANES, garblerBits);
  const b = await session.evaluatorInput(LANES, evaluatorBits);
  const c = await session.step((gates) => {
    const [x, y] = [gates.slice(a, 0, 1), gates.slice(b, 0, 1)];
    const twice = [gates.and(x, y), gates.and(x, y)];
    return gates.concat([...twice, gates.and(gates.slice(a, 2, LANES), gates.slice(b, 2, LANES))]);
  });
  return session.reveal([a, c]);
};

const message = (type: number, length: number) => ({ type, length });
const PUBLIC: Public = {
  shape: [
    message(GARBLING_MESSAGE.hello, 8),
    message(GARBLING_MESSAGE.inputLabels, 16 * LANES),
    message(GARBLING_MESSAGE.blockHeader, 16),
    message(GARBLING_MESSAGE.block, 16 + 32 * LANES),
    message(GARBLING_MESSAGE.decode, 16 + 16 * 1024),
    message(GARBLING_MESSAGE.decode, 16 + 16 * (2 * LANES - 1024)),
  ],
  twins: [[0, 1]],
  garblerBits: randomBits(LANES),
};

async function runs(options: (run: number) => RunOptions = () => ({})): Promise<Run[]> {
  const b = randomBits(LANES);
  const a = PUBLIC.garblerBits;
  return Promise.all([0, 1, 2].map((run) => runGarbled(program, a, b, options(run))));
}

describe('an audit of transcripts', () => {
  it('finds nothing in honest sessions', async () => {
    expect(await runs().then((list) => audit(list, PUBLIC))).toEqual(new Set());
  });

  it('finds a reused delta', async () => {
    const delta = randomBytes(16);
    const list = await runs(() => {
      let first = true;
      const random = (length: number) => {
        const drawn = first ? delta : randomBytes(length);
        first = false;
        return drawn;
      };
      return { random };
    });
    expect(audit(list, PUBLIC)).toEqual(new Set(['reused delta']));
  });

  it('finds labels garbled twice', async () => {
    const list = await runs(() => ({ random: seeded('the same after a restart') }));
    expect(audit(list, PUBLIC)).toEqual(new Set(['reused delta', 'reused label']));
  });

  it('finds a reused tweak', async () => {
    plantTweak();
    expect(await runs().then((list) => audit(list, PUBLIC))).toEqual(new Set(['reused tweak']));
  });

  it('finds a decode bit that is sent early', async () => {
    const streams: MessageStream[] = [];
    const onStream = (stream: MessageStream) => void streams.push(stream);
    const garblerProgram: Program = async (session, bits) => {
      const early: typeof session = Object.create(session, {
        gates: { value: session.gates },
        garblerInput: { value: (count: number, own: Uint8Array) => session.garblerInput(count, own) },
        evaluatorInput: { value: (count: number) => session.evaluatorInput(count) },
        step: {
          value: async (body: Parameters<typeof session.step>[0]) => {
            const result = await session.step(body);
            streams.at(-1)!.write(GARBLING_MESSAGE.decode, Uint8Array.of(1));
            return result;
          },
        },
        reveal: { value: (outputs: Parameters<typeof session.reveal>[0]) => session.reveal(outputs) },
      });
      return program(early, bits, undefined);
    };
    const frames: Uint8Array[] = [];
    const tamper = (frame: Uint8Array) => {
      frames.push(frame);
      return frame;
    };
    const [a, b] = [randomBits(LANES), randomBits(LANES)];
    // The evaluator itself refuses the message; the audit of the frames names it.
    await expect(runGarbled(program, a, b, { garblerProgram, tamper, onStream })).rejects.toMatchObject({
      code: 'ERR_CHANNEL_MESSAGE',
    });
    const shape = messagesOf(frames).map(({ type, payload }) => ({ type, length: payload.length }));
    expect(shape).not.toEqual(PUBLIC.shape);
    expect(shape.slice(0, 5)).toEqual([...PUBLIC.shape.slice(0, 4), message(GARBLING_MESSAGE.decode, 1)]);
  });

  it('finds select bits that equal the values', async () => {
    plantSelectBits();
    expect(await runs().then((list) => audit(list, PUBLIC))).toEqual(new Set(['telling select bit']));
  });
});

describe('a hash key', () => {
  it('serves 2^12 gates, and the next ones have another', async () => {
    const lanes = 2 * CHUNK_GATES + 1;
    const gates: Program = async (session, garblerBits, evaluatorBits) => {
      const a = await session.garblerInput(lanes, garblerBits);
      const b = await session.evaluatorInput(lanes, evaluatorBits);
      return session.reveal([await session.step((context) => context.and(a, b))]);
    };
    const { fromGarbler } = await runGarbled(gates, randomBits(lanes), randomBits(lanes));
    const blocks = messagesOf(fromGarbler).filter(({ type }) => type === GARBLING_MESSAGE.block);
    const stream = Buffer.concat(blocks.map(({ payload }) => payload));
    expect(stream).toHaveLength(3 * HASH_KEY_BYTES + lanes * TABLE_BYTES);
    const chunk = HASH_KEY_BYTES + CHUNK_GATES * TABLE_BYTES;
    const keys = [0, 1, 2].map((k) => stream.toString('hex', k * chunk, k * chunk + HASH_KEY_BYTES));
    expect(new Set(keys).size).toBe(3);
  });
});

describe('deterministic mode', () => {
  it('sends the same bytes as ever', async () => {
    const bits = randomBits(LANES, seeded('bits'));
    const run = await runGarbled(program, bits, bits, { random: seeded('golden') });
    const digest = createHash('sha256').update(Buffer.concat(run.fromGarbler)).digest('hex');
    expect(run.fromEvaluator).toEqual([]);
    expect(digest).toBe('c53be4a6d6d3aff9aa80770daee7344b49dd84eb0efa72a68d8c5b5993167611');
  });
});
