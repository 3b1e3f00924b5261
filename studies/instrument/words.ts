/** The words of a study: Markdown with facts, tables, charts and conclusions in their places. */
import Handlebars from 'handlebars';
import type { Told } from './figure.ts';
import { MISSING } from './quantities.ts';
import type { Block, Section } from './report/document.ts';

interface Places {
  readonly facts: ReadonlyMap<string, Told>;
  readonly tables: ReadonlyMap<string, readonly Block[]>;
  readonly charts: ReadonlyMap<string, readonly Block[]>;
  readonly holds: ReadonlyMap<string, boolean>;
  /** True if everything was measured that conclusions are drawn from; otherwise `{{#conclusions}}` give way to `{{else}}`. */
  readonly isWhole: boolean;
  /** Facts that were not measured are then those of bundled data sets; elsewhere they are contradictions. */
  readonly areOwnRows?: boolean;
}

export interface Worded {
  /** The text before the first heading. */
  readonly introduction: readonly string[];
  readonly sections: readonly Section[];
  /** Facts that were asked for and not measured, and conclusions that do not hold. */
  readonly contradictions: readonly string[];
}

/** Stands in a sentence for a fact that its user's own rows do not have. */
const KNOWN_OF_BUNDLED = `${MISSING} (known of the bundled data sets alone)`;
/** Stands between texts where a table or a chart has its place; no Markdown has it. */
const MARK = '\u0000';

/**
 * Puts everything in its place. `{{#measured "one" "other"}}…{{else}}…{{/measured}}` stands where these facts were measured: quick runs leave some out.
 * @param words Markdown whose `##` begin sections and whose `###` begin parts of them
 * @throws RangeError for a name that the study does not have
 */
export function worded(words: string, { facts, tables, charts, holds, isWhole, areOwnRows }: Places): Worded {
  const contradictions: string[] = [];
  const handlebars = Handlebars.create();
  const placed: Block[][] = [];
  const place = (kind: string, blocks: ReadonlyMap<string, readonly Block[]>) => (name: string) => {
    const found = blocks.get(name);
    if (found === undefined) throw new RangeError(`there is no ${kind} "${name}"`);
    placed.push([...found]);
    return `\n\n${MARK}${placed.length - 1}${MARK}\n\n`;
  };
  const isMeasured = (name: string): boolean => {
    const told = facts.get(name);
    if (told === undefined) throw new RangeError(`there is no fact "${name}"`);
    return told.text !== MISSING;
  };
  handlebars.registerHelper('table', place('table', tables));
  handlebars.registerHelper('chart', place('chart', charts));
  handlebars.registerHelper(
    'conclusions',
    function (this: unknown, { fn, inverse }: Handlebars.HelperOptions) {
      return isWhole ? fn(this) : inverse(this);
    },
  );
  handlebars.registerHelper('measured', function (this: unknown, ...given: unknown[]) {
    const { fn, inverse } = given.pop() as Handlebars.HelperOptions;
    return (given as string[]).every(isMeasured) ? fn(this) : inverse(this);
  });
  handlebars.registerHelper(
    'holds',
    function (this: unknown, name: string, { fn }: Handlebars.HelperOptions) {
      const it = holds.get(name);
      if (it === undefined) throw new RangeError(`there is nothing to hold called "${name}"`);
      const text = fn(this);
      if (it) return text;
      contradictions.push(`contradicted: ${text.trim().replaceAll(/\s+/g, ' ')}`);
      return `**Contradicted by this run:** ${text}`;
    },
  );
  const template = handlebars.compile(words, { noEscape: true, strict: true });
  const whereMissing = (name: string): string => {
    if (areOwnRows) return KNOWN_OF_BUNDLED;
    contradictions.push(`missing: the fact ${name}`);
    return MISSING;
  };
  const text = template(contextOf(facts, whereMissing));
  return { ...split(text, placed), contradictions };
}

/** Facts by name, and those of a study as `{{study.fact}}`; one that was not measured is told of when it is asked for. */
function contextOf(facts: ReadonlyMap<string, Told>, whereMissing: (name: string) => string): object {
  const context: Record<string, unknown> = {};
  for (const [path, told] of facts) {
    const [name, ...folders] = path.split('.').reverse() as [string, ...string[]];
    const folder = folders.reverse().reduce<Record<string, unknown>>((within, part) => {
      within[part] ??= {};
      return within[part] as Record<string, unknown>;
    }, context);
    Object.defineProperty(folder, name, {
      enumerable: true,
      get: () => (told.text === MISSING ? whereMissing(path) : told.text),
    });
  }
  return context;
}

function split(
  text: string,
  placed: readonly (readonly Block[])[],
): Pick<Worded, 'introduction' | 'sections'> {
  const introduction: string[] = [];
  const sections: { readonly title: string; readonly blocks: Block[] }[] = [];
  for (const part of text.split(/(?=^#{2,3} )/m)) {
    const [, depth, title, body] = /^(#{2,3}) (.*)\n?([\s\S]*)$/.exec(part) ?? [];
    if (depth === '##') sections.push({ title: title!.trim(), blocks: [] });
    const blocks: Block[] =
      depth === '###' ? [{ kind: 'heading', name: title!.trim(), title: title!.trim() }] : [];
    (body ?? part).split(MARK).forEach((piece, i) => {
      if (i % 2 === 1) blocks.push(...placed[Number(piece)]!);
      else if (piece.trim() !== '') blocks.push({ kind: 'text', text: piece.trim() });
    });
    const section = sections.at(-1);
    if (section !== undefined) section.blocks.push(...blocks);
    else introduction.push(...blocks.map((block) => (block.kind === 'text' ? block.text : '')));
  }
  return { introduction, sections: sections.filter(({ blocks }) => blocks.length > 0) };
}
