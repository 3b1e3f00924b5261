/** A run of the instrument: every case once, those that refute a claim again on a fresh seed, and all of them judged together. */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { describeEnvironment, Environment } from '../../instrument/environment.ts';
import { Journal } from '../../instrument/journal.ts';
import { showProgress } from '../../instrument/progress.ts';
import { readClaims } from '../claims/read.ts';
import { judgedClaims } from '../claims/verdicts.ts';
import type { Experiment, Outcome } from '../experiment.ts';
import {
  type Case,
  checkOutcome,
  confirmedBy,
  judgedCases,
  LEVELS,
  MARGIN,
  needsConfirmation,
  verdictOfAll,
} from '../judging/verdicts.ts';
import { type CaseResult, type EvaluationResult, type ExperimentResult, noiseThatHides } from '../result.ts';
import { summaryOf } from '../scenes/summary.ts';
import type { Job } from './job.ts';
import { Lanes } from './lanes.ts';
import { OutcomeSchema } from './outcome.ts';
import { type PlannedExperiment, planRun, type RunPlan, type RunSetting } from './plan.ts';

/** It has all blocks of all cases, pictures of people too, and so is as little to be shared as these. */
const JOURNAL = 'not-to-be-shared.jsonl';

const Description = z.strictObject({ setting: z.string(), files: z.string(), environment: Environment });

const Entry = z.strictObject({
  id: z.string(),
  parameters: z.record(z.string(), z.union([z.string(), z.number()])),
  seconds: z.number(),
  outcome: OutcomeSchema,
});
type Entry = z.infer<typeof Entry>;

type Failure = EvaluationResult['failures'][number];
/** What runs cases. */
type CaseLanes = Pick<Lanes, 'count' | 'run' | 'stop'>;
type Slot = PlannedExperiment['cases'][number] & { readonly experiment: Experiment };
interface JudgedSlot {
  readonly slot: Slot;
  readonly result: CaseResult;
}

export class Evaluation {
  readonly #setting: RunSetting;
  readonly #journal: Journal<Entry>;
  readonly #plan: RunPlan;
  readonly #environment: Environment;
  readonly #lanes: CaseLanes;
  readonly #failures: Failure[] = [];

  private constructor(
    setting: RunSetting,
    journal: Journal<Entry>,
    plan: RunPlan,
    environment: Environment,
    lanes: CaseLanes,
  ) {
    this.#setting = setting;
    this.#journal = journal;
    this.#plan = plan;
    this.#environment = environment;
    this.#lanes = lanes;
  }

  /**
   * Plans the run, and goes on with the one in the folder's journal if that is of the same setting, files, code and machine, and was interrupted.
   * @throws as planRun
   */
  static async open(
    experiments: readonly Experiment[],
    setting: RunSetting,
    folder: string,
    lanes: CaseLanes = new Lanes(),
  ): Promise<Evaluation> {
    const plan = await planRun(experiments, setting, folder);
    const environment = await describeEnvironment();
    const description = {
      setting: JSON.stringify(setting),
      files: await digestOf([setting.own?.task, setting.own?.data, setting.attack]),
      environment,
    };
    const journal = await Journal.of(join(folder, JOURNAL), description, {
      description: Description,
      entry: Entry,
    });
    return new Evaluation(setting, journal, plan, environment, lanes);
  }

  /** Cases that an earlier, interrupted run has done. */
  get resumed(): number {
    return this.#journal.resumed;
  }

  /** Runs what is left, and confirms. Cases that throw are among the result's failures, those that `stop` left out are missing. */
  async run(): Promise<EvaluationResult> {
    await this.#runAll(this.#slots.map((slot) => slot.job));
    const again = this.#judged().filter(({ slot, result }) => needsConfirmation({ ...slot, ...result }));
    await this.#runAll(again.map(({ slot }) => afresh(slot.job)));
    const result = await this.#result();
    if (result.failures.length === 0 && result.missing.length === 0) await this.#journal.end();
    return result;
  }

  /** Ends all processes, and so the run; the journal keeps what is done. */
  async stop(): Promise<void> {
    await this.#lanes.stop();
  }

  async #result(): Promise<EvaluationResult> {
    const { effort, seed, only } = this.#setting;
    const judged = this.#judged();
    const experiments = this.#plan.experiments.map(({ experiment, omitted }): ExperimentResult => {
      const cases = judged
        .filter(({ slot }) => slot.experiment === experiment)
        .map((one) => this.#confirmed(one));
      const { id, title, kind, attacker, secret, expectation, claims, sees, knows, control, baseline, unit } =
        experiment;
      return {
        ...{ id, title, kind, attacker, secret, expectation, claims: [...claims] },
        ...{ sees, knows, control, baseline, unit },
        verdict: verdictOfAll(cases.map(({ verdict }) => verdict)),
        cases,
        omitted: [...omitted],
      };
    });
    const { commit, changes, node, processor, cores } = this.#environment;
    const failed = (slot: Slot) =>
      this.#failures.some((one) => one.experiment === slot.experiment.id && one.scene === slot.scene);
    return {
      format: 'eigenveil-evaluation/1',
      run: {
        effort,
        seed,
        only: only === undefined ? null : [...only],
        level: LEVELS[effort],
        margin: MARGIN,
        scenes: this.#plan.scenes.map(summaryOf),
        environment: { commit, changes, node, processor, cores },
        finishedAt: new Date().toISOString(),
        seconds: judged.reduce((sum, { result }) => sum + result.seconds, 0),
      },
      experiments,
      claims: judgedClaims(await readClaims(), experiments),
      controls: experiments
        .filter(({ expectation, verdict }) => expectation === 'control' && verdict !== null)
        .map(controlOf),
      failures: [...this.#failures],
      missing: this.#slots
        .filter((slot) => this.#entryOf(slot.job) === undefined && !failed(slot))
        .map(({ experiment, scene }) => ({ experiment: experiment.id, scene })),
    };
  }

  get #slots(): Slot[] {
    return this.#plan.experiments.flatMap(({ experiment, cases }) =>
      cases.map((one) => ({ ...one, experiment })),
    );
  }

  async #runAll(jobs: readonly Job[]): Promise<void> {
    const left = jobs.filter((job) => this.#entryOf(job) === undefined);
    const units = new Map(left.map((job) => [job, { title: titleOf(job), expectedSeconds: 1 }]));
    const resumed = jobs.length - left.length;
    const progress = showProgress([...units.values()], { resumed, lanes: this.#lanes.count });
    await this.#lanes.run(left, {
      onBegin: (job) => progress.begin(units.get(job)!),
      onNote: (text) => progress.note(text),
      onDone: async (job, came, seconds) => {
        const why = 'why' in came ? came.why : faultOf(came.outcome);
        if ('outcome' in came && why === undefined)
          await this.#journal.add({ ...keyOf(job), seconds, outcome: came.outcome });
        else this.#failures.push({ experiment: job.experiment, scene: sceneOf(job), why: why! });
        progress.done(units.get(job)!, seconds);
      },
    });
    progress.stop();
  }

  #entryOf(job: Job): Entry | undefined {
    return this.#journal.find(keyOf(job));
  }

  /** All cases that are done, before confirmation. */
  #judged(): JudgedSlot[] {
    const done = this.#slots.flatMap((slot) => {
      const entry = this.#entryOf(slot.job);
      return entry === undefined ? [] : [{ slot, entry }];
    });
    const cases = done.map(
      ({ slot: { experiment, scene }, entry: { outcome, seconds } }): Case => ({
        experiment,
        scene,
        outcome,
        seconds,
      }),
    );
    const results = judgedCases(cases, LEVELS[this.#setting.effort]);
    return results.map((result, i) => ({ slot: done[i]!.slot, result }));
  }

  #confirmed({ slot, result }: JudgedSlot): CaseResult {
    const job = afresh(slot.job);
    const again = this.#entryOf(job);
    if (!needsConfirmation({ ...slot, ...result }) || again === undefined) return result;
    return confirmedBy(result, { seed: job.seed, outcome: again.outcome }, LEVELS[this.#setting.effort]);
  }
}

function controlOf({ id, cases }: ExperimentResult): EvaluationResult['controls'][number] {
  const tooNoisy = noiseThatHides(cases);
  return {
    id,
    found: cases.every(({ verdict }) => verdict === 'broken'),
    ...(tooNoisy !== undefined && { tooNoisy }),
  };
}

const afresh = (job: Job): Job => ({ ...job, seed: `${job.seed}/again` });

const sceneOf = ({ source }: Job) => (source.kind === 'bundled' ? source.name : basename(source.data));

const titleOf = (job: Job) => `${job.experiment}, ${sceneOf(job)}`;

/** The rest of a job is the run's setting, or files whose digest is the run's. */
const keyOf = (job: Job) => ({
  id: `${job.experiment}/${sceneOf(job)}/${job.seed}`,
  parameters: { effort: job.effort },
});

/** Why an outcome cannot be judged. */
function faultOf(outcome: Outcome): string | undefined {
  try {
    checkOutcome(outcome);
    return undefined;
  } catch (error) {
    return (error as RangeError).message;
  }
}

async function digestOf(files: readonly (string | undefined)[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) {
    const bytes = file === undefined ? Buffer.alloc(0) : await readFile(file);
    hash.update(`${file} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}
