/** The words of experiments, which stand on a page of Markdown for each folder: a heading for each experiment, and fields below it. */
import { readFileSync } from 'node:fs';
import Handlebars from 'handlebars';
import type { Unworded, Words } from './experiment.ts';

const FIELDS = ['title', 'sees', 'knows', 'control', 'baseline'] as const satisfies (keyof Words)[];
/** A heading, or a field with the lines that go on with it. */
const PART = /^(#{2,3}) (\S.*)|^- \*\*(\w+):\*\* ((?:.|\n(?! *\n|- |#))*)/gm;

type Fields = Readonly<Record<string, string>>;

/** An experiment, or a party of several. */
type Worded = Pick<Unworded, 'id' | 'terms'>;

/**
 * Gives experiments their words. Fields below `##` are those of every experiment in that part that has none of its own; `{{knows}}` stands for such a
 * field in an experiment's own, and `{{…}}` for its `terms`.
 * @throws Error where the page lacks an experiment or a field of it, or has another one
 */
export function worded<One extends Worded>(
  page: URL,
  experiments: readonly One[],
): (Omit<One, 'terms'> & Words)[] {
  const found = fieldsOf(readFileSync(page, 'utf8'));
  const superfluous = [...found.keys()].find((id) => !experiments.some((one) => one.id === id));
  if (superfluous !== undefined)
    throw new Error(`${page.pathname} has words of ${superfluous}, which is no experiment`);
  return experiments.map(({ terms, ...experiment }) => {
    const { shared, own } = found.get(experiment.id) ?? {};
    if (own === undefined) throw new Error(`${page.pathname} has no words of ${experiment.id}`);
    const words = FIELDS.map((field) => {
      const text = own[field] ?? shared![field];
      if (text === undefined) throw new Error(`${page.pathname}: ${experiment.id} has no ${field}`);
      return [field, Handlebars.compile(text, { noEscape: true, strict: true })({ ...shared, ...terms })];
    });
    return { ...experiment, ...(Object.fromEntries(words) as unknown as Words) };
  });
}

/** The fields of each experiment, and those of its part of the page. */
function fieldsOf(page: string): Map<string, { readonly shared: Fields; readonly own: Fields }> {
  const all = new Map<string, { shared: Fields; own: Fields }>();
  let shared: Record<string, string> = {};
  let open = shared;
  for (const [, depth, heading, name, text] of page.matchAll(PART)) {
    if (depth === '##') {
      shared = {};
      open = shared;
    } else if (depth === '###') {
      open = {};
      if (all.has(heading!)) throw new Error(`two experiments are called ${heading}`);
      all.set(heading!, { shared, own: open });
    } else {
      const field = name!.toLowerCase();
      if (!(FIELDS as readonly string[]).includes(field))
        throw new Error(`"${name}" is no field of an experiment`);
      open[field] = text!.trim().replaceAll(/\s+/g, ' ');
    }
  }
  return all;
}
