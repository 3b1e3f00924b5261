/**
 * Tells what a task's two-party computation will cost, before anybody contributes: counted where gates count,
 * otherwise by lines fitted to measurements.
 */
import { methodOf } from '@eigenveil/methods';
import { nextTurn, type Words, words } from '@eigenveil/platform';
import { programOf, type TaskProposal } from '@eigenveil/task';
import {
  CountingGates,
  CountingSession,
  latticeBytes,
  latticeWork,
  observed,
  pencilPaces,
  programBy,
  rotatedPlan,
  runProgram,
  sketchPaces,
  standardPaceOf,
} from '@eigenveil/two-party/plan';
import { draftTerm } from '../draft/sample.ts';

export interface Cost {
  readonly seconds: number;
  /** The bytes between the servers, both ways. */
  readonly bytes: number;
  /** The memory of each server's process. */
  readonly memory: number;
}

/** The machine whose figures README and docs/benchmarks have: 2 cores, both servers on it. */
const MACHINE = draftTerm('draftMachine', 'a machine of 2 cores as in docs/benchmarks.md');
const GATES_PER_SECOND = 8e6;
const LABEL_BYTES = 16;
/** The speed from the shares to the restored counts and quantiles: 0.3 s for 34,850 sums. */
const LINEAR_SUMS_PER_SECOND = 1.5e5;

/**
 * Returns the cost; undefined for `simulated`, which costs nothing to speak of.
 * @throws the signal's reason, once it is aborted
 */
export async function costOf(task: TaskProposal, signal?: AbortSignal): Promise<Cost | undefined> {
  if (task.twoParty === 'simulated') return undefined;
  if (task.twoParty === 'linear') return linearCost(task);
  return task.twoParty === 'garbled' ? garbledCost(task, signal) : rotatedCost(task);
}

/** One message of shares; the rest is draws of noise, and JSON. */
function linearCost(task: TaskProposal): Cost {
  const shares = programBy('linear', task).shareBits(task);
  const sums = shares.length - 1; // the last is the number of owners
  const pace = standardPaceOf(task) / 1000;
  const bytes = shares.reduce((all, bits) => all + Math.ceil(bits / 8), 0);
  return { seconds: 0.1 + sums / LINEAR_SUMS_PER_SECOND + pace, bytes, memory: 170e6 + 700 * sums };
}

/**
 * Gates are counted on a context that computes nothing. Some seconds for 100 features, with a turn for others
 * after each step.
 */
async function garbledCost(task: TaskProposal, signal?: AbortSignal): Promise<Cost> {
  const session = new CountingSession(new CountingGates());
  const patient = observed(session, async () => {
    await nextTurn();
    signal?.throwIfAborted();
  });
  await runProgram(patient, task, programOf(task), {});
  const { gates, garblerBits, evaluatorBits } = session;
  return {
    seconds: 0.6 + gates.andGates / GATES_PER_SECOND,
    // A label, or a row of the transfer, for each bit that goes in.
    bytes: gates.tableBytes + (garblerBits + evaluatorBits) * LABEL_BYTES,
    memory: 220e6 + 2.3e6 * task.features.length,
  };
}

/** Words of polynomials that both servers transform in a second, with all that goes with it. */
const WORDS_PER_SECOND = 7.5e7;

/** Counted from the plan of all products; what the circuit of a correlation matrix sends is fitted. */
async function rotatedCost(task: TaskProposal): Promise<Cost> {
  const plan = await rotatedPlan(task, programOf(task));
  const d = task.features.length;
  const circuit = methodOf(task).decomposes === 'correlation' ? 110_000 * d ** 2 : 0;
  const entries = d * (task.sketch?.columns ?? 0);
  return {
    seconds:
      0.2 + latticeWork(plan) / WORDS_PER_SECOND + circuit / 4e8 + 4e-6 * entries + waitOf(task) / 1000,
    bytes: latticeBytes(plan) + circuit,
    memory: 250e6 + (entries > 0 ? 700 * entries : 0.4e6 * d + 1.2e3 * d ** 2),
  };
}

/** Returns the milliseconds of all public waits. */
function waitOf(task: TaskProposal): number {
  const { features, labellings, components, sketch } = task;
  const d = features.length;
  if (sketch !== undefined) {
    const { centring, whole } = sketchPaces(d, sketch.columns, components);
    return centring + whole;
  }
  if (methodOf(task).decomposes !== 'pencil') return standardPaceOf(task);
  const classes = labellings.map((labelling) => labelling.classes.length);
  const { contrasts, whole } = pencilPaces(d, classes, !task.exact || classes.length > 1, components);
  return contrasts + whole;
}

/** Says the cost in words, marked as what it is. */
export async function describeCost(task: TaskProposal, signal?: AbortSignal): Promise<Words[]> {
  const cost = await costOf(task, signal);
  if (cost === undefined) return [];
  const { seconds, bytes, memory } = cost;
  return [
    words`estimate: ${task.twoParty} takes about ${withUnit(seconds, TIMES)}, ${withUnit(bytes, SIZES)} between the servers and ${withUnit(memory, SIZES)} of memory in each, on ${MACHINE}; a network takes its time on top`,
  ];
}

const TIMES = [
  [5400, 3600, 'hours'],
  [90, 60, 'minutes'],
  [0, 1, 'seconds'],
] as const;
const SIZES = [
  [1e9, 1e9, 'GB'],
  [1e6, 1e6, 'MB'],
  [0, 1e3, 'kB'],
] as const;

function withUnit(value: number, units: readonly (readonly [number, number, string])[]): string {
  const [, unit, name] = units.find(([least]) => value >= least)!;
  return `${Number((value / unit).toPrecision(2))} ${name}`;
}
