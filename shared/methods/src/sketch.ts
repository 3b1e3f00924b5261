/**
 * Sketched PCA: what a task with `sketch` must keep to. Owners sum Y = Xᵀ(XΩ), and the servers make the
 * vectors of T ≈ TΩ (ΩᵀTΩ)⁻¹ (TΩ)ᵀ (Tropp, Yurtsever, Udell, Cevher, "Fixed-rank approximation of a
 * positive-semidefinite matrix from streaming data", 2017). docs/sketches.md has all of it.
 */
import { CodedError, checkAll } from '@eigenveil/platform';
import { z } from 'zod';
import { expecting, invalid, METHOD_CODES } from './codes.ts';
import { COMPONENT_WORDS, checkNoHistogram } from './common.ts';
import { type Feature, varyingFeatures } from './features.ts';
import { LIMITS } from './limits.ts';
import { defineMethod, type Proposed, type Told } from './method.ts';
import type { Output, SketchParameters } from './parameters.ts';
import { PcaParameters, PRINCIPAL } from './pca.ts';
import { leastRankOf, ruleOfRanks } from './rank.ts';
import { COMPONENTS_FORM } from './result.ts';

/** 43 characters, as digests of the wire have. */
export const DIGEST = /^[A-Za-z0-9_-]{43}$/;

export const Sketch = z
  .strictObject({
    columns: z
      .int()
      .min(3)
      .max(LIMITS.sketchColumns)
      .describe(
        'l, the columns of Ω: at least components + 2, and fewer than rows and features; drafts write 3 · components + 10, at most 80. The more, the closer the result to the exact one, and the longer the computation. Reveals: l eigenvalues of two l × l matrices, to the data user.',
      ),
    refine: z
      .string()
      .regex(DIGEST, 'expected a digest of 43 characters, as a draft that refines that result has it')
      .optional()
      .describe(
        'The digest of an earlier result of the same features, as the CSP has countersigned it: its vectors, at least 10 fewer than columns, are the first columns of Ω, and the result is closer to the exact one. Left out: Ω has signs alone. Reveals: that result, to the CSP and to every owner who may contribute; one more answer over the same rows.',
      ),
  })
  .describe(
    'For hundreds or thousands of features: owners send Xᵀ(XΩ) for a public random matrix Ω of l columns instead of XᵀX, and the result is approximate. For pca of the covariance, by rotated, without differential privacy, with the outputs mean and sampleCount alone. Left out: all of XᵀX. Reveals: no more of the rows than an exact pca of as many components would, except for the mean and the number of rows.',
  );

/** The part of a task that Ω depends on. */
export interface Sketched {
  readonly sketch?: SketchParameters | undefined;
  readonly features: readonly Feature[];
}

/**
 * The outputs that a sketch always has, whoever computes it: with mean and number of rows, each server
 * centres its share by itself.
 */
export const SKETCH_OUTPUTS = ['mean', 'sampleCount'] as const satisfies readonly Output[];

/**
 * With `refine`, Ω has this number of bits after the point: vectors of length √d have entries of about 1, as
 * signs have.
 */
const WARM_BITS = 8;

/**
 * Columns of signs that a sketch with `refine` has at least. The others may be of the data user's making
 * (docs/security/methods.md), so that some must be there that nobody chooses; and with few of them a round
 * brings less: docs/sketches.md has figures.
 */
export const LEAST_FRESH_COLUMNS = 10;

/** Returns s where Ω is whole numbers over 2^s: public, and the same for all of its columns. */
export function sketchScaleBits({ sketch }: Pick<Sketched, 'sketch'>): number {
  return sketch?.refine === undefined ? 0 : WARM_BITS;
}

/**
 * The magnitudes of the whole numbers in a column of Ω add up to no more than this. Signs to d. By Cauchy and
 * Schwarz those of a vector of length √d · 2^8 to d · 2^8, and rounding adds half a unit to each; the other
 * half is for lengths that are not quite 1.
 */
export function sketchColumnBound(task: Sketched): number {
  const bits = sketchScaleBits(task);
  return task.features.length * (bits === 0 ? 1 : 2 ** bits + 1);
}

/** Returns the columns that a draft takes for this number of components. */
function draftedColumns(components: number): number {
  return Math.min(3 * components + 10, LIMITS.sketchColumns);
}

/** A sketch tells as many eigenvalues, nearly, as it has columns. */
const leastRank = (told: Omit<Told, 'classCounts'>) =>
  leastRankOf(told, { equations: told.twoValued, hasSpectrum: true });

/**
 * Checks a task with `sketch`. The sketch is the scatter itself where Ω has as many columns as the scatter's
 * rank: so columns must be fewer than features that vary, and than rows less the mean. For the rows that come,
 * the servers see it when they compute.
 * @throws ERR_TASK_INVALID
 */
function checkSketch(task: Proposed, sketch: SketchParameters): void {
  const { outputs, differentialPrivacy, twoParty, basis } = task;
  const { columns } = sketch;
  const varying = varyingFeatures(task.features);
  const rows = task.maximumOwners * task.maximumSamplesPerOwner;
  checkAll(
    expecting(
      twoParty !== 'garbled',
      '"sketch" expected with the two-party protocol rotated: garbled computes none',
    ),
    expecting(
      differentialPrivacy === null,
      '"sketch" expected without differential privacy, which sketches do not have',
    ),
    // The rule for what a sketch leaves unknown holds for real numbers: an exact one of whole numbers may
    // tell more.
    expecting(
      task.exact || !task.allowFullRank,
      '"allowFullRank" expected false unless "exact": a sketch never tells the whole scatter by its rank',
    ),
    expecting(
      SKETCH_OUTPUTS.every((output) => outputs.includes(output)) && outputs.length === SKETCH_OUTPUTS.length,
      `"outputs" expected ${SKETCH_OUTPUTS.join(' and ')}, and no others, with "sketch", got [${outputs}]`,
    ),
    expecting(
      sketch.refine === undefined || basis === undefined,
      '"sketch.refine" expected without "basis": a task names one earlier result',
    ),
    expecting(
      columns < Math.min(varying, rows - 1),
      `"sketch.columns" expected fewer than the ${varying} features that vary, and than rows: with as many, the sketch is the scatter matrix itself, got ${columns}`,
    ),
    () => checkNoHistogram(task),
  );
}

/**
 * Checks that a sketch has columns enough for its components: the rule of ranks (rank.ts) takes the columns
 * for the rank.
 * @throws ERR_FULL_RANK
 */
function checkSketchRank(told: Told, columns: number): void {
  const least = leastRank(told);
  if (columns >= least) return;
  throw new CodedError(
    METHOD_CODES.ERR_FULL_RANK,
    `"sketch.columns" expected at least ${least} for ${told.components} components of these features, got ${columns}: fewer components, or more columns, up to ${LIMITS.sketchColumns}; and "twoValued": false where features take more than two values`,
  );
}

/**
 * Owners sum products of a cell and a sum of d cells exactly in doubles: 4 of at most 2^50 before they carry.
 */
const SKETCH_PRODUCT_BITS = 50;

function checkPrecision(
  task: { readonly features: readonly Feature[]; readonly fractionBits: number },
  sketch: SketchParameters,
): void {
  const { features, fractionBits } = task;
  const bound = sketchColumnBound({ features, sketch });
  const most = Math.floor((SKETCH_PRODUCT_BITS - Math.ceil(Math.log2(bound))) / 2);
  if (fractionBits <= most) return;
  const refined = sketch.refine === undefined ? '' : ' that refines an earlier result';
  throw invalid(
    'fractionBits',
    `at most ${most} for a sketch of ${features.length} features${refined}`,
    fractionBits,
  );
}

export const sketch = defineMethod({
  labellings: 0,
  revealedByRotation: SKETCH_OUTPUTS,
  isLinear: false,
  parameters: PcaParameters,
  result: COMPONENTS_FORM,
  of({ sketch: own }) {
    if (own === undefined) throw new RangeError('"sketch" expected, got none');
    const { columns, refine } = own;
    return {
      ...PRINCIPAL,
      ...ruleOfRanks(leastRank),
      decomposes: 'scatter',
      sums: () => ({ R: false, columns, counts: [], classes: [1] }),
      check: (proposed) => checkSketch(proposed, own),
      checkSums: (summed) => checkPrecision(summed, own),
      checkLast: (_, told) => checkSketchRank(told, columns),
      words: {
        ...COMPONENT_WORDS,
        title: 'PCA',
        matrix: ' of the covariance matrix',
        tellsBeyond: tellsBeyond(columns, refine !== undefined),
      },
    };
  },
  draft: {
    purpose: 'finds components of hundreds or thousands of features, approximately',
    details: `Notes say how much of the sample's variance the sketch loses, and how much with the floor's noise (docs/sketches.md). Give "--two-party rotated" and, where you know it,
one --range: then features whose names count up stand in the draft as one entry ("count").

--refine drafts another round of a sketch: Ω begins with the vectors of that result, so that components come closer to the exact ones. Features and
their ranges are those of that task, whose columns the sample has. It is another answer over the same rows.`,
    example: '--ignore label --two-party rotated --components 20',
    flags: {
      sketchColumns: {
        schema: z.int().min(3).max(LIMITS.sketchColumns).optional(),
        description: 'columns of the sketch (default: 3 times the components and 10, at most 80)',
        placeholder: 'NUMBER',
      },
      refine: {
        schema: z.string().optional(),
        description:
          'refine the result of this task, which is done: its vectors are the first columns; asks the running service',
        placeholder: 'TASK',
        names: 'result',
      },
    },
    parameters: ({ sketchColumns, refine }, { components }) => ({
      method: { kind: 'pca' as const },
      sketch: {
        columns: sketchColumns ?? draftedColumns(components),
        ...(refine !== undefined && { refine }),
      },
    }),
    hasComponents: true,
    takesEpsilon: false,
    keepsDependent: true,
  },
});

/** Says what the matrices of a sketch tell beyond the result. */
function tellsBeyond(columns: number, refines: boolean): string[] {
  return [
    `${columns} eigenvalues of each of two matrices of ${columns} columns, about as much as the ${columns} largest eigenvalues of the scatter matrix`,
    refines
      ? `vectors and eigenvalues are approximate, and closer to the exact ones than those of the earlier result that this task refines: of a sketch by ${columns} columns, the first of which are the vectors of that result, the others signs that nobody chooses`
      : `vectors and eigenvalues are approximate: of a sketch by ${columns} columns of signs that nobody chooses`,
    ...(refines
      ? [
          'one more answer over these rows, if they were in that earlier task: both results together tell more than each',
        ]
      : []),
  ];
}
