/** A result as tidy records: of its experiments, their cases and what these show, of claims, controls, scenes, and the run. */
import { escapeMarkdown, textOf } from '../../instrument/report/text.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { ATTACKERS, type Expectation } from '../experiment.ts';
import {
  type CaseResult,
  type ClaimVerdict,
  type EvaluationResult,
  type ExperimentResult,
  noiseThatHides,
  type Verdict,
} from '../result.ts';

const [UNDECIDED, MISSED] = ['? undecided', '✗ not found'];
/** The words of a verdict, which depend on what was expected. The worst come first. */
export const WORDS: Readonly<Record<Expectation, Readonly<Record<Verdict, string>>>> = {
  holds: { broken: '✗ broken', undecided: UNDECIDED, holds: '✓ holds' },
  admitted: { broken: '! leaks', undecided: UNDECIDED, holds: '✓ not seen' },
  control: { broken: '✓ found', undecided: MISSED, holds: MISSED },
};
const CLAIM_WORDS: Readonly<Record<ClaimVerdict, string>> = {
  broken: '✗ broken',
  undecided: UNDECIDED,
  holds: '✓ not refuted',
  measured: '! admitted, measured',
  'not covered': '– not covered',
};

/** A control is found only if it is found in every scene. */
export function wordOf({ expectation, verdict, cases }: ExperimentResult): string {
  if (noiseThatHides(cases) !== undefined) return '? too noisy here';
  if (verdict === null) return '– no answer';
  const isMissed = expectation === 'control' && cases.some((one) => one.verdict !== 'broken');
  return WORDS[expectation][isMissed ? 'undecided' : verdict];
}

const LONGEST = 240;
const PLURALS = { row: 'rows', person: 'people', owner: 'owners', run: 'runs' } as const;

const day = (moment: string) => moment.slice(0, 16).replace('T', ' ');
const counted = (n: number, unit: ExperimentResult['unit']) =>
  `${n.toLocaleString('en-GB')} ${n === 1 ? unit : PLURALS[unit]}`;
const probability = (p: number) =>
  p === 0 ? '0' : p < 0.001 ? p.toExponential(0).replace('-', '−') : p.toFixed(3);

/** The frames of a result, by name. */
export function framesOf(result: EvaluationResult): Readonly<Record<string, readonly Tidy[]>> {
  const { experiments, claims, controls, failures, missing } = result;
  const ordered = ATTACKERS.flatMap((attacker) => experiments.filter((it) => it.attacker === attacker));
  const cases = experiments.flatMap((experiment) => experiment.cases.map((one) => caseOf(experiment, one)));
  return {
    experiments: ordered.map((experiment) => ({
      ...nameOf(experiment),
      verdict: experiment.verdict ?? 'none',
      said: wordOf(experiment),
      omitted: experiment.omitted.length,
    })),
    cases,
    series: experiments.flatMap((experiment) => experiment.cases.flatMap((one) => seriesOf(experiment, one))),
    confirmations: experiments.flatMap((experiment) =>
      experiment.cases.flatMap((one) => againOf(experiment, one)),
    ),
    figures: experiments.flatMap(({ id, cases: own }) =>
      own.flatMap(({ scene, facts }) =>
        Object.entries(facts).map(([figure, value]) => ({ experiment: id, scene, figure, value })),
      ),
    ),
    claims: claims.map(({ id, document, heading, text, verdict, ...about }) => ({
      ...{ claim: id, place: `${document}, ${heading}`, text: shortTextOf(text), verdict },
      said: CLAIM_WORDS[verdict],
      experiments: saidOf(experiments, [...about.experiments, ...about.controls]),
    })),
    controls: controls.map(({ id, found, tooNoisy }) => ({
      ...{ experiment: id, came: found ? 'found' : tooNoisy === undefined ? 'missed' : 'hidden' },
    })),
    unfinished: [
      ...failures.map(({ experiment, scene, why }) => ({ experiment, scene, why: `it failed: ${why}` })),
      ...missing.map((one) => ({ ...one, why: 'the run was interrupted before it' })),
    ],
    scenes: result.run.scenes.map(({ name, method, twoParty, features, components, epsilon, ...others }) => ({
      scene: name,
      task: `${method.toUpperCase()}, ${components} of ${features}, ${twoParty}${epsilon === null ? '' : `, ε = ${epsilon}`}`,
      ...Object.fromEntries(Object.entries(others).filter(([, value]) => value !== null)),
    })),
    run: [runOf(result)],
  };
}

const nameOf = ({ id, title, attacker, secret, expectation }: ExperimentResult) => ({
  ...{ experiment: id, attacker, secret, expectation },
  // Titles stand where there is no Markdown, and so no code.
  title: title.replaceAll('`', '').replace(/\.$/, ''),
});

function caseOf(experiment: ExperimentResult, one: CaseResult): Tidy {
  const { scene, kind, verdict, success, interval } = one;
  const common = {
    ...nameOf(experiment),
    ...{ scene, kind, said: WORDS[experiment.expectation][verdict], units: counted(one.n, experiment.unit) },
    ...{ success, successLow: interval[0], successHigh: interval[1] },
    ...(verdict === 'broken' && { decided: probability(one.pBroken) }),
  };
  if (one.kind === 'test') {
    const { p, detectable } = one;
    const leak =
      detectable === null ? 'not known' : `${detectable.leak}: ${Number(detectable.size.toPrecision(3))}`;
    return { ...common, p: probability(p), leak };
  }
  const { control, controlInterval, baseline, excess, excessInterval, pHolds } = one;
  return {
    ...common,
    ...{ control, controlLow: controlInterval[0], controlHigh: controlInterval[1], baseline },
    ...{ excess, excessLow: excessInterval[0], excessHigh: excessInterval[1] },
    ...(verdict === 'holds' && { decided: probability(pHolds) }),
  };
}

/** The series in a picture of a case: attack, control and baseline in percent, or a distance. */
function seriesOf({ id }: ExperimentResult, one: CaseResult): Tidy[] {
  const of = (series: string, value: number, [low, high] = [value, value], scale = 100): Tidy => ({
    ...{ experiment: id, scene: one.scene, kind: one.kind, series, value: scale * value },
    ...{ low: scale * Math.max(0, low!), high: scale * Math.min(1, high!) },
  });
  if (one.kind === 'test') return [of('distance', one.success, one.interval, 1)];
  const { success, interval, control, controlInterval, baseline } = one;
  return [of('attack', success, interval), of('control', control, controlInterval), of('baseline', baseline)];
}

function againOf(experiment: ExperimentResult, { scene, confirmation }: CaseResult): Tidy[] {
  if (confirmation === null) return [];
  const { success, n, p, verdict } = confirmation;
  const said = WORDS[experiment.expectation][verdict];
  const units = counted(n, experiment.unit);
  return [{ experiment: experiment.id, scene, success, units, p: probability(p), said }];
}

/** Experiments with the signs of their verdicts. */
const saidOf = (experiments: readonly ExperimentResult[], ids: readonly string[]): string =>
  ids
    .flatMap((id) => experiments.filter((it) => it.id === id))
    .map((experiment) => `${wordOf(experiment).charAt(0)} ${experiment.id}`)
    .join(', ');

/** The text of a claim, whose document has all of it. */
export function shortTextOf(markdown: string): string {
  const plain = textOf(markdown).replace(/[;,:]$/, '');
  return plain.length <= LONGEST ? plain : `${plain.slice(0, LONGEST).replace(/\s\S*$/, '')} …`;
}

/** Text is Markdown here, unlike in other records: sentences of the report name it. */
function runOf({ run }: EvaluationResult): Tidy {
  const { effort, seed, level, margin, finishedAt, seconds, environment } = run;
  const { commit, changes, node, processor, cores } = environment;
  return {
    ...{ effort, seed: escapeMarkdown(seed), level, margin, cores, processor, node },
    ...{ finished: day(finishedAt), minutes: seconds / 60, scope: run.only === null ? 'all' : 'some' },
    certainty: Number((100 * (1 - level)).toFixed(2)),
    commit: changes === null ? commit : `${commit}, with changes (${changes})`,
  };
}
