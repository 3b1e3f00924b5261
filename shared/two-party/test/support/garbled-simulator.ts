/**
 * The evaluator's view of `garbled`, real and simulated from the bits of the output and public parameters
 * alone (Lindell, "How To Simulate It", 2017, section 4; Lindell and Pinkas, "A Proof of Security of Yao's
 * Protocol for Two-Party Computation", 2009).
 */
import { randomBytes } from 'node:crypto';
import type { Program, StatisticsTask } from '@eigenveil/task';
import type { MessageStream } from '../../src/channel/message-stream.ts';
import type { GarblerGates } from '../../src/garbling/garbler.ts';
import { ClearSession, type Session, type Wires } from '../../src/garbling/index.ts';
import { encodeOutputs, GARBLING_MESSAGE, OUTPUT_CHUNK } from '../../src/garbling/messages.ts';
import type { RandomSource } from '../../src/oblivious-transfer/randomness.ts';
import { runProgram } from '../../src/programs/index.ts';
import { type Run, randomBits, runGarbled } from './garbled-run.ts';

/** The computation of a task, which is public, and both servers' shares, of which the simulator sees none. */
export interface Shared {
  readonly task: StatisticsTask;
  readonly program: Program;
  readonly garbler: { readonly shares: bigint[]; readonly verifiedOwners: number };
  readonly evaluator: { readonly shares: bigint[] };
}

export interface View {
  readonly run: Run;
  readonly output: unknown;
}

const NOTHING = new Uint8Array(0);

/** A session in the clear with bits of the caller's choice as inputs; remembers what it reveals. */
class ChosenSession extends ClearSession {
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

/** The bits of the output: what the ideal functionality gives the evaluator. */
export async function outputBits({ task, program, garbler, evaluator }: Shared): Promise<Uint8Array[]> {
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

/** The bits that the garbler puts in for its shares, in order. */
export async function garblerBits({ task, program, garbler, evaluator }: Shared): Promise<Uint8Array> {
  const session = new ClearSession();
  const put: Uint8Array[] = [];
  const input = session.garblerInput.bind(session);
  session.garblerInput = (count, bits) => {
    put.push(bits!);
    return input(count, bits);
  };
  await runProgram(session, task, program, { garbler, evaluator });
  return Uint8Array.from(put.flatMap((bits) => [...bits]));
}

export async function realView(
  { task, program, garbler, evaluator }: Shared,
  random: RandomSource = randomBytes,
): Promise<View> {
  let output: unknown;
  const run = await runGarbled(
    async (session, bits) => {
      const result = await runProgram(session, task, program, bits ? { garbler } : { evaluator });
      output ??= result;
      return undefined;
    },
    NOTHING,
    NOTHING,
    { random },
  );
  return { run, output };
}

/**
 * From the bits of the output and public parameters; the evaluator's shares, which are uniform, it draws
 * itself.
 */
export async function simulatedView(
  { task, program }: Pick<Shared, 'task' | 'program'>,
  wanted: readonly Uint8Array[],
  random: RandomSource = randomBytes,
): Promise<View> {
  const share = new Map<number, Uint8Array>();
  const evaluatorBits = (count: number) => {
    share.set(count, share.get(count) ?? randomBits(count, random));
    return share.get(count)!;
  };
  const dummy = new ChosenSession((count) => new Uint8Array(count), evaluatorBits);
  await runProgram(dummy, task, program, {}).catch(() => undefined); // zeros are no valid statistics
  let stream: MessageStream | undefined;
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
      random,
      onStream: (it) => {
        stream = it;
      },
      garblerProgram: async (session) => {
        const simulator = simulatorOf(session, stream!, { wanted, computed: dummy.revealed, random });
        await runProgram(simulator, task, program, {});
        return undefined;
      },
    },
  );
  return { run, output };
}

/**
 * A garbler that knows no share: it garbles zeros, and announces labels so that they mean the wanted output.
 */
function simulatorOf(
  session: Session,
  stream: MessageStream,
  {
    wanted,
    computed,
    random,
  }: {
    readonly wanted: readonly Uint8Array[];
    readonly computed: readonly Uint8Array[];
    readonly random: RandomSource;
  },
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
          const key = Uint8Array.from(random(16));
          const hashes = gates.outputHashes(chunk, key);
          const announced = new Uint32Array(Uint8Array.from(random(hashes.byteLength)).buffer);
          for (let i = 0; i < chunk.lanes; i += 1) {
            const [y, active] = [wish![from + i]!, dummy![from + i]!];
            // The zero label has its first half announced, and the one label the other half.
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
