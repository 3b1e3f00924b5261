/**
 * Every method by every private protocol: the one table of methods here. Nothing else of this package asks which
 * method a task has.
 */
import {
  entryOf,
  type MethodOf,
  type MethodParameters,
  type MethodTable,
  methodNameOf,
  type Result,
} from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { notPositiveDefinite, PROJECTION_CODES } from '@eigenveil/projection/portable';
import type { Program, StatisticsTask } from '@eigenveil/task';
import type { Session } from '../garbling/index.ts';
import { CORRELATION, PENCIL, SCATTER, SKETCH } from '../rotated/rotations.ts';
import { circuitCheck } from './circuit-check.ts';
import { discriminant } from './discriminant.ts';
import type { Paced, Programs } from './form.ts';
import { histogramSums } from './histogram.ts';
import type { Shares } from './inputs.ts';
import { mdr } from './mdr.ts';
import { MOMENT_SUMS } from './moments.ts';
import { pca } from './pca.ts';
import { pcr } from './pcr.ts';
import {
  GARBLED_SIGNAL_RIDGE,
  pencilResolution,
  RATIO_SLOPE,
  type Resolution,
  type Resolved,
  scatterResolution,
} from './resolution.ts';
import { ridge } from './ridge.ts';

export type { Shares } from './inputs.ts';
export type { Resolution } from './resolution.ts';

const PROGRAMS = {
  pca: () => ({
    garbled: { run: pca },
    rotated: SCATTER,
    resolution: scatterResolution('scatter'),
  }),
  correlation: () => ({
    garbled: { run: (...given) => pca(...given, true) },
    rotated: CORRELATION,
    resolution: scatterResolution('correlation'),
  }),
  sketch: () => ({ rotated: SKETCH, resolution: scatterResolution('scatter') }),
  dca: ({ method: { form, ridge, signalRidge } }) => ({
    garbled: {
      check: circuitCheck({ ridge, signalRidge }),
      run: (...given) => discriminant(...given, ridge),
    },
    rotated: PENCIL,
    resolution: pencilResolution({
      ...(form === 'book' && signalRidge === 0 && { slope: (eigenvalue) => eigenvalue ** 2 }),
      ...(signalRidge !== 0 && { garbled: GARBLED_SIGNAL_RIDGE }),
    }),
  }),
  lda: ({ method: { ridge } }) => ({
    garbled: { check: circuitCheck({ ridge }), run: (...given) => discriminant(...given, ridge) },
    rotated: PENCIL,
    resolution: pencilResolution({ slope: RATIO_SLOPE }),
  }),
  mdr: ({ method: { ridge } }) => ({
    // It adds no ridge to integers.
    garbled: { check: circuitCheck({}), run: (...given) => mdr(...given, ridge) },
    rotated: {
      ...PENCIL,
      check(task, program) {
        PENCIL.check(task, program);
        if (ridge === 0 && program.classCounts[1]! - 1 < program.featureCount) throw notPositiveDefinite();
      },
    },
    // Only `rotated` solves it for ν.
    resolution: (twoParty, ...of) =>
      pencilResolution(twoParty === 'rotated' ? { slope: RATIO_SLOPE } : {})(twoParty, ...of),
  }),
  ridge: ({ method }) => ({
    garbled: {
      check: circuitCheck({ ridge: method.ridge }),
      run: (...given) => ridge(...given, method.ridge),
    },
  }),
  pcr: ({ method }) => ({
    garbled: {
      check: circuitCheck({ ridge: method.ridge }),
      run: (...given) => pcr(...given, method.ridge),
    },
  }),
  histogram: ({ method }) => ({ linear: histogramSums(method) }),
  moments: () => ({ linear: MOMENT_SUMS }),
} as const satisfies MethodTable<Programs>;

/** Returns how the protocols compute the method of a task. */
export function programsOf(task: MethodOf<MethodParameters>): Programs {
  return entryOf<Programs>(PROGRAMS, task);
}

const PROTOCOLS = ['garbled', 'rotated', 'linear'] as const;
type Protocol = (typeof PROTOCOLS)[number];

/**
 * Returns how this protocol computes the method of a task.
 * @throws ERR_PROGRAM_INVALID where it does not
 */
export function programBy<Name extends Protocol>(
  twoParty: Name,
  task: MethodOf<MethodParameters>,
): NonNullable<Programs[Name]> {
  const programs = programsOf(task);
  const own = programs[twoParty];
  if (own !== undefined) return own;
  const others = PROTOCOLS.filter((it) => programs[it] !== undefined).join(' or ');
  throw new CodedError(
    PROJECTION_CODES.ERR_PROGRAM_INVALID,
    `"twoParty" expected ${others} for ${methodNameOf(task)}, which ${twoParty} does not compute`,
  );
}

/**
 * Runs the circuit of the task's method; the evaluator's session gets the result, the garbler's nothing.
 * @throws ERR_PROGRAM_INVALID for a method without one, and as the circuit
 */
export async function runProgram(
  session: Session,
  task: StatisticsTask,
  program: Program,
  shares: Shares,
): Promise<Result | undefined> {
  return programBy('garbled', task).run(session, task, program, shares);
}

/**
 * Returns milliseconds from the last message to the end of the task, where `--answer-milliseconds` does not say
 * otherwise. By other protocols than `rotated` and `linear` nobody waits, whatever it is.
 */
export function standardPaceOf(task: Paced): number {
  const { rotated, linear } = programsOf(task);
  return (rotated ?? linear ?? SCATTER).pace(task);
}

/**
 * Returns the resolution of the eigenvalues of a result.
 * @param largest the largest eigenvalue
 * @param trace of the decomposed matrix of a PCA, with whatever differential privacy has added to it; not
 * looked at for other methods
 */
export function resolutionOf(
  twoParty: 'garbled' | 'rotated' | 'linear' | 'simulated',
  program: Resolved & Pick<Program, 'method' | 'sketch'>,
  sizes: { readonly largest: number; readonly trace: number },
): Resolution {
  const { resolution } = programsOf(program);
  if (twoParty === 'linear' || resolution === undefined) return { error: () => 0, gap: () => 0, status: 0 }; // no components
  return resolution(twoParty, program, sizes);
}
