/** The real protocol `rotated` with a data user that deviates in its products: both ends in this process, with the CSP watched. */
import { randomBytes } from 'node:crypto';
import type { FlatResult } from '@eigenveil/methods';
import { type Statistics, sketchMatrix } from '@eigenveil/statistics';
import { programOf, type Task } from '@eigenveil/task';
import { TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import {
  answersBefore,
  askPencil,
  askRotated,
  askSketch,
  dataUserLattice,
  LATTICE_MESSAGE,
  type LatticePlan,
  type Matrix,
  MessageStream,
  memoryChannelPair,
  messagesOf,
  PROGRAM,
  recorded,
  streamsFrom,
  type UserFactor,
  type UserLattice,
} from '@eigenveil/two-party/insides';
import { errorCodeOf } from '@eigenveil/wire';
import { Draws } from '../../draws.ts';
import type { Setting } from '../../experiment.ts';
import { pooledStatistics } from '../../released.ts';
import { agreed, type SmallKind, smallTask } from '../in-process/small-task.ts';
import { AT_ONCE, type Shares, share } from '../in-process/two-party.ts';

const ROWS = 60;

/** A task over some rows, and what both servers have of it. */
export interface Drawn {
  readonly task: Task;
  /** Ω of a sketch. */
  readonly signs: Int32Array | undefined;
  readonly statistics: Statistics;
  readonly shares: Shares;
}

/** Tasks of a method over rows of the scene, drawn again each time. */
export function* drawnTasks({ scene, seed }: Setting, count: number, kind: SmallKind): Generator<Drawn> {
  const { proposal, cut } = smallTask(scene, { kind, twoParty: 'rotated' });
  const draws = new Draws(seed);
  for (let i = 0; i < count; i += 1) {
    const task = agreed(proposal);
    const rows = cut(draws.some(scene.owners.flat(), ROWS));
    // Any will do: they are public.
    const signs = proposal.sketch && sketchMatrix(randomBytes(32), proposal);
    const statistics = pooledStatistics(proposal, [rows.slice(0, ROWS / 2), rows.slice(ROWS / 2)], signs);
    yield { task, signs, statistics, shares: share(task, statistics, undefined, signs) };
  }
}

/** The acts of a data user that deviates; what is not named is as the protocol has it. */
export interface Deviation {
  /** Returns what it puts into a product. */
  readonly put?: (factor: UserFactor) => UserFactor;
  /** Is told what it gets of a product. */
  readonly see?: (product: number, got: Matrix) => void;
  /** Opens its end of the products. */
  readonly lattice?: (stream: MessageStream) => UserLattice;
  /** Changes a message on its way. */
  readonly send?: (type: number, payload: Uint8Array) => Uint8Array;
}

/** The end of a run. */
export interface Ended {
  /** The result that the data user has, or why it has nothing. */
  readonly user: PromiseSettledResult<FlatResult>;
  /** The end for the CSP: `done`, or a code. */
  readonly csp: string;
  /** True if the task was marked as answered. */
  readonly marked: boolean;
  /** True if more answers have left than those before the product that opens M. */
  readonly opened: boolean;
}

const honestLattice = (stream: MessageStream): UserLattice =>
  dataUserLattice(stream, PROGRAM, streamsFrom(randomBytes(32)));

/** @param matrix the number of the product that opens M */
export async function runDeviating(
  { task, signs, statistics, shares }: Drawn,
  matrix: number,
  { put = (factor) => factor, see, lattice = honestLattice, send }: Deviation,
): Promise<Ended> {
  const program = programOf(task);
  const [left, right] = memoryChannelPair();
  const frames: Uint8Array[] = [];
  const stream = new MessageStream(right);
  if (send) {
    const write = stream.write.bind(stream);
    stream.write = (type, payload) => write(type, send(type, payload.slice()));
  }
  let before = 0;
  let marked = false;
  const opening = (): UserLattice => {
    const open = lattice(stream);
    return async (plan: LatticePlan) => {
      before = answersBefore(plan, matrix);
      const products = await open(plan);
      return {
        async multiply(asked, moments) {
          const got = await products.multiply(asked.map(put), moments);
          for (const [i, { product }] of asked.entries()) see?.(product, got[i]!);
          return got;
        },
      };
    };
  };
  const ask = signs ? askSketch : task.method.kind === 'pca' ? askRotated : askPencil;
  const markAnswered = async () => {
    marked = true;
  };
  const [user, csp] = await Promise.allSettled([
    ask(stream, opening, { task, program }, { shares: shares.dataUser, signs, pace: AT_ONCE }).catch(
      async (error) => {
        await right.close(); // who waits for it hears of it
        throw error;
      },
    ),
    TWO_PARTY_PROTOCOLS.rotated.runCsp(
      recorded(left, frames, (frame) => frame),
      { task, program },
      { shares: shares.csp, signs, verifiedOwners: Number(statistics.owners), markAnswered },
    ),
  ]);
  // Whatever the CSP does, it has a code.
  if (user.status === 'rejected' && errorCodeOf(user.reason) === undefined) throw user.reason;
  const answers = messagesOf(frames).filter(({ type }) => type === LATTICE_MESSAGE.answer);
  return {
    ...{ user, marked, opened: answers.length > before },
    csp: csp.status === 'fulfilled' ? 'done' : (errorCodeOf(csp.reason) ?? 'failed'),
  };
}
