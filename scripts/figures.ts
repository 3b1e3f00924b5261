/** `npm run figures`: writes the figures of the documents from the kept reports. With `--check`, as `npm run lint` has it, it fails where they differ. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { equalPairs } from '@eigenveil/bench/accuracy/report';
import { formatQuantity } from '@eigenveil/bench/quantities';
import { type BenchData, BenchDataSchema } from '@eigenveil/bench/report';
import { median, summariseRatios } from '@eigenveil/bench/statistics';
import { createProgram, EXIT, runCommand } from '@eigenveil/command';
import { EvaluationResult } from '@eigenveil/evaluation/result';
import { type Sentence, withFigures } from '@eigenveil/report/written-figures';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { format, resolveConfig } from 'prettier';

const ROOT = new URL('..', import.meta.url).pathname;

const read = (name: string) => readFile(join(ROOT, name), 'utf8');
const json = async (name: string): Promise<unknown> => JSON.parse(await read(name));

/** The samples of one series of a kept run. */
function samplesOf({ measurements }: BenchData, id: string, series: string): readonly number[] {
  const samples = measurements.find((one) => one.id === id)?.series[series]?.samples;
  if (samples === undefined) throw new RangeError(`the kept report expected ${series} of ${id}, has none`);
  return samples;
}

async function ofBenchmarks(): Promise<Sentence[]> {
  const data = BenchDataSchema.parse(await json('docs/benchmarks/report.json'));
  const ratio = (role: string, by: string) => {
    const times = (who: string) => samplesOf(data, 'key-length/2048/pca-34', `${role}/${who}`);
    return summariseRatios(times('literal'), times(by)).median;
  };
  const seconds = (twoParty: string) =>
    formatQuantity(median(samplesOf(data, 'two-party/pca-synthetic50', `${twoParty} time`)), 'ms');
  const { equal, pairs } = equalPairs(data.measurements.filter(({ id }) => id.startsWith('accuracy/')));
  const rounded = [
    ratio('owner', 'standard'),
    ratio('owner', 'djn'),
    ratio('user', 'eigenveil'),
    ratio('csp', 'eigenveil'),
  ];
  return [
    {
      says: 'an owner is {} times faster than the literal protocol (DJN encryption: {}), an addition at the data user {} times, the CSP {} times',
      figures: rounded.map((value) => value.toFixed(0)),
    },
    {
      says: 'A PCA of 50 features and 15 components takes {} by `garbled` and {} by `rotated`',
      figures: [seconds('garbled'), seconds('rotated')],
    },
    { says: 'is equal in {} of {} pairs', figures: [`${equal}`, `${pairs}`] },
  ];
}

async function ofEvaluation(): Promise<Sentence[]> {
  const { experiments, claims, controls, run } = EvaluationResult.parse(
    await json('docs/evaluation/report.json'),
  );
  const of = (expectation: string, verdict?: string) =>
    `${experiments.filter((it) => it.expectation === expectation && (verdict === undefined || it.verdict === verdict)).length}`;
  const claimed = (verdict: string) => `${claims.filter((it) => it.verdict === verdict).length}`;
  const cases = experiments.reduce((sum, it) => sum + it.cases.length, 0);
  return [
    {
      says: 'with seed {}: {} experiments, {} cases, which took {} minutes together',
      figures: [run.seed, `${experiments.length}`, `${cases}`, (run.seconds / 60).toFixed(0)],
    },
    {
      says: '{} of {} experiments on promises hold, {} are broken',
      figures: [of('holds', 'holds'), of('holds'), of('holds', 'broken')],
    },
    {
      says: '{} of {} positive controls were found',
      figures: [`${controls.filter(({ found }) => found).length}`, `${controls.length}`],
    },
    {
      says: 'Of {} admitted leaks, {} are larger than the margin. {} could not be decided with so many units, and {} did not show',
      figures: [
        of('admitted'),
        of('admitted', 'broken'),
        of('admitted', 'undecided'),
        of('admitted', 'holds'),
      ],
    },
    {
      says: 'Of {} claims, {} were attacked and hold, {} are admitted leaks that were measured, and **{} have no experiment**',
      figures: [`${claims.length}`, claimed('holds'), claimed('measured'), claimed('not covered')],
    },
  ];
}

async function ofLearners(): Promise<Sentence[]> {
  const data = BenchDataSchema.parse(await json('docs/learners-comparison/report.json'));
  const percent = (series: string) => mean(samplesOf(data, 'accuracy/iris', series)).toFixed(0);
  return [
    {
      says: 'On iris: {} % at ε = 0.1, {} % at 1, {} % at 10, where the plain one has {} %',
      figures: ['forest 0.1', 'forest 1', 'forest 10', 'forest Infinity'].map(percent),
    },
  ];
}

/** Over all splits of Yale. */
async function ofFaces(): Promise<Sentence[]> {
  const { measurements } = BenchDataSchema.parse(await json('docs/faces-study/report.json'));
  const splits = measurements.filter(({ id }) => id.startsWith('dimensions/yale/random/'));
  const accuracy = (method: string, components: number) => {
    const all = splits.flatMap(({ series }) => series[`${method}/${components} accuracy`]!.samples);
    const deviation = Math.sqrt(
      (all.length / (all.length - 1)) * mean(all.map((it) => (it - mean(all)) ** 2)),
    );
    return [mean(all).toFixed(1), deviation.toFixed(1)];
  };
  const of = (method: string, ...components: number[]) => components.flatMap((k) => accuracy(method, k));
  return [
    {
      says: 'Accuracy {} ± {} % at 5 components, {} ± {} % at 10, {} ± {} % at 14',
      figures: of('dca', 5, 10, 14),
    },
    {
      says: '{} ± {} % at 5, {} ± {} % at 14, {} ± {} % at 50, {} ± {} % from 160 on',
      figures: of('pca', 5, 14, 50, 160),
    },
  ];
}

/** Where the sentences of a report stand. */
const FIGURES: readonly (readonly [document: string, sentences: () => Promise<Sentence[]>])[] = [
  ['README.md', ofBenchmarks],
  ['docs/evaluation.md', ofEvaluation],
  ['docs/faces.md', ofFaces],
  ['docs/learners.md', ofLearners],
];

class FiguresError extends Error {
  readonly code = 'ERR_FIGURES';
}

const program = createProgram({
  name: 'figures',
  version: '0.1.0',
  description: 'Writes the figures of the documents from the kept reports (docs/*/report.json).',
})
  .option('--check', 'write nothing: fail where a document has another figure')
  .action(async ({ check }: { check?: true }) => {
    const differing: string[] = [];
    for (const [document, sentences] of FIGURES) {
      const before = await read(document);
      const figured = withFigures(before, await sentences());
      if (figured === before) continue;
      differing.push(document);
      const options = await resolveConfig(join(ROOT, document));
      if (!check)
        await writeFile(join(ROOT, document), await format(figured, { ...options, parser: 'markdown' }));
    }
    if (check && differing.length > 0)
      throw new FiguresError(
        `figures differ from the kept reports in ${differing.join(', ')}: npm run figures writes them`,
      );
    for (const document of differing) process.stdout.write(`written: ${document}\n`);
  });

await runCommand(program, process.argv, { ERR_FIGURES: EXIT.internal });
