/** The parts of a report that are made of a study's records: its frames, facts, tables, charts and conclusions. */
import { readFile } from 'node:fs/promises';
import { only, type Told } from './figure.ts';
import { readPage } from './page.ts';
import type { Report, Section } from './report/document.ts';
import { escapeMarkdown } from './report/text.ts';
import { type MeasuredCase, recordsOf, type StudyResults } from './results.ts';
import type { Study, StudyGroup } from './study.ts';
import { chartsOf, type Records, selected, tablesOf } from './tables.ts';
import type { Tidy } from './tidy.ts';
import { type Worded, worded } from './words.ts';

/** The name of a study within its group. */
export const nameOf = ({ id }: Pick<Study, 'id'>): string => id.slice(id.indexOf('/') + 1);

/** Frames are computed when they are first asked for. */
export function recordsOfStudy(study: Study, cases: readonly MeasuredCase[]): Records {
  const measured = cases.filter((it) => it.study === study.id).flatMap(recordsOf);
  const frames = new Map<string, readonly Tidy[]>();
  return {
    columns: study.columns ?? {},
    of: (frame) => {
      if (frame === undefined) return measured;
      const make = study.frames?.[frame];
      if (make === undefined) throw new RangeError(`${study.id} has no frame "${frame}"`);
      const records = frames.get(frame) ?? make(measured);
      frames.set(frame, records);
      return records;
    },
  };
}

/** The facts of a study. */
export function factsOf(study: Pick<Study, 'facts'>, records: Records): Map<string, Told> {
  return new Map(
    Object.entries(study.facts ?? {}).map(([name, fact]) => [name, fact.figure(selected(records, fact))]),
  );
}

/** A study with its records and their facts, which words, tables and programs share. */
interface ToldStudy {
  readonly study: Study;
  readonly records: Records;
  readonly facts: ReadonlyMap<string, Told>;
}

/** The studies of a group, those of which nothing was measured too. */
export function toldOf({ studies }: StudyGroup, cases: readonly MeasuredCase[]): ToldStudy[] {
  return studies.map((study) => {
    const records = recordsOfStudy(study, cases);
    return { study, records, facts: factsOf(study, records) };
  });
}

/** The facts of several studies, as `study.fact`. */
export function namedFacts(told: readonly ToldStudy[]): Map<string, Told> {
  return new Map(
    told.flatMap(({ study, facts }) =>
      [...facts].map(([name, fact]) => [`${nameOf(study)}.${name}`, fact] as const),
    ),
  );
}

/** Returns the studies of which something was measured. */
export const measuredOf = (told: readonly ToldStudy[], cases: readonly MeasuredCase[]): ToldStudy[] =>
  told.filter(({ study }) => cases.some((it) => it.study === study.id));

/** Declarations over records, and the words around them. */
type Declared = Pick<Study, 'columns' | 'tables' | 'charts' | 'words'>;

/** The tables and charts that words have places for. */
function drawnOf({ tables, charts }: Declared, records: Records) {
  const made = <T, B>(all: Readonly<Record<string, T>> = {}, make: (name: string, one: T) => B[]) =>
    new Map(Object.entries(all).map(([name, one]) => [name, make(name, one)]));
  return {
    tables: made(tables, (_, table) => tablesOf(table, records)),
    charts: made(charts, (name, chart) => chartsOf(name, chart, records)),
  };
}

async function wordedStudy(
  { study, records, facts }: ToldStudy,
  results: StudyResults,
): Promise<Worded & { readonly title: string }> {
  const number = (name: string): number => {
    const told = facts.get(name);
    if (told === undefined) throw new RangeError(`${study.id} has no fact "${name}"`);
    return told.value ?? Number.NaN;
  };
  const { title, words } = await readPage(study.words);
  const placed = worded(words, {
    facts,
    ...drawnOf(study, records),
    holds: new Map(Object.entries(study.holds ?? {}).map(([name, holds]) => [name, holds(number)])),
    isWhole: isWhole(results),
    areOwnRows: areOwnRows(results),
  });
  return { title, ...placed };
}

/**
 * The report of a run that no study has planned, such as a demo's. Its words begin with `# TITLE`; each record of the frame `run` has
 * facts by the names of its columns.
 * @param frames records by the names that tables and charts have in `of`
 * @throws RangeError for a fact that the run does not have
 */
export async function runReport(
  page: Declared,
  frames: Readonly<Record<string, readonly Tidy[]>>,
): Promise<Report> {
  const records: Records = { columns: page.columns ?? {}, of: (frame) => frames[frame ?? 'run'] ?? [] };
  const names = new Set(records.of('run').flatMap((record) => Object.keys(record)));
  const facts = new Map([...names].map((name) => [name, only(name)(records.of('run'))]));
  const { introduction, sections, contradictions } = worded(await readFile(page.words, 'utf8'), {
    facts,
    ...drawnOf(page, records),
    ...{ holds: new Map(), isWhole: true },
  });
  if (contradictions.length > 0) throw new RangeError(contradictions.join('; '));
  const [, title = '', rest = ''] = /^# (.+)\n([\s\S]*)$/.exec(introduction.join('\n\n')) ?? [];
  return { title, introduction: [rest.trim().replaceAll(/\n{3,}/g, '\n\n')], sections };
}

const areOwnRows = ({ description: { chosen } }: StudyResults): boolean => chosen.data !== undefined;

/** Conclusions are drawn from full runs over all data sets alone. */
const isWhole = ({ description: { scale, chosen }, omissions }: StudyResults): boolean =>
  scale === 'full' && Object.keys(chosen).length === 0 && omissions.length === 0;

const NOTHING: Worded = { introduction: [], sections: [], contradictions: [] };

/** The words of a group; what it concludes is drawn from all of its studies. */
async function wordedGroup(
  group: StudyGroup,
  results: StudyResults,
  told: readonly ToldStudy[],
): Promise<Worded> {
  const { studies } = results.description;
  const areAll = group.studies.every(({ id, isApart }) => isApart || studies.includes(id));
  return worded(await readFile(group.words, 'utf8'), {
    facts: namedFacts(told),
    tables: new Map(),
    charts: new Map(),
    holds: new Map(),
    isWhole: isWhole(results) && areAll,
    areOwnRows: areOwnRows(results),
  });
}

/** The report of a run, and what it contradicts. Studies of which nothing was measured have no sections; one alone goes without the words of its group. */
export async function reportOf(
  group: StudyGroup,
  results: StudyResults,
  told: readonly ToldStudy[] = toldOf(group, results.cases),
): Promise<{ readonly report: Report; readonly contradictions: readonly string[] }> {
  const { description, finishedAt, omissions, cases } = results;
  const own = measuredOf(told, cases);
  const parts = await Promise.all(own.map((one) => wordedStudy(one, results)));
  const alone = description.studies.length === 1 && group.studies.length > 1 ? parts[0] : undefined;
  const whole = alone === undefined ? await wordedGroup(group, results, told) : NOTHING;
  const { data } = description.chosen;
  const rows =
    data === undefined
      ? ''
      : `, over rows of its user’s own in place of all data sets (${escapeMarkdown(data)})`;
  const run = `A ${description.scale} run${rows}, finished ${finishedAt.slice(0, 16).replace('T', ' ')} UTC.`;
  return {
    report: {
      title: alone?.title ?? group.title,
      isSparing: true,
      introduction: [run, ...whole.introduction],
      sections: [
        ...whole.sections,
        ...parts.flatMap(({ title, introduction, sections }) =>
          introduction.length === 0
            ? sections
            : [
                {
                  title: alone === undefined ? title : 'What is measured',
                  blocks: introduction.map((text) => ({ kind: 'text' as const, text })),
                },
                ...sections,
              ],
        ),
        omitted(omissions),
        machine(description.environment),
      ],
    },
    contradictions: [...whole.contradictions, ...parts.flatMap(({ contradictions }) => contradictions)],
  };
}

function omitted(omissions: StudyResults['omissions']): Section {
  const text =
    omissions.length === 0
      ? 'Everything that was planned was measured.'
      : omissions.map(({ what, why }) => `- ${what}: ${why}`).join('\n');
  return { title: 'Not measured', blocks: [{ kind: 'text', text }] };
}

function machine(environment: StudyResults['description']['environment']): Section {
  const { commit, changes, processor, cores, memoryBytes, system, node, openssl, packages } = environment;
  return {
    title: 'Machine and versions',
    blocks: [
      {
        kind: 'table',
        caption: 'What this was measured on and with',
        columns: [
          { title: 'what', align: 'left' },
          { title: 'which', align: 'left' },
        ],
        rows: [
          ['commit', changes === null ? commit : `${commit}, with changes (${changes})`],
          ['processor', `${processor}, ${cores} cores`],
          ['memory', `${(memoryBytes / 2 ** 30).toFixed(1)} GiB`],
          ['system', system],
          ['Node.js', `${node}, OpenSSL ${openssl}`],
          ...Object.entries(packages),
        ],
      },
    ],
  };
}
