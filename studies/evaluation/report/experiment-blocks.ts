/** One experiment in the report: who sees what, its figures by scene, a picture, and what it shows itself. */
import { MISSING } from '../../instrument/quantities.ts';
import type { BarDrawing, Block, Cell, Chart, Table } from '../../instrument/report/document.ts';
import { figure } from '../../instrument/report/figures.ts';
import { escapeMarkdown } from '../../instrument/report/text.ts';
import type { Expectation } from '../experiment.ts';
import type { CaseResult, ExperimentResult, Verdict } from '../result.ts';
import {
  controlOf,
  counted,
  decidedBy,
  excessOf,
  percent,
  probability,
  successOf,
  titleOf,
  verdictOf,
  WORDS,
  wordOf,
} from './words.ts';

export function blocksOf(experiment: ExperimentResult): Block[] {
  const { id, cases } = experiment;
  return [
    { kind: 'heading', name: id, title: titleOf(experiment) },
    { kind: 'text', text: about(experiment) },
    ...(cases.length === 0 ? [] : [figuresOf(experiment), ...chartsOf(experiment)]),
    ...confirmations(experiment),
    ...factsOf(cases),
    ...ownBlocks(experiment),
  ];
}

/** Sentences are Markdown, in which HTML is text; they have one line, and the full stop comes from here. */
const sentence = (text: string): string => `${text.replace(/\s+/g, ' ').trim().replace(/\.$/, '')}.`;

function about(experiment: ExperimentResult): string {
  const { id, attacker, secret, kind, claims, sees, knows, control, baseline, omitted } = experiment;
  const reasons = omitted.map(({ scene, why }) => `${escapeMarkdown(scene)} (${escapeMarkdown(why)})`);
  return [
    `**${wordOf(experiment).text}.** ${MEANING[experiment.expectation][verdictOf(experiment) ?? 'none']}`,
    '',
    `- **Attacker:** ${attacker}. **Secret:** ${secret}. **Claims:** ${claims.length === 0 ? 'none' : claims.join(', ')}. **Name:** \`${id}\` (${kind}).`,
    `- **Sees:** ${sentence(sees)} **Knows:** ${sentence(knows)}`,
    `- **Control:** ${sentence(control)} **Baseline:** ${sentence(baseline)}`,
    ...(reasons.length === 0 ? [] : [`- **Left out:** ${reasons.join('; ')}.`]),
  ].join('\n');
}

const NOTHING = 'It ran nowhere, so nothing is known of it.';
const BLIND =
  'This is known to leak, and the instrument did not find it: what it says of others is worth nothing.';

/** What a verdict says, and what it does not. */
const MEANING: Readonly<Record<Expectation, Readonly<Record<Verdict | 'none', string>>>> = {
  holds: {
    broken: 'The documents promise that this does not work, and it does: its claims are refuted.',
    undecided: 'So many units cannot tell whether it works.',
    holds: 'With so many units nothing was seen. That says nothing of other attacks.',
    none: NOTHING,
  },
  admitted: {
    broken: 'The documents admit this leak. Here is how large it is.',
    undecided: 'The documents admit this leak. So many units cannot tell whether this attack gains by it.',
    holds: 'The documents admit this leak. With so many units this attack gained nothing by it.',
    none: NOTHING,
  },
  control: {
    broken: 'A positive control: this is known to leak, and the instrument finds it.',
    undecided: BLIND,
    holds: BLIND,
    none: NOTHING,
  },
};

const isTrials = (it: CaseResult): it is CaseResult & { kind: 'trials' } => it.kind === 'trials';

function figuresOf({ expectation, unit, cases }: ExperimentResult): Table {
  const trials = cases.some(isTrials);
  const tests = cases.some((it) => !isTrials(it));
  const right = (name: string) => ({ title: name, align: 'right' as const });
  return {
    kind: 'table',
    caption: 'By scene, with intervals',
    columns: [
      { title: 'scene', align: 'left' },
      { title: 'verdict', align: 'left' },
      right('n'),
      right([trials ? 'attack, %' : '', tests ? 'distance' : ''].filter((it) => it !== '').join(' or ')),
      ...(trials ? [right('control, %'), right('baseline, %'), right('excess')] : []),
      ...(tests ? [right('p of the test'), right('smallest leak found')] : []),
      right('p, corrected'),
    ],
    rows: cases.map((it): Cell[] => [
      it.scene,
      [WORDS[expectation][it.verdict]],
      counted(it.n, unit),
      successOf(it),
      ...(trials ? [controlOf(it), isTrials(it) ? percent(it.baseline) : MISSING, excessOf(it)] : []),
      ...(tests ? (isTrials(it) ? [MISSING, MISSING] : [probability(it.p), detectable(it)]) : []),
      decidedBy(it),
    ]),
  };
}

const detectable = ({ detectable: found }: CaseResult & { kind: 'test' }): string =>
  found === null ? 'not known' : `${found.leak}: ${Number(found.size.toPrecision(3))}`;

function chartsOf(experiment: ExperimentResult): Chart[] {
  const { id, cases } = experiment;
  const trials = cases.filter(isTrials);
  const tests = cases.filter((it) => !isTrials(it));
  const chart = (kind: string, caption: string, drawing: BarDrawing): Chart => ({
    kind: 'chart',
    name: `${id}-${kind}`,
    caption: `${titleOf(experiment)}: ${caption}`,
    drawing,
  });
  const groups = (of: readonly CaseResult[]) => of.map(({ scene }) => scene);
  const whiskered = (value: number, [low, high]: readonly [number, number], scale: number) => ({
    value: scale * value,
    low: scale * Math.max(0, low),
    high: scale * Math.min(1, high),
  });
  return [
    ...(trials.length === 0
      ? []
      : [
          chart('success', 'success with intervals, by scene.', {
            kind: 'bars',
            lying: true,
            groups: groups(trials),
            y: { title: 'Success in percent', scale: 'linear', upTo: 100 },
            bars: [
              { name: 'attack', values: trials.map((it) => whiskered(it.success, it.interval, 100)) },
              { name: 'control', values: trials.map((it) => whiskered(it.control, it.controlInterval, 100)) },
              { name: 'baseline', values: trials.map((it) => ({ value: 100 * it.baseline })) },
            ],
          }),
        ]),
    ...(tests.length === 0
      ? []
      : [
          chart('distance', 'distance that the test saw, with intervals, by scene; 0 is none.', {
            kind: 'bars',
            lying: true,
            groups: groups(tests),
            y: { title: 'Distance', scale: 'linear', upTo: 1 },
            bars: [{ name: 'distance', values: tests.map((it) => whiskered(it.success, it.interval, 1)) }],
          }),
        ]),
  ];
}

function confirmations({ unit, expectation, cases }: ExperimentResult): Block[] {
  const lines = cases.flatMap(({ scene, confirmation }) =>
    confirmation === null
      ? []
      : [
          `- ${escapeMarkdown(scene)}, again on a fresh seed: ${percent(confirmation.success)} % of ${counted(confirmation.n, unit)}, p = ${probability(confirmation.p)}: ${WORDS[expectation][confirmation.verdict].text}.`,
        ],
  );
  return lines.length === 0 ? [] : [{ kind: 'text', text: lines.join('\n') }];
}

/** By name and scene; the names in the order in which they first come. */
function factsOf(cases: readonly CaseResult[]): Block[] {
  const names = [...new Set(cases.flatMap(({ facts }) => Object.keys(facts)))];
  if (names.length === 0) return [];
  const show = (value: number | string | undefined): string => {
    if (value === undefined) return MISSING;
    return typeof value === 'string' ? value : figure(value, undefined, 4);
  };
  return [
    {
      kind: 'table',
      caption: 'More figures',
      columns: [
        { title: 'figure', align: 'left' },
        ...cases.map(({ scene }) => ({ title: scene, align: 'right' as const })),
      ],
      rows: names.map((name) => [name, ...cases.map(({ facts }) => show(facts[name]))]),
    },
  ];
}

const fileName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9_-]+/g, '-');

/** Under names that no other chart of the report has, and that a file may have: a scene of one's own is called like its file. */
function ownBlocks({ id, cases }: ExperimentResult): Block[] {
  return cases.flatMap(({ scene, blocks }, index) => [
    ...(blocks.length === 0 || cases.length === 1
      ? []
      : [{ kind: 'text' as const, text: `**${escapeMarkdown(scene)}**` }]),
    ...blocks.map((block) =>
      block.kind === 'chart' ? { ...block, name: fileName(`${id}-${index}-${block.name}`) } : block,
    ),
  ]);
}
