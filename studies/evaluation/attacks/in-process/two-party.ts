/** A two-party computation in this process: the real protocols over a channel in memory, with both ends watched. */
import { type FlatResult, flatResult } from '@eigenveil/methods';
import type { CodedError } from '@eigenveil/platform';
import { type RandomSource, systemRandomness } from '@eigenveil/privacy';
import { draw, sharesAtCsp, sharesAtDataUser } from '@eigenveil/protocol/servers';
import { flatten, layout, type Statistics } from '@eigenveil/statistics';
import { type Program, programOf, type Task } from '@eigenveil/task';
import {
  type Channel,
  type DataUserInput,
  type Pace,
  systemClock,
  TWO_PARTY_PROTOCOLS,
} from '@eigenveil/two-party';
import { memoryChannelPair, recorded, toRing } from '@eigenveil/two-party/insides';
import { errorCodeOf } from '@eigenveil/wire';

/** For experiments on what is sent, not on when. */
export const AT_ONCE: Pace = { milliseconds: 0, clock: systemClock };

export interface Shares {
  readonly csp: readonly bigint[];
  readonly dataUser: readonly bigint[];
}

/**
 * Both servers' shares of statistics, as the unblinding leaves them: with the noise of those who add some.
 * @param signs Ω of a sketch
 * @param alone where the CSP draws its noise from, if the data user shall add none
 */
export function share(task: Task, statistics: Statistics, alone?: RandomSource, signs?: Int32Array): Shares {
  const drawn = draw({ task, packing: layout(task), signs }, systemRandomness);
  const slots = flatten(task, statistics).map((value, i) => value + drawn.blinding.at(i)!);
  const noise = alone ? drawn.noise.map(() => 0n) : drawn.noise;
  return {
    csp: [...sharesAtCsp(task, slots, alone ?? systemRandomness, signs)],
    dataUser: [...sharesAtDataUser(task, { ...drawn, noise })],
  };
}

/** Shares with something added to one of them, value by value. */
export function shifted(task: Task, shares: readonly bigint[], by: readonly bigint[]): bigint[] {
  const bits = TWO_PARTY_PROTOCOLS[task.twoParty].shareBits(task);
  return toRing(
    bits,
    shares.map((value, i) => value + by[i]!),
  );
}

interface Watching {
  /** Changes the n-th message of the CSP. */
  readonly tamper?: (message: Uint8Array, index: number) => Uint8Array;
  /** Called when the CSP has got a message or an end. */
  readonly onReceive?: () => void;
  readonly dataUser?: Partial<DataUserInput>;
  readonly program?: Partial<Program>;
  readonly verifiedOwners?: number;
  /** The Ω of a task with a sketch. */
  readonly signs?: Int32Array | undefined;
}

interface Watched {
  /** The result, if there is one. */
  readonly result: FlatResult | undefined;
  /** The reason why there is none, at the data user. */
  readonly code: string | undefined;
  /** The end of the run for the CSP: in order (`done`), or with a code. */
  readonly csp: string;
  /** The closing that the CSP heard after its last message. */
  readonly closing: string;
  readonly fromCsp: readonly Uint8Array[];
  readonly fromDataUser: readonly Uint8Array[];
}

/** Runs both ends to the end of their conversation. */
export async function runTwoParty(
  task: Task,
  statistics: Pick<Statistics, 'owners'>,
  shares: Shares,
  {
    tamper = (message) => message,
    onReceive,
    dataUser,
    program: changes,
    verifiedOwners,
    signs,
  }: Watching = {},
): Promise<Watched> {
  const protocol = TWO_PARTY_PROTOCOLS[task.twoParty];
  const program = { ...programOf(task), ...changes };
  const [left, right] = memoryChannelPair();
  const fromCsp: Uint8Array[] = [];
  const fromDataUser: Uint8Array[] = [];
  const ofCsp = recorded(left, fromCsp, tamper);
  const atCsp: Channel = {
    ...ofCsp,
    receive: () => ofCsp.receive().finally(() => onReceive?.()),
  };
  const [csp, user] = await Promise.allSettled([
    protocol.runCsp(
      atCsp,
      { task, program },
      {
        shares: shares.csp,
        signs,
        verifiedOwners: verifiedOwners ?? Number(statistics.owners),
        markAnswered: async () => undefined,
      },
    ),
    protocol.runDataUser(
      recorded(right, fromDataUser, (message) => message),
      { task, program: programOf(task) },
      { shares: shares.dataUser, signs, pace: AT_ONCE, ...dataUser },
    ),
  ]);
  const closing = await left.receive().then(
    () => 'another message',
    (error: CodedError) => error.parameters.reason ?? error.code,
  );
  return {
    result: user.status === 'fulfilled' ? flatResult(user.value) : undefined,
    code: user.status === 'fulfilled' ? undefined : (errorCodeOf(user.reason) ?? String(user.reason)),
    csp: csp.status === 'fulfilled' ? 'done' : (errorCodeOf(csp.reason) ?? 'failed'),
    closing,
    fromCsp,
    fromDataUser,
  };
}
