/** The work of `npm run evaluate` once its options are read. */
import { readFile } from 'node:fs/promises';
import { COMMAND_CODES, type Command, onShutdown, printResult } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import type { TaskProposal } from '@eigenveil/task';
import { EVALUATION_CODES } from '../codes.ts';
import type { Experiment } from '../experiment.ts';
import { terminalTable, writeReport } from '../report/index.ts';
import { EvaluationResult } from '../result.ts';
import type { OwnSource } from '../scenes/own.ts';
import { describeBundle, evaluateBundle } from '../views/evaluate.ts';
import { Evaluation } from './evaluate.ts';
import { allExperiments } from './job.ts';
import { noiseOf, problemsOf, shortForm } from './summary.ts';

const INTERRUPTED = 130;

export interface EvaluateOptions {
  readonly quick?: true;
  readonly seed: string;
  readonly only?: string[];
  readonly task?: string;
  readonly data?: string;
  readonly label?: string;
  readonly privateLabel?: string;
  readonly person?: string;
  readonly owners?: number;
  readonly twoParty?: TaskProposal['twoParty'];
  readonly attack?: string;
  readonly views?: string;
  readonly render?: string;
  readonly out: string;
}

/**
 * Runs, writes the report, and prints it in short. With `render` it runs nothing: the report is that of a kept result, in
 * the words that its experiments have today.
 * @throws ERR_EVALUATION after all of that, when a claim is refuted, a known leak was not found, or an experiment failed
 * @throws ERR_TOO_NOISY after all of that, when nothing else is wrong than that the noise of this machine hides a known leak
 * @throws ERR_CONFIGURATION, ERR_SCENE, ERR_ATTACK_…
 */
export async function runEvaluation(program: Command, options: EvaluateOptions): Promise<void> {
  const { attack, only, out, render, views } = options;
  if (views !== undefined) return showBundle(program, views);
  const experiments = await allExperiments(attack);
  if (render !== undefined) {
    const kept = inWordsOf(experiments, await keptResult(render));
    return printWritten(program, kept, await writeReport(out, kept));
  }
  const unknown = only?.find((id) => !experiments.some((one) => one.id === id));
  if (unknown !== undefined)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"--only" expected some of ${experiments.map(({ id }) => id).join(', ')}, got ${unknown}`,
    );
  const evaluation = await Evaluation.open(
    experiments,
    { effort: options.quick ? 'quick' : 'full', seed: options.seed, only, own: ownOf(options), attack },
    out,
  );
  if (evaluation.resumed > 0)
    process.stderr.write(`going on with ${evaluation.resumed} cases of an earlier run\n`);
  let interrupted = false;
  const stopListening = onShutdown(['SIGINT', 'SIGTERM'], async () => {
    interrupted = true;
    await evaluation.stop();
  });
  const result = await evaluation.run();
  stopListening();
  await printWritten(program, result, await writeReport(out, result));
  if (interrupted) {
    process.stderr.write('interrupted: run the same command to go on\n');
    process.exit(INTERRUPTED);
  }
  const [problems, noise] = [problemsOf(result), noiseOf(result)];
  if (problems.length > 0)
    throw new CodedError(EVALUATION_CODES.ERR_EVALUATION, [...problems, ...noise].join('; '));
  if (noise.length > 0) throw new CodedError(EVALUATION_CODES.ERR_TOO_NOISY, noise.join('; '));
}

async function printWritten(program: Command, result: EvaluationResult, page: string): Promise<void> {
  const failures = result.failures.map(
    ({ experiment, scene, why }) => `${experiment} over ${scene} failed: ${why}`,
  );
  printResult(program, {
    json: shortForm(result),
    text: [await terminalTable(result), ...failures, page].join('\n'),
  });
}

/** @throws ERR_CONFIGURATION */
async function keptResult(file: string): Promise<EvaluationResult> {
  try {
    return EvaluationResult.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (cause) {
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"--render" expected a report.json of this program, got ${file}`,
      { cause },
    );
  }
}

/** An experiment that is no longer there keeps the words that it had. */
function inWordsOf(experiments: readonly Experiment[], result: EvaluationResult): EvaluationResult {
  const worded = result.experiments.map((kept) => {
    const { title, sees, knows, control, baseline } = experiments.find(({ id }) => id === kept.id) ?? kept;
    return { ...kept, title, sees, knows, control, baseline };
  });
  return { ...result, experiments: worded };
}

/** @throws ERR_EVALUATION when the party has what it must not see; as evaluateBundle */
async function showBundle(program: Command, file: string): Promise<void> {
  const evaluated = await evaluateBundle(file);
  printResult(program, { json: evaluated, text: describeBundle(evaluated) });
  const found = evaluated.searches.reduce((sum, search) => sum + search.found.length, 0);
  if (found > 0) {
    const problem = `the view of ${evaluated.party} has ${found} secrets that it must not see`;
    throw new CodedError(EVALUATION_CODES.ERR_EVALUATION, problem);
  }
}

function ownOf(options: EvaluateOptions): OwnSource | undefined {
  const { task, data, label, privateLabel, person, owners, twoParty } = options;
  const chosen = {
    ...(label !== undefined && { label }),
    ...(privateLabel !== undefined && { privateLabel }),
    ...(person !== undefined && { person }),
    ...(owners !== undefined && { owners }),
    ...(twoParty !== undefined && { twoParty }),
  };
  if (task !== undefined && data !== undefined) return { task, data, ...chosen };
  if (task === undefined && data === undefined && Object.keys(chosen).length === 0) return undefined;
  throw new CodedError(
    COMMAND_CODES.ERR_CONFIGURATION,
    'expected both --task and --data, or none of the options that are about them',
  );
}
