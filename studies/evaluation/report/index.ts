/** The report of a run: report.html and report.md for people, report.json for programs, its facts, and a table for the terminal. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MISSING } from '../../instrument/quantities.ts';
import { writePictures } from '../../instrument/report/apart.ts';
import type { Block, Mark, Report, Section, Table } from '../../instrument/report/document.ts';
import { tableToMarkdown } from '../../instrument/report/markdown.ts';
import { escapeMarkdown, textOf } from '../../instrument/report/text.ts';
import { writeReport as writeFiles } from '../../instrument/report/write.ts';
import { chartsOf, type Records, tablesOf } from '../../instrument/tables.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { factsOf } from '../../instrument/told.ts';
import { worded } from '../../instrument/words.ts';
import { ATTACKERS, SECRETS } from '../experiment.ts';
import type { EvaluationResult, ExperimentResult } from '../result.ts';
import { COLUMNS, FACTS, OWN_CHARTS, OWN_TABLES, TABLES } from './declared.ts';
import { withoutPictures } from './pictures.ts';
import { framesOf, WORDS, wordOf } from './records.ts';

/**
 * Writes the three files, the facts that documents name, and pictures of people apart from them.
 * @returns the path of the page
 * @throws ERR_REPORT when an experiment's own block cannot be drawn; then nothing is written
 */
export async function writeReport(folder: string, result: EvaluationResult): Promise<string> {
  const { shared, pictures } = withoutPictures(result);
  await writeFiles({ folder, report: await evaluationReport(shared), data: jsonOf(shared) });
  const facts = [...factsOf({ facts: FACTS }, recordsOf(shared))].map(([name, { value = null, text }]) => [
    `facts.${name}`,
    { value, text },
  ]);
  const { finishedAt } = shared.run;
  const own = { finishedAt, facts: Object.fromEntries(facts) };
  await writeFile(join(folder, 'facts.json'), `${JSON.stringify(own, null, 2)}\n`);
  await writePictures(folder, pictures);
  return join(folder, 'report.html');
}

/** A line for each experiment and each claim, so that what changes between runs can be read. */
function jsonOf(result: EvaluationResult): string {
  const members = Object.entries(result).map(([name, value]) => {
    const text = Array.isArray(value)
      ? `[\n${value.map((one) => JSON.stringify(one)).join(',\n')}\n]`
      : JSON.stringify(value, null, 2);
    return `${JSON.stringify(name)}: ${text}`;
  });
  return `{\n${members.join(',\n')}\n}\n`;
}

/** @throws RangeError for a fact that the words name and the run does not have */
export async function evaluationReport(result: EvaluationResult): Promise<Report> {
  const records = recordsOf(result);
  const tables = Object.entries(TABLES).map(([name, table]) => [name, tablesOf(table, records)] as const);
  const words = await readFile(new URL('report.md', import.meta.url), 'utf8');
  const { introduction, sections, contradictions } = worded(words, {
    facts: factsOf({ facts: FACTS }, records),
    tables: new Map<string, readonly Block[]>([...tables, ['matrix', [matrixOf(records)]]]),
    charts: new Map(),
    holds: new Map(),
    isWhole: true,
  });
  if (contradictions.length > 0) throw new RangeError(contradictions.join('; '));
  return {
    title: 'Eigenveil: evaluation of security',
    isSparing: true,
    introduction,
    sections: [...sections, ...SECRETS.flatMap((secret) => sectionOf(result, records, secret))],
  };
}

/** The matrix in signs, and what deserves a look. */
export async function terminalTable(result: EvaluationResult): Promise<string> {
  const records = recordsOf(result);
  const table = tableToMarkdown({
    ...{ kind: 'table', caption: '' },
    columns: ['secret', ...ATTACKERS].map((title) => ({ title, align: 'left' })),
    rows: SECRETS.map((secret) => [
      secret,
      ...ATTACKERS.map((attacker) =>
        groupsOf(records, attacker, secret)
          .map(([said, own]) => `${said.charAt(0)}${own.length}`)
          .join(' '),
      ),
    ]),
  });
  const signs = '✗ broken, ? undecided, ✓ nothing seen, ! leaks as admitted: how many experiments say so';
  const { introduction } = await evaluationReport(result);
  return [table, signs, '', ...introduction.join('\n').split('\n').map(textOf).filter(Boolean)].join('\n');
}

function recordsOf(result: EvaluationResult): Records {
  const frames = framesOf(result);
  return { columns: COLUMNS, of: (frame) => frames[frame!]! };
}

/** The worst first, and last those that gave no answer. */
const RANKS = [WORDS.holds, WORDS.admitted].flatMap((said) => Object.values(said));
const rankOf = (said: string) => (RANKS.includes(said) ? RANKS.indexOf(said) : RANKS.length);

/** Returns what those who are no controls say about a secret. */
function groupsOf(records: Records, attacker: string, secret: string): [said: string, own: Tidy[]][] {
  const there = records
    .of('experiments')
    .filter((it) => it.attacker === attacker && it.secret === secret && it.expectation !== 'control');
  return [...Map.groupBy(there, ({ said }) => String(said))].sort(([a], [b]) => rankOf(a) - rankOf(b));
}

/** In each cell what experiments say, and how many; it leads to the first of them. */
function matrixOf(records: Records): Table {
  const marks = (attacker: string, secret: string): Mark[] =>
    groupsOf(records, attacker, secret).map(([said, own]) => ({
      text: own.length === 1 ? said : `${said} (${own.length})`,
      to: String(own[0]!.experiment),
    }));
  return {
    kind: 'table',
    caption: 'Who learns what: by attacker (columns) and secret (rows), how many experiments say so',
    columns: ['secret', ...ATTACKERS].map((title) => ({ title, align: 'left' })),
    rows: SECRETS.map((secret) => [
      secret,
      ...ATTACKERS.map((attacker) => {
        const own = marks(attacker, secret);
        return own.length === 0 ? MISSING : own;
      }),
    ]),
  };
}

/** Every experiment about a secret: by attacker, the worst first, then the controls. */
function sectionOf({ experiments }: EvaluationResult, records: Records, secret: string): Section[] {
  const ordered = [
    ...ATTACKERS.flatMap((attacker) => groupsOf(records, attacker, secret)).flatMap(([, own]) =>
      own.map((it) => experiments.find(({ id }) => id === it.experiment)!),
    ),
    ...experiments.filter((it) => it.secret === secret && it.expectation === 'control'),
  ];
  if (ordered.length === 0) return [];
  return [{ title: `Secret: ${secret}`, blocks: ordered.flatMap((it) => blocksOf(it, records)) }];
}

function blocksOf(experiment: ExperimentResult, records: Records): Block[] {
  const { id, title } = experiment;
  const own: Records = {
    columns: COLUMNS,
    of: (frame) => records.of(frame).filter((record) => record.experiment === id),
  };
  return [
    { kind: 'heading', name: id, title: title.replaceAll('`', '').replace(/\.$/, '') },
    { kind: 'text', text: about(experiment) },
    ...OWN_TABLES.flatMap((table) => tablesOf(table, own)),
    ...Object.entries(OWN_CHARTS).flatMap(([name, chart]) => chartsOf(name, chart, own)),
    ...ownBlocks(experiment),
  ];
}

/** Sentences are Markdown, in which HTML is text; they have one line, and the full stop comes from here. */
const sentence = (text: string): string => `${text.replace(/\s+/g, ' ').trim().replace(/\.$/, '')}.`;

function about(experiment: ExperimentResult): string {
  const { id, attacker, secret, kind, claims, sees, knows, control, baseline, omitted } = experiment;
  const reasons = omitted.map(({ scene, why }) => `${escapeMarkdown(scene)} (${escapeMarkdown(why)})`);
  return [
    `- **Verdict:** ${wordOf(experiment)}. **Attacker:** ${attacker}. **Secret:** ${secret}. **Claims:** ${claims.length === 0 ? 'none' : claims.join(', ')}. **Name:** \`${id}\` (${kind}).`,
    `- **Sees:** ${sentence(sees)} **Knows:** ${sentence(knows)}`,
    `- **Control:** ${sentence(control)} **Baseline:** ${sentence(baseline)}`,
    ...(reasons.length === 0 ? [] : [`- **Left out:** ${reasons.join('; ')}.`]),
  ].join('\n');
}

const fileName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9_-]+/g, '-');

/** Returns the blocks that it shows itself, under names that no other chart of the report has, and that a file may have: a scene of one's own is called like its file. */
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
