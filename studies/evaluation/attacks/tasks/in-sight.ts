/** Pooled statistics in sight, as `simulated` has them, which is known to be broken; the same attempt against the other protocols, and against blinding. */

import { flatten, layout, type Statistics, unflatten } from '@eigenveil/statistics';
import { programOf, type TaskProposal, valueBitsOf } from '@eigenveil/task';
import { type Channel, TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import {
  combine,
  drawSecrets,
  GARBLING_MESSAGE,
  memoryChannelPair,
  messagesOf,
  opened,
  RandomBits,
  recorded,
  rotatedParameters,
} from '@eigenveil/two-party/insides';
import { Matrix } from 'ml-matrix';
import { Draws } from '../../draws.ts';
import type { Effort, Outcome, Setting, Unworded } from '../../experiment.ts';
import { pooledStatistics } from '../../released.ts';
import { sharesOf } from '../../simulation/inputs.ts';
import { wholeScatter } from '../../whole-scatter.ts';
import { attacks } from '../attack.ts';
import { AT_ONCE } from '../in-process/two-party.ts';
import { tooLong } from './garbled.ts';
import { type Guess, populationOf, shrunk, trialsOf } from './population.ts';
import { pcaOf, rowsOf, runsOf } from './scenes.ts';
import { scatterOf } from './told.ts';

const RUNS = { quick: 150, full: 200 } as const;
/** Attempts that never succeed take so many to be told from those that do now and then. */
const MANY = { quick: 250, full: 400 } as const;

/** One run of a task, and what is drawn for it. */
interface Attempt {
  readonly task: TaskProposal;
  readonly pooled: Statistics;
  readonly draws: Draws;
}

/** Ends a run of which nothing more is needed. */
class Enough extends Error {}

/** Returns what `find` makes of all that the data user has got so far, in a run of both servers in this process, and its shares. */
async function found<T>(
  { task, pooled, draws }: Attempt,
  find: (frames: readonly Uint8Array[]) => T | undefined,
): Promise<{ readonly seen: T; readonly shares: readonly bigint[] }> {
  const held = sharesOf({ task }, pooled, draws);
  const computation = { task, program: { ...programOf(task), minimumOwners: 1 } };
  const [left, right] = memoryChannelPair();
  const frames: Uint8Array[] = [];
  let seen: T | undefined;
  const listening: Channel = {
    ...recorded(right, [], (message) => message),
    async receive() {
      const received = await right.receive();
      frames.push(Uint8Array.from(received));
      seen = find(frames);
      if (seen !== undefined) throw new Enough();
      return received;
    },
  };
  const protocol = TWO_PARTY_PROTOCOLS[task.twoParty];
  const [, ended] = await Promise.allSettled([
    protocol.runCsp(left, computation, {
      shares: held.csp,
      verifiedOwners: Number(pooled.owners),
      markAnswered: async () => undefined,
    }),
    protocol.runDataUser(listening, computation, { shares: held.dataUser, pace: AT_ONCE }),
  ]);
  if (seen === undefined) throw new Error('the data user expected other messages', { cause: ended });
  return { seen, shares: held.dataUser };
}

const COUNT_BYTES = 4;

/** The message of `simulated`: a count of owners, and the CSP's shares, to which the data user adds its own. */
async function readShares(attempt: Attempt): Promise<Matrix> {
  const { task } = attempt;
  const bits = valueBitsOf(task);
  const { seen, shares } = await found(attempt, ([message]) => message);
  let at = COUNT_BYTES;
  const others = bits.map((width) => {
    const from = at;
    at += Math.ceil(width / 8);
    return BigInt(`0x${Buffer.from(seen).toString('hex', from, at)}`);
  });
  return scatterIn(task, combine(bits, shares, others));
}

const LABEL_BYTES = 16;

/** The CSP's labels, one for each bit of its shares, each taken for the bit that it ends with. */
async function readLabels(attempt: Attempt): Promise<Matrix> {
  const { task } = attempt;
  const { seen, shares } = await found(
    attempt,
    (frames) => messagesOf(frames).find(({ type }) => type === GARBLING_MESSAGE.inputLabels)?.payload,
  );
  const widths = valueBitsOf(task);
  const others = sharesOfBits(widths, (i) => seen[LABEL_BYTES * i]! & 1);
  return scatterIn(task, combine(widths, shares, others));
}

/** Puts shares together from their bits in the order in which a garbler puts them in: values of one width go together, the lowest bits of all of them first. */
export function sharesOfBits(widths: readonly number[], bit: (i: number) => number): bigint[] {
  const shares: bigint[] = [];
  for (let at = 0; shares.length < widths.length; ) {
    const width = widths[shares.length]!;
    const rest = widths.slice(shares.length);
    const other = rest.findIndex((own) => own !== width);
    const count = other < 0 ? rest.length : other;
    for (let v = 0; v < count; v += 1) {
      const bits = Array.from({ length: width }, (_, i) => BigInt(bit(at + i * count + v)) << BigInt(i));
      shares.push(bits.reduce((sum, own) => sum + own, 0n));
    }
    at += width * count;
  }
  return shares;
}

/** Computes S̄ of flat statistics, also of such as no rows have. */
function scatterIn(task: TaskProposal, values: readonly bigint[]): Matrix {
  const statistics = unflatten(task, values);
  const rows = rowsOf(statistics);
  const T = wholeScatter(statistics).map((row) => row.map(Number));
  return new Matrix(T).div((rows === 0 ? 1 : rows) * 4 ** task.fractionBits);
}

async function attempts(
  setting: Setting,
  runs: Readonly<Record<Effort, number>>,
  task: TaskProposal,
  attempt: (run: Attempt) => Matrix | Promise<Matrix>,
) {
  const population = populationOf(task, setting.scene.publicSample);
  const guesses: Guess[] = [];
  const draws = new Draws(setting.seed).of('shares');
  for (const { members } of runsOf(setting, runs[setting.effort])) {
    const pooled = pooledStatistics(task, [members]);
    const blind = Matrix.mul(population.covariance, members.length);
    guesses.push({
      guess: shrunk(await attempt({ task, pooled, draws }), blind, blind.norm() ** 2),
      blind,
      truth: scatterOf(task, pooled),
    });
  }
  return trialsOf(guesses);
}

async function simulatedInSight(setting: Setting): Promise<Outcome> {
  const task = pcaOf(setting.scene, { twoParty: 'simulated' });
  return attempts(setting, RUNS, task, readShares);
}

async function garbledInSight(setting: Setting): Promise<Outcome> {
  const outcome = await attempts(setting, { quick: 12, full: 250 }, pcaOf(setting.scene), readLabels);
  return { ...outcome, facts: { draws: 'labels are the protocol’s own, new in each run' } };
}

async function rotatedInSight(setting: Setting): Promise<Outcome> {
  const task = pcaOf(setting.scene, { twoParty: 'rotated' });
  const parameters = rotatedParameters(task);
  const random = new RandomBits(new Draws(setting.seed).of('answers').source);
  return attempts(setting, MANY, task, ({ pooled }) => {
    const secrets = drawSecrets(parameters, task.components, random);
    const M = new Matrix(opened(wholeScatter(pooled), secrets, parameters));
    return M.div(rowsOf(pooled) * 4 ** task.fractionBits);
  });
}

/** The rows of all runs except one, in a task of several owners. */
async function cspWithOwners(setting: Setting): Promise<Outcome> {
  const task = pcaOf(setting.scene);
  const { valueBits, blindingBits } = layout(task);
  const others = flatten(task, pooledStatistics(task, setting.scene.owners));
  // Less what is known, and less the middle of what blinding can be.
  const expected = others.map(
    (other, i) => other + (1n << BigInt(valueBits[i]! - 1)) + (1n << BigInt(blindingBits[i]! - 1)),
  );
  return attempts(setting, MANY, task, ({ pooled, draws }) => {
    const all = flatten(task, pooled).map((value, i) => value + others[i]!);
    const { slots } = sharesOf({ task }, unflatten(task, all), draws);
    return scatterIn(
      task,
      slots.map((slot, i) => slot - expected[i]!),
    );
  });
}

async function bothServers(setting: Setting): Promise<Outcome> {
  const task = pcaOf(setting.scene);
  return attempts(setting, RUNS, task, ({ pooled, draws }) => {
    const { csp, dataUser } = sharesOf({ task }, pooled, draws);
    return scatterIn(task, combine(valueBitsOf(task), csp, dataUser));
  });
}

const COMMON = { secret: 'pooled statistics', unit: 'run' } as const;
const inSight = attacks({ ...COMMON, attacker: 'data user' });
const together = attacks({ ...COMMON, attacker: 'coalition' });

export const SERVERS: readonly Unworded[] = [
  inSight('simulated-pooled', 'control', ['S-17'], ['iris'], simulatedInSight),
  inSight('garbled-pooled', 'holds', ['S-8', 'S-19'], ['iris'], garbledInSight, { omits: tooLong }),
  inSight('rotated-pooled', 'holds', ['S-8'], ['pima'], rotatedInSight),
  together('collusion-csp', 'holds', ['S-13'], ['pima'], cspWithOwners, { secret: 'statistics of an owner' }),
  together('collusion-servers', 'control', ['S-2', 'S-138'], ['pima'], bothServers),
];
