/**
 * The form of every two-party protocol: two roles, the CSP and the data user, that turn additive shares into
 * a result at the data user.
 */
import type { Result } from '@eigenveil/methods';
import type { IntegerList } from '@eigenveil/platform';
import type { Program, StatisticsTask } from '@eigenveil/task';
import type { Channel } from './channel/channel.ts';
import type { Pace } from './channel/pace.ts';
import type { TagKeeper } from './channel/transcript.ts';
import type { Shared } from './shares.ts';

/** The public parameters that both servers agree on beforehand. */
export interface Computation {
  readonly task: StatisticsTask;
  readonly program: Program;
}

/** One server's additive shares, as ring elements of the protocol's `shareBits`, one per value of its `valuesOf`. */
interface Shares {
  readonly shares: IntegerList;
  /**
   * Present for a task with `sketch`: Ω, public, row by row in whole numbers over 2^`sketchScaleBits`, as
   * sketchMatrix makes it.
   */
  readonly signs?: Int32Array | undefined;
}

/**
 * The number of times that the answer of a protocol that gives one may be run as far as its first matrix: a
 * run that is the same as before tells only its time.
 */
export const MOST_RUNS = 16;

/**
 * The one answer of a protocol that gives one (answersOnce), at one end: what it is drawn from and what has
 * come, so that it is the same answer whenever it is run again, from its beginning and by whichever process.
 * All of it is durable before anything that depends on it leaves.
 */
export interface KeptAnswer extends TagKeeper {
  /** 32 bytes from the system's generator, secret, of this answer alone. */
  readonly seed: Uint8Array;
}

export interface DataUserInput extends Shares {
  /** With `rotated`; without it a run is an answer of its own, and cannot be resumed. */
  readonly answer?: KeptAnswer & {
    /**
     * Called when the first matrix has come, before the next byte: notes durably that it has, and rejects
     * after MOST_RUNS times.
     */
    readonly noteMatrix: () => Promise<void>;
  };
  /**
   * With `rotated`: when the data user goes on after it has seen the rotated matrix; by default at
   * standardPaceOf().
   */
  readonly pace?: Pace;
  /**
   * Called when the last message has come and the channel is closed, before anything is made of that message.
   * Whatever goes wrong afterwards is the result's fault, and the CSP must not be told of it, not by another
   * attempt either.
   */
  readonly onAnswer?: () => void;
  /**
   * Awaited before the CSP hears that this end gives up: a failed guess at this end's secrets is counted
   * durably by then.
   */
  readonly beforeAbort?: (error: unknown) => Promise<void>;
}

export interface CspInput extends Shares {
  /** With `rotated`; without it a run is an answer of its own, and cannot be resumed. */
  readonly answer?: KeptAnswer;
  /** The number of owners' records that the CSP has verified: the encrypted count of owners must equal it. */
  readonly verifiedOwners: number;
  /**
   * Notes durably that an answer is about to be given, and rejects where none may be given any more: nothing
   * of it leaves then. It is called once, before the last message without which the data user decodes
   * nothing. `rotated` calls it earlier, before the first byte that depends on its secrets, since a second
   * answer for the same data would give the data away, and before it refuses anything that may depend on the
   * shares. There it is called in each run of the one answer.
   */
  readonly markAnswered: () => Promise<void>;
}

/**
 * The progress of a data user; the total of the unit is known once it has been counted. A product is one of
 * two polynomials; both numbers follow from the public task.
 */
export interface Progress {
  readonly unit: 'AND gates' | 'products';
  readonly done: number;
  readonly planned?: number;
}

/**
 * Only the data user learns the result; in `garbled` the CSP is the garbler, the data user the
 * evaluator. Both reject with ERR_CHANNEL_… when the connection fails; the data user also with
 * ERR_OWNER_COUNT and the errors of the program, but not before it has closed the channel in order as with
 * any result: the CSP does not learn what came out, or whether anything did.
 */
export interface TwoPartyProtocol extends Shared {
  /** True if each server's view reveals no more than the declared outputs. */
  readonly isPrivate: boolean;
  /**
   * True if a second answer for the same data would give the data away, so that the CSP gives one only, the
   * same one in every run.
   */
  readonly answersOnce: boolean;
  runCsp(channel: Channel, computation: Computation, input: CspInput): Promise<void>;
  runDataUser(
    channel: Channel,
    computation: Computation,
    input: DataUserInput,
    onProgress?: (progress: Progress) => void,
  ): Promise<Result>;
}

/** Ends the data user's part of the conversation, whatever the last message is going to tell. */
export async function hangUp(channel: Channel, { onAnswer }: Pick<DataUserInput, 'onAnswer'>): Promise<void> {
  await channel.close();
  onAnswer?.();
}
