/** Runs of one answer over lines that break, between ends that keep what they must and forget the rest, as a process does that is killed. */
import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Channel, KeptAnswer } from '../../src/index.ts';
import { rotated } from '../../src/rotated.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';
import { AT_ONCE } from './run.ts';
import type { Setting } from './settings.ts';
import { watched } from './watched.ts';

/** What an end keeps of an answer, apart from a database. */
export class Kept implements KeptAnswer {
  readonly seed: Uint8Array;
  readonly tags: Uint8Array[] = [];
  /** Runs in which the CSP marked, or the data user saw, the first matrix. */
  matrices = 0;
  isGivenUp = false;

  constructor(seed: Uint8Array = randomBytes(32)) {
    this.seed = seed;
  }

  readonly keep = async (position: number, tag: Uint8Array) => {
    await setImmediate(); // as a database takes its time
    if (this.isGivenUp || position > this.tags.length) throw new Error('expected an answer, and no gap');
    this.tags[position] ??= tag;
    return this.tags[position];
  };
  readonly giveUp = async () => {
    this.isGivenUp = true;
  };
  readonly noteMatrix = async () => {
    this.matrices += 1;
  };
}

/** An end that compares nothing. */
export class Careless extends Kept {
  override readonly keep = async (_position: number, tag: Uint8Array) => tag;
}

/** An end that goes on comparing where another would have given the answer up. */
export class Unending extends Kept {
  override readonly giveUp = async () => undefined;
}

/** An end that cannot write down that there was a matrix. */
export class Uncounting extends Kept {
  override readonly noteMatrix = () => Promise.reject(new Error('no disk'));
}

/** A CSP that can keep tags but not write down that a check has failed: its disk fails just then, or it is killed. */
export class Forgetful extends Kept {
  override readonly giveUp = () => Promise.reject(new Error('no disk'));
}

export interface Ends {
  readonly csp: Kept;
  readonly user: Kept;
}

export type End = keyof Ends;

/** The line is gone before this end's message of this number, from 0, leaves. */
export interface Cut {
  readonly end: End;
  readonly message: number;
}

/** One run, and every byte that each end has sent in it; `change` may change messages, given their numbers. */
export async function runOnce(
  setting: Setting,
  { csp, user }: Ends,
  cut?: Cut,
  change: (end: End, message: Uint8Array, number: number) => void = () => undefined,
) {
  const { task, program, garbler, evaluator } = setting;
  const [left, right] = memoryChannelPair();
  const sent: Record<End, Uint8Array[]> = { csp: [], user: [] };
  const recorded = (end: End, channel: Channel): Channel => {
    const send: Channel['send'] = async (message, released) => {
      if (cut?.end === end && sent[end].length === cut.message) await channel.close();
      const copy = Uint8Array.from(message);
      change(end, copy, sent[end].length);
      const sending = channel.send(copy, released);
      sent[end].push(copy);
      await sending;
    };
    return { ...watched(channel, (message) => message), send };
  };
  const [atCsp, atUser] = await Promise.allSettled([
    rotated.runCsp(
      recorded('csp', left),
      { task, program },
      { ...garbler, answer: csp, markAnswered: csp.noteMatrix },
    ),
    rotated.runDataUser(
      recorded('user', right),
      { task, program },
      { ...evaluator, answer: user, pace: AT_ONCE },
    ),
  ]);
  return {
    csp: atCsp,
    user: atUser,
    messages: { csp: sent.csp.length, user: sent.user.length },
    bytes: { csp: Buffer.concat(sent.csp), user: Buffer.concat(sent.user) },
    frames: { csp: sent.csp, user: sent.user },
  };
}
