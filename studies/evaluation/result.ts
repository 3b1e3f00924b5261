/** The results of a run of the instrument, judged: the contents of report.json, from which the report is written. */
import { z } from 'zod';
import { BlockSchema } from './blocks.ts';
import { CLAIM_DOCUMENTS } from './claims/documents.ts';
import { ATTACKERS, type ClaimId, EXPECTATIONS, KINDS, SECRETS, UNITS } from './experiment.ts';

/**
 * - `broken`: the attack is better than its control by more than the margin, or real and simulated are distinguished.
 * - `holds`: it is not, and n is large enough to say so. Nothing is said of other attacks.
 * - `undecided`: n is too small to say either.
 */
export const Verdict = z.enum(['broken', 'undecided', 'holds']);
export type Verdict = z.infer<typeof Verdict>;

/** The verdict on a claim. `measured`: it admits the leak, whose size its experiments tell. */
export const ClaimVerdict = z.enum(['broken', 'undecided', 'holds', 'measured', 'not covered']);
export type ClaimVerdict = z.infer<typeof ClaimVerdict>;

const Share = z.number().min(0).max(1);
const Interval = z.tuple([z.number(), z.number()]);
const Claim: z.ZodType<ClaimId> = z.templateLiteral([z.enum(['S', 'P']), '-', z.int()]);

const Common = {
  scene: z.string().describe('A bundled scene, or the data file of its own scene.'),
  verdict: Verdict,
  success: z.number().describe('Mean success of the attack, or the distance that a test saw: 0 to 1.'),
  interval: Interval.describe('Of success, two-sided, at the level of the run and for itself alone.'),
  n: z.int().describe('Units of the attack, or whole runs of a test.'),
  pBroken: Share.describe(
    'Holm-adjusted over the run: of so large an excess, if it were no larger than the margin.',
  ),
  confirmation: z
    .strictObject({ seed: z.string(), success: z.number(), n: z.int(), p: Share, verdict: Verdict })
    .nullable()
    .describe('The same case on a fresh seed, where a case that refutes claims was broken; p not adjusted.'),
  facts: z.record(z.string(), z.union([z.number(), z.string()])),
  blocks: z.array(BlockSchema),
  seconds: z.number(),
};

export const CaseResult = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('trials'),
    ...Common,
    control: z.number().describe('Mean success of the same attack on whom it cannot concern.'),
    controlInterval: Interval.describe('Of control, as that of success.'),
    controlUnits: z.int(),
    baseline: z.number().describe('Mean success of a guess without access.'),
    pHolds: Share.describe('Holm-adjusted over the run: of so small an excess, if it were the margin.'),
    excess: z.number().describe('(success − control) / (1 − control).'),
    excessInterval: Interval.describe('Two-sided, at the level of the run and for itself alone.'),
    tooNoisy: z
      .string()
      .exactOptional()
      .describe('Of a control that was not found: how the noise of the machine hides what was planted.'),
  }),
  z.strictObject({
    kind: z.literal('test'),
    ...Common,
    p: Share.describe('Of the test, as it came.'),
    detectable: z
      .strictObject({ leak: z.string(), size: z.number() })
      .nullable()
      .describe('The smallest planted leak that the test finds with power 0.8.'),
  }),
]);
export type CaseResult = z.infer<typeof CaseResult>;

/** Says how the noise of the machine hides a control, by the first reason, where all that was missed was hidden by it; undefined otherwise. */
export function noiseThatHides(cases: readonly CaseResult[]): string | undefined {
  const missed = cases.filter(({ verdict }) => verdict !== 'broken');
  const reasons = missed.flatMap((one) =>
    one.kind === 'trials' && one.tooNoisy !== undefined ? [one.tooNoisy] : [],
  );
  return reasons.length === missed.length ? reasons[0] : undefined;
}

const Omission = z.strictObject({ scene: z.string(), why: z.string() });

export const ExperimentResult = z.strictObject({
  id: z.string(),
  title: z.string(),
  kind: z.enum(KINDS),
  attacker: z.enum(ATTACKERS),
  secret: z.enum(SECRETS),
  expectation: z.enum(EXPECTATIONS),
  claims: z.array(Claim),
  sees: z.string(),
  knows: z.string(),
  control: z.string(),
  baseline: z.string(),
  unit: z.enum(UNITS),
  verdict: Verdict.nullable().describe(
    'Of all its cases: broken if one is, holds if all do; null without a case.',
  ),
  cases: z.array(CaseResult),
  omitted: z.array(Omission),
});
export type ExperimentResult = z.infer<typeof ExperimentResult>;

export const ClaimResult = z.strictObject({
  id: Claim,
  document: z.enum(CLAIM_DOCUMENTS),
  heading: z.string().describe('The section that the claim stands in.'),
  text: z.string().describe('What stands before its id, as Markdown.'),
  verdict: ClaimVerdict,
  experiments: z
    .array(z.string())
    .describe('Those that could refute it, or measure what it admits, and ran.'),
  controls: z.array(z.string()).describe('Known leaks beside these, which show that the instrument sees.'),
});
export type ClaimResult = z.infer<typeof ClaimResult>;

/** The scene that was evaluated: a task and its rows, in numbers. */
export const SceneResult = z.strictObject({
  name: z.string(),
  method: z.string(),
  twoParty: z.string(),
  features: z.int(),
  components: z.int(),
  epsilon: z.number().nullable().describe('Of differential privacy; null without.'),
  owners: z.int(),
  rows: z.int().describe('Of members: people in the task.'),
  people: z.int(),
  outsiderRows: z.int().describe('Of people who are not in the task, for controls.'),
  publicRows: z.int().describe('Of people of whom attackers may know.'),
  utilityLabel: z.string().nullable(),
  privateLabel: z.string().nullable(),
});
export type SceneResult = z.infer<typeof SceneResult>;

export const EvaluationResult = z.strictObject({
  format: z.literal('eigenveil-evaluation/1'),
  run: z.strictObject({
    effort: z.enum(['quick', 'full']),
    seed: z.string(),
    only: z.array(z.string()).nullable().describe('The experiments that were asked for, or null for all.'),
    level: z
      .number()
      .describe('Probability of a wrong verdict in the whole run, in either direction by itself.'),
    margin: z.number().describe('The excess that counts as nothing; fixed before any experiment ran.'),
    scenes: z.array(SceneResult),
    environment: z.strictObject({
      commit: z.string(),
      changes: z.string().nullable().describe('Digest of what differs from the commit.'),
      node: z.string(),
      processor: z.string(),
      cores: z.int(),
    }),
    finishedAt: z.iso.datetime(),
    seconds: z.number().describe('Of all cases together, as if one had run after the other.'),
  }),
  experiments: z.array(ExperimentResult),
  claims: z.array(ClaimResult),
  controls: z.array(
    z.strictObject({
      id: z.string(),
      found: z.boolean(),
      tooNoisy: z
        .string()
        .exactOptional()
        .describe('How the noise of the machine hides it, so that the run says nothing about times.'),
    }),
  ),
  failures: z
    .array(z.strictObject({ experiment: z.string(), scene: z.string(), why: z.string() }))
    .describe('Cases that threw: nothing is known of them.'),
  missing: z
    .array(z.strictObject({ experiment: z.string(), scene: z.string() }))
    .describe('Cases that an interruption left out.'),
});
export type EvaluationResult = z.infer<typeof EvaluationResult>;
