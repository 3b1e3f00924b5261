/** The first part of the report: what was evaluated, and what came of it, in a few sentences and tables. */
import { MISSING } from '@eigenveil/bench/quantities';
import type { Block, Cell, Column, Section, Table } from '@eigenveil/report/document';
import type { EvaluationResult, ExperimentResult } from '../result.ts';
import { matrixOf } from './matrix.ts';
import { controlOf, counted, excessOf, markOf, plural, successOf, WORDS } from './words.ts';

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
  const missed = controls.filter(({ found }) => !found);
  const refuted = claims.filter(({ verdict }) => verdict === 'broken');
  const names = (of: readonly { readonly id: string }[]) => of.map(({ id }) => id).join(', ');
  return [
    ...(missed.length === 0
      ? []
      : [`This run says nothing: it did not find ${names(missed)}, which is known to leak.`]),
    broken.length === 0
      ? 'No experiment refuted a claim.'
      : `${plural(broken.length, 'experiment')} broke what the documents promise: ${names(broken)}. ${refuted.length === 1 ? 'Claim refuted' : 'Claims refuted'}: ${names(refuted) || 'none is named'}.`,
    `${plural(held.length, 'experiment')} saw nothing beyond the margin with so many units, ${undecided.length} could not decide${undecided.length === 0 ? '' : ` (${names(undecided)})`}.`,
    `${plural(measured.length, 'admitted leak')} ${measured.length === 1 ? 'was' : 'were'} there, with the sizes below.`,
    ...(controls.length === 0
      ? ['No positive control ran: silence says nothing.']
      : missed.length === 0
        ? [`All ${controls.length} positive controls were found.`]
        : []),
    ...(failures.length === 0
      ? []
      : [`${plural(failures.length, 'case')} failed, and nothing is known of them.`]),
    ...(missing.length === 0 ? [] : [`${plural(missing.length, 'case')} did not run.`]),
    ...(run.effort === 'quick'
      ? ['This was a quick run: its units are few, so it finds large leaks only.']
      : []),
  ];
}

export function overviewOf(result: EvaluationResult): Section[] {
  const { experiments } = result;
  const controls = experiments.filter(({ expectation }) => expectation === 'control');
  const admitted = experiments.filter(({ expectation }) => expectation === 'admitted');
  return [
    { title: 'Who learns what', blocks: [text(LEGEND), matrixOf(experiments)] },
    {
      title: 'Does the instrument see?',
      blocks: [
        text(
          'Positive controls are known to leak: planted leaks, and systems that are known to be broken. Had one not been found, the run would be invalid.',
        ),
        controlTable(controls),
      ],
    },
    {
      title: 'Admitted leaks, measured',
      blocks: [
        text(
          'The documents admit these leaks. The excess is what the attack gains over its control, as a part of what there was to gain: 0 is nothing, 1 is all.',
        ),
        leakTable(admitted),
      ],
    },
    { title: 'What was evaluated', blocks: [sceneTable(result), runTable(result)] },
  ];
}

const LEGEND = `A verdict is about the attacks that were tried, with the units that there were. It is never a proof of security.

- **${WORDS.holds.broken.text}**: the attack is better than its control by more than the margin. A claim is refuted.
- **${WORDS.holds.holds.text}**: nothing beyond the margin was seen, with enough units to say so.
- **${WORDS.holds.undecided.text}**: too few units to say either.
- **${WORDS.admitted.broken.text}**: the documents say that this leaks, and it does: its size stands below.
- **${WORDS.admitted.holds.text}**: the documents say that this leaks; this attack gained nothing by it.
- **${MISSING}**: no experiment.`;

/** One row for each case, with what all of them have in common. */
function tableOf(
  caption: string,
  columns: readonly Column[],
  experiments: readonly ExperimentResult[],
  cells: (it: ExperimentResult, at: ExperimentResult['cases'][number]) => readonly Cell[],
): Table {
  return {
    kind: 'table',
    caption,
    columns: [left('experiment'), left('scene'), left('verdict'), right('n'), right('success'), ...columns],
    rows: experiments.flatMap((experiment) =>
      experiment.cases.length === 0
        ? [
            [
              nameOf(experiment),
              MISSING,
              [markOf(experiment)],
              MISSING,
              MISSING,
              ...columns.map(() => MISSING),
            ],
          ]
        : experiment.cases.map((it) => [
            nameOf(experiment),
            it.scene,
            [WORDS[experiment.expectation][it.verdict]],
            counted(it.n, experiment.unit),
            successOf(it),
            ...cells(experiment, it),
          ]),
    ),
  };
}

const nameOf = ({ id, title }: ExperimentResult): Cell => [{ text: title, to: id }];

const controlTable = (controls: readonly ExperimentResult[]): Table =>
  tableOf('Positive controls', [right('its control')], controls, (_, it) => [controlOf(it)]);

const leakTable = (admitted: readonly ExperimentResult[]): Table =>
  tableOf(
    'Admitted leaks with their sizes',
    [right('control'), right('excess'), left('attacker')],
    admitted,
    ({ attacker }, it) => [controlOf(it), excessOf(it), attacker],
  );

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
