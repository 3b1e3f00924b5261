/** Both ends of a garbling session in one process, with a trusted dealer in place of oblivious transfer. */
import { randomBytes } from 'node:crypto';
import { MessageStream } from '../../src/channel/message-stream.ts';
import { ClearSession } from '../../src/garbling/clear-and-counting.ts';
import { EvaluatorSession } from '../../src/garbling/evaluator.ts';
import { GarblerSession } from '../../src/garbling/garbler.ts';
import type { Session } from '../../src/garbling/session.ts';
import type { Channel } from '../../src/index.ts';
import type { RandomSource } from '../../src/oblivious-transfer/randomness.ts';
import { memoryChannelPair } from './memory-channel.ts';

/** Correlated transfers by somebody who sees everything. */
export class Dealer {
  readonly #random: RandomSource;
  readonly #requests: { readonly zero: Uint8Array; readonly answer: (labels: Uint8Array) => void }[] = [];
  readonly #choices: ((zero: Uint8Array) => void)[] = [];
  delta: Uint8Array = new Uint8Array(16);
  /** Zero labels of all transfers, in order. */
  readonly zeros: Uint8Array[] = [];

  constructor(random: RandomSource) {
    this.#random = random;
  }

  readonly sender = async (_: MessageStream, delta: Uint8Array) => {
    this.delta = Uint8Array.from(delta);
    return {
      extend: async (count: number) => {
        const zero = Uint8Array.from(this.#random(count * 16));
        this.zeros.push(zero);
        const waiting = this.#choices.shift();
        if (waiting) waiting(zero);
        else this.#requests.push({ zero, answer: () => undefined });
        return zero;
      },
    };
  };

  readonly receiver = async () => ({
    extend: async (choices: Uint8Array) => {
      const zero =
        this.#requests.shift()?.zero ?? (await new Promise<Uint8Array>((r) => this.#choices.push(r)));
      return zero.map((byte, i) => byte ^ (this.delta[i % 16]! & -choices[Math.floor(i / 16)]!));
    },
  });
}

export interface Run {
  readonly bits: Uint8Array[];
  readonly dealer: Dealer;
  /** Frames that each side sent. */
  readonly fromGarbler: Uint8Array[];
  readonly fromEvaluator: Uint8Array[];
  readonly garbler: GarblerSession;
  readonly evaluator: EvaluatorSession;
}

export type Program = (
  session: Session,
  garblerBits: Uint8Array | undefined,
  evaluatorBits: Uint8Array | undefined,
) => Promise<Uint8Array[] | undefined>;

export interface RunOptions {
  readonly random?: RandomSource;
  /** Changes a frame from the garbler on its way. */
  readonly tamper?: (frame: Uint8Array, index: number) => Uint8Array;
  /** Puts another program in the garbler's place. */
  readonly garblerProgram?: Program;
  /** Told of the stream that the garbler writes to. */
  readonly onStream?: (stream: MessageStream) => void;
}

export function recorded(
  channel: Channel,
  frames: Uint8Array[],
  change: (f: Uint8Array, i: number) => Uint8Array,
): Channel {
  return {
    send: (frame) => {
      const sent = change(Uint8Array.from(frame), frames.length);
      frames.push(Uint8Array.from(sent));
      return channel.send(sent);
    },
    receive: () => channel.receive(),
    close: () => channel.close(),
    abort: (code) => channel.abort(code),
    get bytesSent() {
      return channel.bytesSent;
    },
    get bytesReceived() {
      return channel.bytesReceived;
    },
  };
}

/** Runs a program garbled and returns what the evaluator learned, with everything that a test may look at. */
export async function runGarbled(
  program: Program,
  garblerBits: Uint8Array,
  evaluatorBits: Uint8Array,
  { random = randomBytes, tamper = (frame) => frame, garblerProgram = program, onStream }: RunOptions = {},
): Promise<Run> {
  const [left, right] = memoryChannelPair();
  const dealer = new Dealer(random);
  const fromGarbler: Uint8Array[] = [];
  const fromEvaluator: Uint8Array[] = [];
  const garblerStream = new MessageStream(recorded(left, fromGarbler, tamper));
  onStream?.(garblerStream);
  const evaluatorStream = new MessageStream(recorded(right, fromEvaluator, (frame) => frame));
  const play = async <S extends Session>(
    channel: Channel,
    open: () => Promise<S>,
    run: (s: S) => Promise<unknown>,
  ) => {
    try {
      const session = await open();
      return { session, result: await run(session) };
    } catch (error) {
      await channel.abort('ERR_COMPUTATION');
      throw error;
    }
  };
  const [garbler, evaluator] = await Promise.allSettled([
    play(
      left,
      () => GarblerSession.openWith({ stream: garblerStream, random, setUp: dealer.sender }),
      (session) => garblerProgram(session, garblerBits, undefined),
    ),
    play(
      right,
      () => EvaluatorSession.openWith({ stream: evaluatorStream, setUp: dealer.receiver }),
      (session) => program(session, undefined, evaluatorBits),
    ),
  ]);
  if (evaluator.status === 'rejected') throw evaluator.reason;
  if (garbler.status === 'rejected') throw garbler.reason;
  if (garbler.value.result !== undefined) throw new Error('the garbler learned something');
  return {
    bits: evaluator.value.result as Uint8Array[],
    dealer,
    fromGarbler,
    fromEvaluator,
    garbler: garbler.value.session,
    evaluator: evaluator.value.session,
  };
}

export async function runClear(program: Program, garblerBits: Uint8Array, evaluatorBits: Uint8Array) {
  return (await program(new ClearSession(), garblerBits, evaluatorBits)) as Uint8Array[];
}

export function randomBits(count: number, random: RandomSource = randomBytes): Uint8Array {
  return Uint8Array.from(random(count), (byte) => byte & 1);
}
