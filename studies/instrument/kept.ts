/** The kept reports of full runs, in docs, and what documents show of them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Groups } from './main.ts';
import type { Marked, marksOf } from './marks.ts';
import { tableToMarkdown } from './report/markdown.ts';
import { StudyResults } from './results.ts';
import type { StudyGroup } from './study.ts';
import { tablesOf } from './tables.ts';
import { nameOf, recordsOfStudy } from './told.ts';

/** The part of a kept report that documents read, whatever its form is otherwise. */
const Facts = z.object({
  facts: z.record(z.string(), z.object({ text: z.string() })),
  finishedAt: z.string().optional(),
  description: z.object({ environment: z.object({ commit: z.string() }) }).optional(),
});

/**
 * Looks up facts and tables in docs/<kept>/<study>.json, which a run of that study alone has left, and then in docs/<kept>/report.json.
 * Beside the facts of a study, `.day` and `.commit` are those of its run.
 */
export class KeptReports {
  readonly #groups: ReadonlyMap<string, StudyGroup>;
  readonly #docs: string;
  readonly #files = new Map<string, Promise<unknown>>();

  private constructor(groups: ReadonlyMap<string, StudyGroup>, docs: string) {
    this.#groups = groups;
    this.#docs = docs;
  }

  static async of(groups: Groups, docs: string): Promise<KeptReports> {
    const loaded = await Promise.all(
      Object.entries(groups).map(async ([name, load]) => [name, await load()] as const),
    );
    return new KeptReports(new Map(loaded), docs);
  }

  /**
   * Reads all that these names ask for.
   * @throws RangeError for a name that no kept report has
   */
  async marked({ facts, tables }: ReturnType<typeof marksOf>): Promise<Marked> {
    const read = async (names: readonly string[], find: (name: string) => Promise<string>) =>
      new Map(await Promise.all(names.map(async (name) => [name, await find(name)] as const)));
    const texts = await read(facts, (name) => this.#fact(name));
    const drawn = await read(tables, (name) => this.#table(name));
    return { fact: (name) => texts.get(name)!, table: (name) => drawn.get(name)! };
  }

  async #fact(name: string): Promise<string> {
    const { folder, study, item } = this.#placeOf(name);
    for (const file of [`${study}.json`, 'report.json']) {
      const found = await this.#read(folder, file);
      if (found === undefined) continue;
      const { facts, finishedAt, description } = Facts.parse(found);
      const own = facts[`${study}.${item}`];
      if (own !== undefined) return own.text;
      const isOfStudy = file !== 'report.json' || Object.keys(facts).some((it) => it.startsWith(`${study}.`));
      if (isOfStudy && item === 'day' && finishedAt !== undefined) return finishedAt.slice(0, 10);
      if (isOfStudy && item === 'commit' && description !== undefined)
        return description.environment.commit.slice(0, 8);
    }
    throw new RangeError(`"${name}" expected a fact of a kept report in docs/${folder}, has none`);
  }

  async #table(name: string): Promise<string> {
    const { folder, group, study, item } = this.#placeOf(name);
    const declared = group?.studies.find((it) => nameOf(it) === study);
    const table = declared?.tables?.[item];
    for (const file of [`${study}.json`, 'report.json']) {
      const found = await this.#read(folder, file);
      if (found === undefined || declared === undefined || table === undefined) continue;
      const { cases } = StudyResults.parse(found);
      const tables = tablesOf(table, recordsOfStudy(declared, cases));
      if (tables.length > 0) return tables.map((one) => tableToMarkdown(one)).join('\n\n');
    }
    throw new RangeError(`"table ${name}" expected a table of a kept report in docs/${folder}, has none`);
  }

  #placeOf(name: string) {
    const [, of, study, item] = /^([\w-]+)\/([\w-]+)\.([\w-]+)$/.exec(name) ?? [];
    if (of === undefined) throw new RangeError(`a mark expected "group/study.fact", got "${name}"`);
    const group = this.#groups.get(of);
    return { group, folder: group?.kept ?? of, study: study!, item: item! };
  }

  #read(folder: string, file: string): Promise<unknown> {
    const path = join(this.#docs, folder, file);
    const found =
      this.#files.get(path) ??
      readFile(path, 'utf8').then(JSON.parse, (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      });
    this.#files.set(path, found);
    return found;
  }
}
