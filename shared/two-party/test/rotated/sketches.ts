/** Sketched tasks, runs of them in one process, and how far a result is from the reference. */

import { createHash } from 'node:crypto';
import { type Components, ofKind, type Result, SKETCH_OUTPUTS } from '@eigenveil/methods';
import { decompose, principalAngles } from '@eigenveil/projection';
import { drawOwnNoise, flatten, unflatten } from '@eigenveil/statistics';
import { ownFloorOf, type Program, programOf, type StatisticsTask } from '@eigenveil/task';
import { generator } from '@eigenveil/testbed/random';
import { MessageStream } from '../../src/channel/message-stream.ts';
import type { Channel } from '../../src/index.ts';
import { drawSketchSecrets, type SketchSecrets } from '../../src/rotated/secrets.ts';
import { answerSketch } from '../../src/rotated/sketch/csp.ts';
import { askSketch } from '../../src/rotated/sketch/data-user.ts';
import type { SketchParameters } from '../../src/rotated/sketch/parameters.ts';
import { dealtLattice } from '../support/dealers.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';
import { noised } from './floors.ts';
import { AT_ONCE, systemBits } from './run.ts';
import { type Setting, share } from './settings.ts';

export interface SketchSetting extends Setting {
  readonly signs: Int32Array;
}

export interface GivenSketch {
  /** Values in [−1, 1]. */
  readonly rows: readonly (readonly number[])[];
  readonly columns: number;
  readonly components: number;
  readonly owners?: number;
  readonly task?: Partial<StatisticsTask>;
  readonly program?: Partial<Program>;
  readonly signs?: Int32Array;
  /** Spacings for which one owner adds a floor of its own. */
  readonly own?: readonly number[];
}

/** The same bytes in every run. */
function sameBytes(): (length: number) => Uint8Array {
  let asked = 0;
  return (outputLength) => {
    asked += 1;
    return createHash('shake256', { outputLength }).update(`${asked}`).digest();
  };
}

/** Rows whose features follow so many patterns, the j-th of a size of 1/j, and a little of their own. */
export function patterned(count: number, d: number, patterns: number, seed = 3): number[][] {
  const next = generator(seed);
  const shapes = Array.from({ length: patterns }, () => Array.from({ length: d }, () => next() - 0.5));
  return Array.from({ length: count }, () => {
    const row = Array.from({ length: d }, () => 0.02 * (next() - 0.5) + 0.1);
    for (const [j, shape] of shapes.entries()) {
      const size = (next() - 0.5) / (1 + j / 2);
      for (const [i, entry] of shape.entries()) row[i]! += size * entry;
    }
    return row;
  });
}

/** The same at each call: of few features by nearly as many columns, drawn signs make dependent columns now and then. */
export function signsOf(count: number): Int32Array {
  const next = generator(17);
  return Int32Array.from({ length: count }, () => (next() < 0.5 ? 1 : -1));
}

export function sketchSetting({
  rows,
  columns,
  components,
  owners = 3,
  ...given
}: GivenSketch): SketchSetting {
  const d = rows[0]!.length;
  const task: StatisticsTask = {
    method: { kind: 'pca' },
    features: Array.from({ length: d }, (_, i) => ({ name: `f${i}`, min: -1, max: 1, twoValued: false })),
    labellings: [],
    sketch: { columns },
    fractionBits: 14,
    maximumOwners: 16,
    maximumSamplesPerOwner: 1024,
    keyBits: 2048,
    statisticalSecurityBits: 40,
    ...given.task,
  };
  const program = {
    ...programOf({
      ...task,
      components,
      outputs: [...SKETCH_OUTPUTS],
      minimumOwners: 2,
      allowFullRank: false,
    }),
    ...given.program,
  };
  const signs = given.signs ?? signsOf(d * columns);
  const unit = 2 ** task.fractionBits;
  const Y = new Array<bigint>(d * columns).fill(0n);
  const V = new Array<bigint>(d).fill(0n);
  for (const row of rows) {
    const cells = row.map((value) => Math.round(value * unit));
    for (let a = 0; a < columns; a += 1) {
      const sum = BigInt(cells.reduce((total, cell, i) => total + cell * signs[i * columns + a]!, 0));
      for (let i = 0; i < d; i += 1) Y[i * columns + a]! += BigInt(cells[i]!) * sum;
    }
    for (const [i, cell] of cells.entries()) V[i]! += BigInt(cell);
  }
  const summed = { R: [], Y, labellings: [[{ V, M: BigInt(rows.length) }]], owners: BigInt(owners) };
  const floor = given.own && ownFloorOf(task, given.own);
  const added = floor && drawOwnNoise(task, floor, sameBytes(), signs);
  const statistics = added
    ? unflatten(
        task,
        flatten(task, summed).map((value, i) => value + added[i]!),
      )
    : summed;
  const { garbler, evaluator, noise } = share(task, statistics, owners, undefined, signs);
  const withSigns = <Part extends object>(part: Part) => ({ ...part, signs });
  return {
    task,
    program,
    statistics,
    noise,
    signs,
    garbler: withSigns(garbler),
    evaluator: withSigns(evaluator),
  };
}

export interface RunOptions {
  readonly channels?: [Channel, Channel];
  readonly secrets?: (parameters: SketchParameters) => SketchSecrets;
  readonly markAnswered?: () => Promise<void>;
}

export async function runSketch(
  { task, program, garbler, evaluator }: SketchSetting,
  {
    channels = memoryChannelPair(),
    secrets = (parameters) => drawSketchSecrets(parameters, systemBits()),
    markAnswered = async () => undefined,
  }: RunOptions = {},
) {
  const { csp: atCsp, user: atUser, log } = dealtLattice();
  const [user, csp] = await Promise.allSettled([
    askSketch(new MessageStream(channels[1]), atUser, { task, program }, { ...evaluator, pace: AT_ONCE }),
    answerSketch(
      new MessageStream(channels[0]),
      atCsp,
      { task, program },
      { ...garbler, markAnswered },
      secrets,
    ),
  ]);
  return { user, csp, log };
}

export async function resultOf(setting: SketchSetting, options?: RunOptions): Promise<Components> {
  const { user, csp } = await runSketch(setting, options);
  if (csp.status === 'rejected') throw csp.reason;
  if (user.status === 'rejected') throw user.reason;
  return ofKind('components', user.value);
}

/** Largest |Δλ|/λ₁, and the sine of the largest angle between the result and the reference's components, with the same noise. */
export function distanceToSketch(setting: SketchSetting, found: Result) {
  const result = ofKind('components', found);
  const { program, statistics, signs } = setting;
  const expected = decompose(program, program.floor ? noised(setting) : statistics, signs);
  return {
    eigenvalueError: Math.max(
      ...result.eigenvalues.map(
        (value, j) => Math.abs(value - expected.eigenvalues[j]!) / expected.eigenvalues[0]!,
      ),
    ),
    sine: Math.sin(principalAngles(result.vectors, expected.vectors).at(-1)!),
    expected,
  };
}
