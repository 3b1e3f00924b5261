/** A run of the evaluation: every case once, those that refute a claim again on a fresh seed, and all of them judged together. */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { describeEnvironment, Environment } from '../../instrument/environment.ts';
import { Journal } from '../../instrument/journal.ts';
import { doJobs } from '../../instrument/run.ts';
import { readClaims } from '../claims/read.ts';
import { judgedClaims } from '../claims/verdicts.ts';
import type { Experiment, Outcome } from '../experiment.ts';
import {
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
import type { Case } from './job.ts';
import { OutcomeSchema } from './outcome.ts';
import { type PlannedCase, planRun, type RunPlan, type RunSetting } from './plan.ts';
import { CaseProcesses } from './processes.ts';

/** It has all blocks of all cases, pictures of people too, and so is as little to be shared as these. */
const JOURNAL = 'not-to-be-shared.jsonl';

const Description = z.strictObject({ setting: z.string(), files: z.string(), environment: Environment });

const Entry = z.strictObject({
  id: z.string(),
  parameters: z.record(z.string(), z.union([z.string(), z.number()])),
  startedAt: z.iso.datetime(),
  seconds: z.number(),
  outcome: OutcomeSchema,
});
type Entry = z.infer<typeof Entry>;

type Failure = EvaluationResult['failures'][number];
/** The part of CaseProcesses that runs cases. */
type Processes = Pick<CaseProcesses, 'lanes' | 'run' | 'close' | 'stop'>;
type Slot = PlannedCase & { readonly experiment: Experiment };
interface JudgedSlot {
  readonly slot: Slot;
  readonly result: CaseResult;
}

export class Evaluation {
  readonly #setting: RunSetting;
  readonly #journal: Journal<Entry>;
  readonly #plan: RunPlan;
  readonly #environment: Environment;
  readonly #processes: Processes;
  readonly #stopping = new AbortController();
  #failures: readonly Failure[] = [];

  private constructor(
    setting: RunSetting,
    journal: Journal<Entry>,
    plan: RunPlan,
    environment: Environment,
    processes: Processes,
  ) {
    this.#setting = setting;
    this.#journal = journal;
    this.#plan = plan;
    this.#environment = environment;
    this.#processes = processes;
  }

  /**
   * Plans the run, and goes on with the one in the folder's journal if that is of the same setting, files, code and machine, and was interrupted.
   * @throws as planRun
   */
  static async open(
    experiments: readonly Experiment[],
    setting: RunSetting,
    folder: string,
    processes: Processes = new CaseProcesses(),
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
    return new Evaluation(setting, journal, plan, environment, processes);
  }

  /** Cases that an earlier, interrupted run has done. */
  get resumed(): number {
    return this.#journal.resumed;
  }

  /** Runs what is left, and confirms. Cases that throw are among the result's failures, those that `stop` left out are missing. */
  async run(): Promise<EvaluationResult> {
    const failures = await doJobs(
      this.#slots.map(({ first }) => first),
      {
        journal: this.#journal,
        lanes: this.#processes.lanes,
        signal: this.#stopping.signal,
        work: async ({ job }, at) => ({ outcome: checked(await this.#processes.run(job, at)) }),
        again: () =>
          this.#judged()
            .filter(isToBeConfirmed)
            .map(({ slot }) => slot.again),
      },
    );
    this.#processes.close();
    const sceneOf = (one: Case) =>
      this.#slots.find(({ first, again }) => [first, again].includes(one))!.scene;
    this.#failures = failures.map(({ job: one, why }) => ({
      experiment: one.job.experiment,
      scene: sceneOf(one),
      why,
    }));
    const result = await this.#result();
    if (result.failures.length === 0 && result.missing.length === 0) await this.#journal.end();
    return result;
  }

  /** Ends all processes, and so the run; the journal keeps what is done. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#processes.stop();
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
        .filter((slot) => this.#journal.find(slot.first) === undefined && !failed(slot))
        .map(({ experiment, scene }) => ({ experiment: experiment.id, scene })),
    };
  }

  get #slots(): Slot[] {
    return this.#plan.experiments.flatMap(({ experiment, cases }) =>
      cases.map((one) => ({ ...one, experiment })),
    );
  }

  /** All cases that are done, before confirmation. */
  #judged(): JudgedSlot[] {
    const done = this.#slots.flatMap((slot) => {
      const entry = this.#journal.find(slot.first);
      return entry === undefined ? [] : [{ slot, entry }];
    });
    const results = judgedCases(
      done.map(({ slot: { experiment, scene }, entry: { outcome, seconds } }) => ({
        ...{ experiment, scene, outcome, seconds },
      })),
      LEVELS[this.#setting.effort],
    );
    return results.map((result, i) => ({ slot: done[i]!.slot, result }));
  }

  #confirmed(judged: JudgedSlot): CaseResult {
    const { result, slot } = judged;
    const again = isToBeConfirmed(judged) ? this.#journal.find(slot.again) : undefined;
    if (again === undefined) return result;
    const { outcome } = again;
    return confirmedBy(result, { seed: slot.again.job.seed, outcome }, LEVELS[this.#setting.effort]);
  }
}

const isToBeConfirmed = ({ slot: { experiment }, result: { verdict } }: JudgedSlot): boolean =>
  needsConfirmation({ experiment, verdict });

function controlOf({ id, cases }: ExperimentResult): EvaluationResult['controls'][number] {
  const tooNoisy = noiseThatHides(cases);
  return {
    id,
    found: cases.every(({ verdict }) => verdict === 'broken'),
    ...(tooNoisy !== undefined && { tooNoisy }),
  };
}

/** @throws RangeError for an outcome that cannot be judged */
function checked(outcome: Outcome): Outcome {
  checkOutcome(outcome);
  return outcome;
}

async function digestOf(files: readonly (string | undefined)[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) {
    const bytes = file === undefined ? Buffer.alloc(0) : await readFile(file);
    hash.update(`${file} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}
