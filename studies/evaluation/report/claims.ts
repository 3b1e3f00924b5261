/** Claims of the documents: those that experiments could refute, with their verdicts, and those that none covers. */
import type { Block, Mark, Section } from '../../instrument/report/document.ts';
import { textOf } from '../../instrument/report/text.ts';
import type { ClaimResult, EvaluationResult, ExperimentResult } from '../result.ts';
import { CLAIM_WORDS, plural, wordOf } from './words.ts';

/** A claim may be a paragraph; the document has all of it. */
const LONGEST = 240;

export function claimsOf({ claims, experiments }: EvaluationResult): Section {
  const byId = new Map(experiments.map((it) => [it.id, it]));
  const [covered, others] = [claims.filter(isCovered), claims.filter((it) => !isCovered(it))];
  const marks = (ids: readonly string[]): Mark[] =>
    ids.flatMap((id) => {
      const experiment = byId.get(id);
      return experiment === undefined ? [] : [markOfClaim(experiment)];
    });
  /** Those that were found in one line, for there are many. */
  const controlsOf = (ids: readonly string[]): Mark[] => {
    const found = ids.filter((id) => byId.get(id)?.cases.every(({ verdict }) => verdict === 'broken'));
    const missed = marks(ids.filter((id) => !found.includes(id)));
    if (found.length === 0) return missed;
    return [{ text: `✓ ${plural(found.length, 'control')} found`, tone: 'good' }, ...missed];
  };
  return {
    title: 'Claims',
    blocks: [
      {
        kind: 'text',
        text: `SECURITY.md and docs/privacy.md make ${plural(claims.length, 'claim')}. Experiments could refute, or measure, ${covered.length} of them; ${others.length} rest on the arguments in the documents alone.`,
      },
      {
        kind: 'table',
        caption: 'Claims with the experiments that could refute them, or that measure what they admit',
        columns: [
          { title: 'claim', align: 'left' },
          { title: 'what it says', align: 'left', wraps: true },
          { title: 'verdict', align: 'left' },
          { title: 'experiments', align: 'left' },
        ],
        rows: covered.map((it) => [
          it.id,
          saidBy(it),
          [CLAIM_WORDS[it.verdict]],
          [...marks(it.experiments), ...controlsOf(it.controls)],
        ]),
      },
      ...uncovered(others),
    ],
  };
}

const isCovered = ({ verdict }: ClaimResult): boolean => verdict !== 'not covered';

const markOfClaim = (experiment: ExperimentResult): Mark => {
  const { text, tone } = wordOf(experiment);
  const { id } = experiment;
  return { text: `${text.charAt(0)} ${id}`, tone, to: id };
};

function uncovered(claims: readonly ClaimResult[]): Block[] {
  if (claims.length === 0) return [];
  return [
    {
      kind: 'table',
      caption: 'Claims that no experiment covers',
      columns: [
        { title: 'claim', align: 'left' },
        { title: 'where', align: 'left' },
        { title: 'what it says', align: 'left', wraps: true },
      ],
      rows: claims.map((it) => [it.id, `${it.document}, ${it.heading}`, saidBy(it)]),
    },
  ];
}

function saidBy({ text }: ClaimResult): string {
  const plain = textOf(text).replace(/;$/, '');
  return plain.length <= LONGEST ? plain : `${plain.slice(0, LONGEST).replace(/\s\S*$/, '')} …`;
}
