/** Discriminant tasks, runs of them in one process, and how far a result is from the reference. */
import { type Components, type MethodParameters, methodOf, ofKind, type Result } from '@eigenveil/methods';
import { generalisedEigen, pencil, principalAngles } from '@eigenveil/projection';
import { floorOf, type Program, type StatisticsTask } from '@eigenveil/task';
import { generator } from '@eigenveil/testbed/random';
import { MessageStream } from '../../src/channel/message-stream.ts';
import type { Channel } from '../../src/index.ts';
import { answerPencil } from '../../src/rotated/pencil/csp.ts';
import { askPencil } from '../../src/rotated/pencil/data-user.ts';
import type { PencilParameters } from '../../src/rotated/pencil/parameters.ts';
import { drawPencilSecrets, type PencilSecrets } from '../../src/rotated/secrets.ts';
import { type Given, settingOf } from '../programs/data.ts';
import { dealtLattice } from '../support/dealers.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';
import { AT_ONCE, systemBits } from './run.ts';
import { type Setting, share } from './settings.ts';

export const dca = (
  ridge: number,
  signalRidge = 0,
  form: 'standard' | 'book' = 'standard',
): MethodParameters => ({
  kind: 'dca',
  form,
  ridge,
  signalRidge,
});
export const lda = (ridge: number): MethodParameters => ({ kind: 'lda', ridge });
export const mdr = (ridge: number): MethodParameters => ({ kind: 'mdr', ridge });

export interface GivenPencil extends Given {
  readonly task?: Partial<StatisticsTask>;
  readonly program?: Partial<Program>;
}

export function pencilSetting({ program: changes = {}, task: more = {}, ...given }: GivenPencil): Setting {
  const { task: drafted, program, statistics, garbler } = settingOf(given);
  const task = { ...drafted, ...more };
  const floor = floorOf(task);
  return {
    task,
    program: {
      ...program,
      allowFullRank: false,
      outputs: methodOf(program).revealedByRotation,
      ...(floor && { floor }),
      ...changes,
    },
    statistics,
    ...share(task, statistics, garbler.verifiedOwners),
  };
}

/** Rows of d features in [−1, 1], class by class in turn, each class around a mean of its own. */
export function labelled(rows: number, d: number, classes: number, seed = 5) {
  const next = generator(seed);
  const means = Array.from({ length: classes }, () => Array.from({ length: d }, () => next() - 0.5));
  const labels = Array.from({ length: rows }, (_, i) => i % classes);
  return {
    rows: labels.map((k) => means[k]!.map((mean, j) => 0.6 * mean + (next() - 0.5) / (1 + (j % 5)))),
    labellings: [{ classes, labels }],
  };
}

export interface RunOptions {
  readonly channels?: [Channel, Channel];
  readonly secrets?: (parameters: PencilParameters) => PencilSecrets;
  readonly markAnswered?: () => Promise<void>;
}

export async function runPencil(
  { task, program, garbler, evaluator }: Setting,
  {
    channels = memoryChannelPair(),
    secrets = (parameters) => drawPencilSecrets(parameters, systemBits()),
    markAnswered = async () => undefined,
  }: RunOptions = {},
) {
  const { csp: atCsp, user: atUser, log } = dealtLattice();
  const [user, csp] = await Promise.allSettled([
    askPencil(new MessageStream(channels[1]), atUser, { task, program }, { ...evaluator, pace: AT_ONCE }),
    answerPencil(
      new MessageStream(channels[0]),
      atCsp,
      { task, program },
      { ...garbler, markAnswered },
      secrets,
    ),
  ]);
  return { user, csp, log };
}

export async function resultOf(setting: Setting, options?: RunOptions): Promise<Components> {
  const { user, csp } = await runPencil(setting, options);
  if (csp.status === 'rejected') throw csp.reason;
  if (user.status === 'rejected') throw user.reason;
  return ofKind('components', user.value);
}

/**
 * Largest |Δν|, ν being λ brought to [0, 1] as the method's reduction has it, and the sine of the largest angle to the reference's leading
 * subspace.
 */
export function distanceToPencil({ program, statistics }: Setting, found: Result) {
  const result = ofKind('components', found);
  const { A, B } = pencil({ ...program, outputs: [] }, statistics);
  const all = generalisedEigen(A, B!);
  const { method } = program;
  const bounded = (value: number) =>
    method.kind === 'dca' ? (method.form === 'book' ? 1 - 1 / value : value) : value / (1 + value);
  const k = result.vectors.length;
  return {
    eigenvalueError: Math.max(
      ...result.eigenvalues.map((value, i) => Math.abs(bounded(value) - bounded(all.values[i]!))),
    ),
    sine: Math.sin(Math.max(...principalAngles(result.vectors, all.vectors.slice(0, k)))),
    largestVectorError: Math.max(
      ...result.vectors.flatMap((vector, i) =>
        vector.map((entry, j) => Math.abs(entry - all.vectors[i]![j]!)),
      ),
    ),
  };
}
