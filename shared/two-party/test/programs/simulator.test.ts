/**
 * The evaluator's view follows from its output alone: a simulator that has nothing else makes a view in which the evaluator computes
 * just that output, and which looks like a real one. (Lindell, "How To Simulate It", 2017, section 4; Lindell and Pinkas, "A Proof of
 * Security of Yao's Protocol for Two-Party Computation", 2009.)
 */
import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { GarblerGates } from '../../src/garbling/garbler-gates.ts';
import { ClearSession, type Session, type Wires } from '../../src/garbling/index.ts';
import type { LabelGenerator } from '../../src/garbling/label-generator.ts';
import { GARBLING_MESSAGE } from '../../src/garbling/messages.ts';
import { encodeOutputs, OUTPUT_CHUNK } from '../../src/garbling/outputs.ts';
import { type MessageStream, runProgram } from '../../src/index.ts';
import { Dealer, type Run, randomBits, runGarbled } from '../garbling/parties.ts';
import { messagesOf } from '../garbling/transcript.ts';
import { setting } from './data.ts';

const planted = vi.hoisted(() => ({ select: false }));

vi.mock('../../src/garbling/label-generator.ts', async (original) => {
  const actual = await original<{ LabelGenerator: typeof LabelGenerator }>();
  return {
    LabelGenerator: class extends actual.LabelGenerator {
      override next(length: number) {
        const labels = super.next(length);
        if (planted.select) for (let i = 0; i < length; i += 16) labels[i] = labels[i]! & 0xfe;
        return labels;
      }
    },
  };
});

afterEach(() => {
  planted.select = false;
});

const NOTHING = new Uint8Array(0);
const ROWS = [
  [0.5, -0.25, 0.125],
  [-0.75, 0.5, 0],
  [0.25, 0.75, -0.5],
  [-0.5, -0.5, 0.25],
];

/** A session in a clear context, with bits of our own choice as inputs; remembers what it reveals. */
class Chosen extends ClearSession {
  revealed: Uint8Array[] = [];
  readonly #garbler: (count: number) => Uint8Array;
  readonly #evaluator: (count: number) => Uint8Array;

  constructor(garbler: (count: number) => Uint8Array, evaluator: (count: number) => Uint8Array) {
    super();
    this.#garbler = garbler;
    this.#evaluator = evaluator;
  }

  override garblerInput(count: number): Promise<Wires> {
    return super.garblerInput(count, this.#garbler(count));
  }

  override evaluatorInput(count: number): Promise<Wires> {
    return super.evaluatorInput(count, this.#evaluator(count));
  }

  override async reveal(outputs: readonly Wires[]): Promise<Uint8Array[]> {
    this.revealed = await super.reveal(outputs);
    return this.revealed;
  }
}

/** A garbler that knows no share: it garbles zeros, and announces labels so that they mean the wanted output. */
function simulatorOf(
  session: Session,
  stream: MessageStream,
  wanted: readonly Uint8Array[],
  computed: readonly Uint8Array[],
): Session {
  const gates = session.gates as GarblerGates;
  return {
    gates,
    garblerInput: (count) => session.garblerInput(count, new Uint8Array(count)),
    evaluatorInput: (count) => session.evaluatorInput(count),
    step: (body) => session.step(body as Parameters<typeof session.step>[0]) as never,
    async reveal(outputs) {
      const [wish, dummy] = [wanted, computed].map((bits) =>
        Uint8Array.from(bits.flatMap((some) => [...some])),
      );
      gates.step(() => {
        const wires = gates.concat(outputs);
        for (let from = 0; from < wires.lanes; from += OUTPUT_CHUNK) {
          const chunk = gates.slice(wires, from, Math.min(from + OUTPUT_CHUNK, wires.lanes));
          const key = randomBytes(16);
          const hashes = gates.outputHashes(chunk, key);
          const announced = new Uint32Array(
            randomBytes(hashes.byteLength).buffer.slice(0, hashes.byteLength),
          );
          for (let i = 0; i < chunk.lanes; i += 1) {
            const [y, active] = [wish![from + i]!, dummy![from + i]!];
            // Of the zero label the first half is announced, of the one label the other.
            for (const k of [2 * y, 2 * y + 1])
              announced[8 * i + 4 * y + k] = hashes[8 * i + 4 * active + k]!;
          }
          stream.write(GARBLING_MESSAGE.decode, encodeOutputs(key, announced));
        }
      });
      await stream.flush();
      return undefined;
    },
  };
}

interface View {
  readonly run: Run;
  readonly output: unknown;
}

const given = setting(ROWS, 2);
const { task, program, garbler, evaluator } = given;

async function realView(): Promise<View> {
  let output: unknown;
  const run = await runGarbled(
    async (session, bits) => {
      const result = await runProgram(session, task, program, bits ? { garbler } : { evaluator });
      output ??= result;
      return undefined;
    },
    NOTHING,
    NOTHING,
  );
  return { run, output };
}

/** From the bits of the output and public parameters; the evaluator's shares, which are uniform, it draws itself. */
async function simulatedView(wanted: readonly Uint8Array[]): Promise<View> {
  const share = new Map<number, Uint8Array>();
  const evaluatorBits = (count: number) => {
    share.set(count, share.get(count) ?? randomBits(count));
    return share.get(count)!;
  };
  const dummy = new Chosen((count) => new Uint8Array(count), evaluatorBits);
  await runProgram(dummy, task, program, {}).catch(() => undefined); // zeros are no valid statistics
  const streams: MessageStream[] = [];
  const watch = vi.spyOn(Dealer.prototype, 'watch').mockImplementation((stream) => void streams.push(stream));
  let output: unknown;
  const run = await runGarbled(
    async (session) => {
      const own: Session = Object.assign(Object.create(session) as Session, {
        gates: session.gates,
        garblerInput: (count: number) => session.garblerInput(count),
        evaluatorInput: (count: number) => session.evaluatorInput(count, evaluatorBits(count)),
        step: (body: Parameters<Session['step']>[0]) => session.step(body),
        reveal: (outputs: readonly Wires[]) => session.reveal(outputs),
      });
      output = await runProgram(own, task, program, {});
      return undefined;
    },
    NOTHING,
    NOTHING,
    {
      garblerProgram: async (session) => {
        await runProgram(simulatorOf(session, streams.at(-1)!, wanted, dummy.revealed), task, program, {});
        return undefined;
      },
    },
  );
  watch.mockRestore();
  return { run, output };
}

async function outputBits(): Promise<Uint8Array[]> {
  const session = new ClearSession();
  let bits: Uint8Array[] = [];
  const reveal = session.reveal.bind(session);
  session.reveal = async (outputs) => {
    bits = await reveal(outputs);
    return bits;
  };
  await runProgram(session, task, program, { garbler, evaluator });
  return bits;
}

const shapeOf = ({ run }: View) =>
  messagesOf(run.fromGarbler).map(({ type, payload }) => `${type}: ${payload.length} bytes`);

/** Of all payloads of one type: χ² of their bytes against uniform ones, in standard deviations from its mean. */
function unevenness({ run }: View, type: number): number {
  const counts = new Float64Array(256);
  let total = 0;
  for (const { payload } of messagesOf(run.fromGarbler).filter((message) => message.type === type)) {
    for (const byte of payload) counts[byte]! += 1;
    total += payload.length;
  }
  const expected = total / 256;
  const statistic = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  return (statistic - 255) / Math.sqrt(2 * 255);
}

/** How often the garbler's input labels have a select bit equal to the bit that they would carry for these shares. */
function telling({ run }: View): number {
  const bits = new Chosen(
    () => NOTHING,
    () => NOTHING,
  );
  let first: Uint8Array | undefined;
  bits.garblerInput = async (_count: number, own?: Uint8Array) => {
    first ??= own!;
    throw new Error('that is all');
  };
  void runProgram(bits, task, program, { garbler, evaluator }).catch(() => undefined);
  const labels = messagesOf(run.fromGarbler).find(
    ({ type }) => type === GARBLING_MESSAGE.inputLabels,
  )!.payload;
  const equal = first!.reduce((sum, bit, i) => sum + ((labels[16 * i]! & 1) === bit ? 1 : 0), 0);
  return (equal - first!.length / 2) / (Math.sqrt(first!.length) / 2);
}

/** What tells two views apart, in words. */
function differences(one: View, other: View): string[] {
  const found: string[] = [];
  if (JSON.stringify(shapeOf(one)) !== JSON.stringify(shapeOf(other))) found.push('messages');
  for (const [name, type] of Object.entries(GARBLING_MESSAGE)) {
    if (name === 'hello' || name === 'blockHeader') continue; // numbers, compared as part of the shape below
    if ([one, other].some((view) => Math.abs(unevenness(view, type)) > 6)) found.push(`bytes of ${name}`);
  }
  const numbers = (view: View, type: number) =>
    messagesOf(view.run.fromGarbler)
      .filter((message) => message.type === type)
      .map(({ payload }) => [...payload]);
  for (const type of [GARBLING_MESSAGE.hello, GARBLING_MESSAGE.blockHeader]) {
    if (JSON.stringify(numbers(one, type)) !== JSON.stringify(numbers(other, type))) found.push('numbers');
  }
  if (Math.abs(telling(one)) > 6 || Math.abs(telling(other)) > 6) found.push('select bits');
  return found;
}

describe('a view simulated from the output alone', () => {
  it('gives the evaluator that output and differs in nothing from a real one', async () => {
    const real = await realView();
    const simulated = await simulatedView(await outputBits());
    expect(real.output).toBeDefined();
    expect(simulated.output).toEqual(real.output);
    expect(differences(simulated, real)).toEqual([]);
  });

  it('gives whatever output is wanted', async () => {
    const wanted = (await outputBits()).map((bits) => bits.slice());
    wanted.at(-1)![0]! ^= 1;
    const { output } = await simulatedView(wanted);
    expect(output).not.toEqual((await realView()).output);
  });

  it('differs from a real one in which select bits tell values', async () => {
    const bits = await outputBits();
    const simulated = await simulatedView(bits);
    planted.select = true;
    expect(differences(simulated, await realView())).toContain('select bits');
  });
});
