/** Figures of docs/authentication.md and docs/authentication-decisions.md. */
import { type BenchData, reportOf } from '@eigenveil/studies/instrument/report';
import type { Report } from '@eigenveil/studies/instrument/report/document';
import type { Sentence } from '@eigenveil/studies/instrument/report/written-figures';
import { authenticationStudy } from '@eigenveil/studies/recognition/study/report';
import { authentication } from '@eigenveil/studies/recognition/study/suite';
import { inShort } from '@eigenveil/studies/recognition/template-report';
import type { TemplateStudy } from '@eigenveil/studies/recognition/template-study';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { cellsOf, factsOf, readBench, readJson } from './kept.ts';

const WALK = 'wisdm_walk_user';
const KEYS = 'meu_keystroke';
const REPORT = 'authentication-study';

const reportFrom = (data: BenchData): Report => reportOf(data, [authentication], authenticationStudy);
const templates = async () => (await readJson(`docs/${REPORT}/templates.json`)) as TemplateStudy;

export async function ofAuthentication(): Promise<Sentence[]> {
  const data = await readBench(REPORT);
  const report = reportFrom(data);
  const shuffled = factsOf(data, `authentication/${WALK}/shuffled`, /^shuffled\/dca\/perSample\//).map(
    Number,
  );
  const inOrder = cellsOf(report, `${WALK}, a frame for each user: what a service can compute`);
  return [
    ...ofForgeries(await templates()),
    ofLearning(report),
    {
      says: 'DCA has an EER of {} % of single windows on walking instead of {} %',
      figures: [mean(shuffled).toFixed(1), Number.parseFloat(inOrder(['DCA'], 'EER')).toFixed(1)],
    },
  ];
}

/** By the score of the service, which is set against everybody. */
function ofForgeries({ forgery }: TemplateStudy): Sentence[] {
  const { ranges } = inShort(forgery).find((one) => one.dataset === WALK && one.against === 'everybody')!;
  const byAttempts = (asked: number): string[] => {
    const i = forgery[0]!.byAttempts.findIndex(({ attempts }) => attempts === asked);
    return ranges[i]!.map((share) => (100 * share).toFixed(0));
  };
  return [
    {
      says: 'for {} to {} % of the users by the fifth attempt, for {} to {} % by the tenth',
      figures: [5, 10].flatMap(byAttempts),
    },
  ];
}

function ofLearning(report: Report): Sentence {
  const cell = cellsOf(report, 'Test part, in percent: FMR and FNMR');
  const rules = [5, 10].flatMap((windows) => [0.1, 0.3].map((share) => `${windows} windows, share ${share}`));
  const told = (dataset: string, column: string): string[] => {
    const rate = (rule: string) => Number.parseFloat(cell([dataset, rule], column));
    const learnt = rules.map(rate);
    return [rate('never'), Math.min(...learnt), Math.max(...learnt)].map((value) => value.toFixed(0));
  };
  return {
    says: 'FNMR of single windows fell from {} to between {} and {} % on keystrokes and from {} to between {} and {} % on walking; FMR rose from {} to between {} and {} %, and from {} to between {} and {} %',
    figures: ['FNMR', 'FMR'].flatMap((column) => [KEYS, WALK].flatMap((dataset) => told(dataset, column))),
  };
}

/** The scores of the table in docs/authentication-decisions.md: as it names them, as the report does, and what they are set against. */
const SCORES = [
  ['distance alone', 'DCA, bare distances', 'nothing'],
  ['set against everybody', 'DCA, the score of the service', 'everybody'],
] as const;
const SETS = [
  ['MEU keys', KEYS],
  ['WISDM walk', WALK],
] as const;

export async function ofDecisions(): Promise<Sentence[]> {
  const report = reportFrom(await readBench(REPORT));
  const { forgery } = await templates();
  const toOneDigit = (cell: string) => Number.parseFloat(cell).toFixed(1);
  const ends = (values: readonly number[]): string[] =>
    [Math.min(...values), Math.max(...values)].map((share) => (100 * share).toFixed(0));
  const of = (dataset: string, against: string) =>
    forgery.filter((one) => one.dataset === dataset && one.against === against);
  const rows = SETS.flatMap(([set, dataset]) =>
    SCORES.map(([told, arm, against]): Sentence => {
      const chosen = cellsOf(report, `${dataset}: what validation chose`);
      const tested = cellsOf(report, `${dataset}, a frame for each user: what a service can compute`);
      const zeros = of(dataset, against).filter(({ strategy }) => strategy === 'windows of zeros');
      const stay = [...new Set(ends(zeros.map(({ byAttempts }) => byAttempts[0]!.allowed.value)))];
      return {
        says: `| ${set} | ${told} | {} / {} | {} / {} | ${stay.map(() => '{}').join('–')} % |`,
        figures: [
          chosen([arm], 'per sample'),
          chosen([arm], 'over five'),
          toOneDigit(tested([arm], 'EER')),
          toOneDigit(tested([arm], 'over five')),
          ...stay,
        ],
      };
    }),
  );
  const genuine = [WALK, KEYS].flatMap((dataset) =>
    ['everybody', 'nothing'].flatMap((against) => ends(of(dataset, against).map((one) => one.genuine.value))),
  );
  return [
    ...rows,
    {
      says: '{} to {} % (WISDM; {} to {} % alone) and {} to {} % (MEU; {} to {} %)',
      figures: genuine,
    },
  ];
}
