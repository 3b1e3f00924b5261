/** The matrix of attackers and secrets: in each cell what the experiments there say, and how many. */
import { MISSING } from '../../instrument/quantities.ts';
import type { Cell, Table } from '../../instrument/report/document.ts';
import { ATTACKERS, type Attacker, SECRETS, type Secret } from '../experiment.ts';
import type { ExperimentResult } from '../result.ts';
import { WORDS, wordOf } from './words.ts';

/** The worst first, and last those that gave no answer. */
const RANKS = [WORDS.holds, WORDS.admitted].flatMap((words) => Object.values(words)).map(({ text }) => text);
const rankOf = (text: string): number => {
  const rank = RANKS.indexOf(text);
  return rank < 0 ? RANKS.length : rank;
};

export interface Group {
  readonly word: ReturnType<typeof wordOf>;
  readonly experiments: readonly ExperimentResult[];
}

/** What those who are no controls say of a secret, by word, the worst first. */
export function groupsOf(
  experiments: readonly ExperimentResult[],
  attacker: Attacker,
  secret: Secret,
): Group[] {
  const there = experiments.filter(
    (it) => it.attacker === attacker && it.secret === secret && it.expectation !== 'control',
  );
  return [...Map.groupBy(there, (it) => wordOf(it).text).values()]
    .map((own) => ({ word: wordOf(own[0]!), experiments: own }))
    .sort((a, b) => rankOf(a.word.text) - rankOf(b.word.text));
}

export function matrixOf(experiments: readonly ExperimentResult[]): Table {
  const cell = (attacker: Attacker, secret: Secret): Cell => {
    const groups = groupsOf(experiments, attacker, secret);
    if (groups.length === 0) return MISSING;
    return groups.map(({ word, experiments: [first, ...others] }) => ({
      ...word,
      text: others.length === 0 ? word.text : `${word.text} (${others.length + 1})`,
      to: first!.id,
    }));
  };
  return {
    kind: 'table',
    caption: 'Who learns what: by attacker (columns) and secret (rows), how many experiments say so',
    columns: ['secret', ...ATTACKERS].map((title) => ({ title, align: 'left' })),
    rows: SECRETS.map((secret) => [secret, ...ATTACKERS.map((attacker) => cell(attacker, secret))]),
  };
}
