/** What follows from a task before anybody contributes, and all that is computed of it, from fixed randomness. */
import { createHash } from 'node:crypto';
import type { Result } from '@eigenveil/methods';
import { keyedRandomness } from '@eigenveil/privacy';
import {
  draw,
  longestResult,
  resultOf,
  shareBits,
  sharesAtCsp,
  sharesAtDataUser,
} from '@eigenveil/protocol/servers';
import { flatten, layout, sketchMatrix } from '@eigenveil/statistics';
import { computedBitsOf, programOf, type Task, valueBitsOf, widthsOf } from '@eigenveil/task';
import { type Channel, type DataUserInput, systemClock, TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import {
  ClearSession,
  type Computation,
  type CspInput,
  memoryChannelPair,
} from '@eigenveil/two-party/insides';
import { runProgram, standardPaceOf } from '@eigenveil/two-party/plan';
import { digestTask, PROJECTION, type Projection } from '@eigenveil/wire';
import { summarise } from '../tasks.ts';
import { REFINED, rowsOf } from './cases.ts';

export function digestOf(value: unknown): string {
  const text = JSON.stringify(value, (_, it: unknown) => (typeof it === 'bigint' ? `${it}` : it));
  return createHash('sha256').update(text).digest('base64url');
}

/** What parties agree on by the task alone; widths one after another, since they are short. */
export function agreedOf(task: Task) {
  const { R, Y, V, M, owners } = widthsOf(task);
  return {
    task: digestTask(task),
    layout: digestOf(layout(task)),
    widths: `${R} ${Y} ${V} ${M} ${owners}`,
    valueBits: digestOf(valueBitsOf(task)),
    computedBits: digestOf(computedBitsOf(task)),
    shareBits: digestOf(shareBits(task)),
    longestResult: longestResult(task),
    pace: standardPaceOf(task),
  };
}

const randomness = (purpose: string) =>
  keyedRandomness(createHash('sha256').update(`golden ${purpose}`).digest());

const signsOf = (task: Task) =>
  task.sketch &&
  sketchMatrix(
    createHash('sha256').update('golden sketch').digest(),
    task,
    task.sketch.refine === undefined ? undefined : REFINED,
  );

/** From the rows of all owners to the result that the data user signs. */
export async function computedOf(task: Task) {
  const signs = signsOf(task);
  const contributions = rowsOf(task).map((rows) => flatten(task, summarise(task, rows, signs)));
  const drawn = draw({ task, packing: layout(task), signs }, randomness('data user'));
  const slots = drawn.blinding.map((value, i) =>
    contributions.reduce((sum, values) => sum + values[i]!, value),
  );
  const csp = sharesAtCsp(task, slots, randomness('csp'), signs);
  const dataUser = sharesAtDataUser(task, drawn);
  const verifiedOwners = contributions.length;
  const { transcript, decomposition } = await RUNS[task.twoParty](
    { task, program: programOf(task) },
    { shares: csp, signs, verifiedOwners, markAnswered: async () => undefined },
    { shares: dataUser, signs },
  );
  const result: Projection = resultOf(task, decomposition);
  const signed = PROJECTION.schema.parse(result); // in the order of its members, of which `signStatement` makes the bytes
  return {
    result,
    verifiedOwners,
    digests: {
      contributions: digestOf(contributions),
      shares: digestOf([[...csp], [...dataUser]]),
      transcript,
      members: Object.keys(signed).join(' '),
      signed: digestOf(signed),
    },
  };
}

interface Run {
  readonly transcript: string;
  readonly decomposition: Result;
}

type Runner = (computation: Computation, csp: CspInput, dataUser: DataUserInput) => Promise<Run>;

/**
 * Everything that a garbled program reveals, its AND gates and its batches, in the clear, since labels are drawn by
 * the system.
 */
const inTheClear: Runner = async ({ task, program }, garbler, evaluator) => {
  const session = new ClearSession();
  const hash = createHash('sha256');
  const reveal = session.reveal.bind(session);
  session.reveal = async (outputs) => {
    const revealed = await reveal(outputs);
    for (const bits of revealed) hash.update(`${bits.length} `).update(bits);
    return revealed;
  };
  const decomposition = await runProgram(session, task, program, { garbler, evaluator });
  const { andGates, batches } = session.gates;
  return {
    transcript: `${hash.digest('base64url')} ${andGates} ${batches}`,
    decomposition: decomposition!,
  };
};

/** All bytes that both ends send, where all that they draw comes from the seeds that they keep. */
const overLine: Runner = async (computation, csp, dataUser) => {
  const [left, right] = memoryChannelPair();
  const sent = { csp: createHash('sha256'), dataUser: createHash('sha256') };
  const { runCsp, runDataUser } = TWO_PARTY_PROTOCOLS[computation.task.twoParty ?? 'garbled'];
  const [decomposition] = await Promise.all([
    runDataUser(heard(right, sent.dataUser), computation, {
      ...dataUser,
      answer: { ...keeping(2), noteMatrix: async () => undefined },
      pace: { milliseconds: 0, clock: systemClock },
    }),
    runCsp(heard(left, sent.csp), computation, { ...csp, answer: keeping(1) }),
  ]);
  return {
    transcript: `${sent.csp.digest('base64url')} ${sent.dataUser.digest('base64url')}`,
    decomposition,
  };
};

const RUNS: Readonly<Record<Task['twoParty'], Runner>> = {
  garbled: inTheClear,
  rotated: overLine,
  linear: overLine,
  simulated: overLine,
};

const keeping = (seed: number) => ({
  seed: new Uint8Array(32).fill(seed),
  keep: async (_position: number, tag: Uint8Array) => tag,
  giveUp: async () => undefined,
});

/** The same channel; what is sent by it goes into the hash, with its lengths. */
function heard(channel: Channel, hash: ReturnType<typeof createHash>): Channel {
  return {
    send: (message, released) => {
      hash.update(`${message.length} `).update(message);
      return channel.send(message, released);
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
