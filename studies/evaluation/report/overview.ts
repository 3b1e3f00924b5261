/** The first part of the report: what was evaluated, and what came of it, in a few sentences and tables. */
import { MISSING } from '../../instrument/quantities.ts';
import type { Block, Cell, Column, Mark, Section, Table } from '../../instrument/report/document.ts';
import type { Expectation } from '../experiment.ts';
import type { CaseResult, EvaluationResult, ExperimentResult } from '../result.ts';
import { matrixOf } from './matrix.ts';
import { counted, excessOf, percent, plural, titleOf, WORDS, wordOf } from './words.ts';

const left = (title: string): Column => ({ title, align: 'left' });
const right = (title: string): Column => ({ title, align: 'right' });
const text = (content: string): Block => ({ kind: 'text', text: content });

/** The outcome in sentences, the gravest first. Plain text. */
export function outcomeOf(result: EvaluationResult): string[] {
  const { experiments, controls, claims, failures, missing, run } = result;
  const of = (expectation: ExperimentResult['expectation'], verdict: ExperimentResult['verdict']) =>
    experiments.filter((it) => it.expectation === expectation && it.verdict === verdict);
  const [broken, undecided, held] = [of('holds', 'broken'), of('holds', 'undecided'), of('holds', 'holds')];
  const measured = of('admitted', 'broken');
  const missed = controls.filter(({ found, tooNoisy }) => !found && tooNoisy === undefined);
  const hidden = controls.filter(({ tooNoisy }) => tooNoisy !== undefined);
  const refuted = claims.filter(({ verdict }) => verdict === 'broken');
  const omitted = experiments.reduce((sum, it) => sum + it.omitted.length, 0);
  const names = (of: readonly { readonly id: string }[]) => of.map(({ id }) => id).join(', ');
  return [
    ...(missed.length === 0
      ? []
      : [`This run says nothing: it did not find what is known to leak, ${names(missed)}.`]),
    ...(hidden.length === 0
      ? []
      : [
          `This machine is too noisy: what is known to leak by times does not show, ${names(hidden)}. Of times this run says nothing.`,
        ]),
    broken.length + held.length + undecided.length === 0
      ? 'No experiment attacked what the documents promise: this run says nothing of that.'
      : broken.length === 0
        ? 'No experiment refuted a claim.'
        : `${plural(broken.length, 'experiment')} broke what the documents promise: ${names(broken)}. ${refuted.length === 1 ? 'Claim refuted' : 'Claims refuted'}: ${names(refuted) || 'none is named'}.`,
    `Of what the documents promise, ${plural(held.length, 'experiment')} saw nothing beyond the margin with so many units, ${undecided.length} could not decide.`,
    `${plural(measured.length, 'admitted leak')} ${measured.length === 1 ? 'was' : 'were'} there, with the sizes that the report gives; of ${of('admitted', 'undecided').length} more so many units could not decide, and ${of('admitted', 'holds').length} did not show.`,
    ...(controls.length === 0
      ? ['No positive control ran: silence says nothing.']
      : missed.length + hidden.length === 0
        ? [`All that is known to leak was found: ${plural(controls.length, 'positive control')}.`]
        : []),
    ...(failures.length === 0
      ? []
      : [`${plural(failures.length, 'case')} failed, and nothing is known of them.`]),
    ...(omitted === 0
      ? []
      : [
          `${plural(omitted, 'case')} ${omitted === 1 ? 'was' : 'were'} left out, each for the reason that the report gives.`,
        ]),
    ...(missing.length === 0 ? [] : [`${plural(missing.length, 'case')} did not run.`]),
    ...(run.only === null
      ? []
      : ['Only some experiments ran, and claims have their verdicts from these alone.']),
    ...(run.effort === 'quick'
      ? ['This was a quick run: its units are few, so it finds large leaks only.']
      : []),
  ];
}

export function overviewOf(result: EvaluationResult): Section[] {
  const { experiments } = result;
  const of = (expectation: Expectation) => experiments.filter((it) => it.expectation === expectation);
  return [
    { title: 'Who learns what', blocks: [text(LEGEND), matrixOf(experiments)] },
    {
      title: 'Does the instrument see?',
      blocks: [
        text(
          'Positive controls are known to leak: planted leaks, and systems that are known to be broken. If one is not found, the run is invalid.',
        ),
        tableOf('Positive controls', of('control')),
      ],
    },
    {
      title: 'Admitted leaks, measured',
      blocks: [
        text(
          'The documents admit these leaks. The attack’s success stands against that of its control. The excess is what the attack gains over it, as a part of what there was to gain: 0 is nothing, 1 is all.',
        ),
        tableOf('Admitted leaks with their sizes', of('admitted')),
      ],
    },
    {
      title: 'Promises, attacked',
      blocks: [
        text('The documents promise that these attacks fail. One that is broken refutes its claims.'),
        tableOf('Attacks that shall fail', of('holds')),
      ],
    },
    { title: 'What was evaluated', blocks: [sceneTable(result), runTable(result)] },
  ];
}

const LEGEND = `A verdict is about the attacks that were tried, with the units that there were. It is never a proof of security. Where a title names a method, ε or another way to compute, the experiment ran that over the scene’s rows, whatever the scene’s own task has.

- **${WORDS.holds.broken.text}**: the attack is better than its control by more than the margin. A claim is refuted.
- **${WORDS.holds.holds.text}**: nothing beyond the margin was seen, with enough units to say so.
- **${WORDS.holds.undecided.text}**: too few units to say either.
- **${WORDS.admitted.broken.text}**: the documents say that this leaks, and it does: its size stands below.
- **${WORDS.admitted.holds.text}**: the documents say that this leaks; this attack gained nothing by it.
- **${MISSING}**: no experiment.`;

/** One row for each experiment, with a line for each scene. */
const tableOf = (caption: string, experiments: readonly ExperimentResult[]): Table => ({
  kind: 'table',
  caption,
  columns: [{ ...left('experiment'), wraps: true }, left('attacker'), { ...left('by scene'), wraps: true }],
  rows: experiments.map((it): Cell[] => [
    [{ text: titleOf(it), to: it.id }],
    it.attacker,
    it.cases.length === 0 ? [wordOf(it)] : it.cases.map((one) => lineOf(it, one)),
  ]),
});

function lineOf({ expectation, unit }: ExperimentResult, one: CaseResult): Mark {
  const { text: word, tone } = WORDS[expectation][one.verdict];
  const { scene, n } = one;
  const seen =
    one.kind === 'trials'
      ? `excess ${excessOf(one)}, ${percent(one.success)} % against ${percent(one.control)} %`
      : `distance ${one.success.toFixed(2)}`;
  return { text: `${word}: ${scene}, ${seen}, ${counted(n, unit)}`, tone };
}

function sceneTable({ run }: EvaluationResult): Table {
  return {
    kind: 'table',
    caption: 'Scenes: data, task, and people',
    columns: [
      left('scene'),
      left('task'),
      right('owners'),
      right('rows'),
      right('people'),
      right('rows of outsiders'),
      right('public rows'),
      left('utility label'),
      left('private label'),
    ],
    rows: run.scenes.map((it) => [
      it.name,
      `${it.method.toUpperCase()}, ${it.components} of ${it.features}, ${it.twoParty}${it.epsilon === null ? '' : `, ε = ${it.epsilon}`}`,
      ...[it.owners, it.rows, it.people, it.outsiderRows, it.publicRows].map((n) =>
        n.toLocaleString('en-GB'),
      ),
      it.utilityLabel ?? MISSING,
      it.privateLabel ?? MISSING,
    ]),
  };
}

function runTable({ run, experiments }: EvaluationResult): Table {
  const { effort, seed, level, margin, environment, finishedAt, seconds } = run;
  const { commit, changes, node, processor, cores } = environment;
  const rows: [string, string][] = [
    ['profile', effort],
    ['experiments', `${experiments.length}`],
    ['seed', seed],
    [
      'level',
      `${level}, over all experiments together (Holm); what refutes a claim ran again on a fresh seed`,
    ],
    ['intervals', `two-sided, ${Number((100 * (1 - level)).toFixed(2))} %, each for itself`],
    ['margin', `${margin} of the excess; fixed before any experiment ran`],
    [
      'time',
      `${seconds.toFixed(0)} s of experiments, finished ${finishedAt.slice(0, 16).replace('T', ' ')} UTC`,
    ],
    ['machine', `${processor}, ${cores} cores, Node.js ${node}`],
    ['commit', changes === null ? commit : `${commit}, with changes (${changes})`],
  ];
  return { kind: 'table', caption: 'The run', columns: [left('what'), left('which')], rows };
}
