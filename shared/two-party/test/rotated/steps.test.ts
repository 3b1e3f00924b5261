/**
 * The tables of steps at the end of the documents: what the ends of `rotated` call, by these names and in this order, and where it is defined. A step that
 * only another function of the same file calls is found in its place.
 */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const ROOT = new URL('../../../../', import.meta.url);
const SOURCE = 'shared/two-party/src/rotated/';

/** By document, the data user's end and the CSP's: its file, and what it begins with. */
const ENDS = [
  ['rotated.md', ['data-user.ts', 'askRotated'], ['csp.ts', 'answerRotated']],
  ['rotated-pencils.md', ['pencil/data-user.ts', 'askPencil'], ['pencil/csp.ts', 'answerPencil']],
  ['rotated-sketches.md', ['sketch/data-user.ts', 'askSketch'], ['sketch/csp.ts', 'answerSketch']],
  [
    'rotated.md, of a product',
    ['../products/correlate.ts', 'multiplyEachCorrelated'],
    ['../products/choose.ts', 'multiplyEachChosen'],
  ],
  ['rotated-correlation.md', ['correlation.ts', 'askCorrelation'], ['correlation.ts', 'answerCorrelation']],
] as const;

interface Step {
  readonly title: string;
  readonly user: readonly string[];
  readonly csp: readonly string[];
  readonly files: readonly string[];
}

const read = (path: string) => readFile(new URL(path, ROOT), 'utf8');

/** Bodies of the functions at the top of a file, by name. */
async function functionsOf(file: string): Promise<Map<string, string>> {
  const source = await read(`${SOURCE}${file}`);
  const starts = [...source.matchAll(/^(?:export )?(?:async )?function\*? (\w+)[(<]/gm)];
  return new Map(
    starts.map(({ 1: name, index }) => {
      const end = source.indexOf('\n}\n', index);
      return [name!, source.slice(source.indexOf(' {\n', source.indexOf(')', index)), end)];
    }),
  );
}

/** The body of a function, with those of the functions of its file where it calls them. */
function inlined(functions: ReadonlyMap<string, string>, name: string): string {
  return functions.get(name)!.replaceAll(/\b(\w+)\(/g, (call, called: string) => {
    return functions.has(called) ? `${call}${inlined(functions, called)}` : call;
  });
}

/** The table of a document, or of its products. */
async function stepsOf(name: string): Promise<Step[]> {
  const [document, product] = name.split(', ');
  const page = await read(`docs/${document}`);
  const [, section] = page.split(product ? '\n### The steps of a product\n' : '\n## The steps in the code\n');
  const [own] = section!.split('\n### ');
  const rows = own!.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| --'));
  return rows.slice(1).map((row) => {
    const [title, ...columns] = row.split('|').slice(1, -1);
    const [user, csp, files] = columns.map((cell) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text!),
    );
    return { title: title!.trim(), user: user!, csp: csp!, files: files! };
  });
}

it.each(ENDS)('of %s are called by the names and in the order of its table', async (document, ...ends) => {
  const page = await read(`docs/${document.split(', ')[0]}`);
  const steps = await stepsOf(document);
  for (const [side, [file, first]] of ends.entries()) {
    expect(page).toContain(`\`${first}\``);
    const body = inlined(await functionsOf(file), first);
    let from = 0;
    for (const { title, user, csp } of steps) {
      for (const name of [user, csp][side]!) {
        const found = body.slice(from).search(new RegExp(`\\b${name}\\(`));
        expect(found, `${title}: ${name} in ${file}`).toBeGreaterThanOrEqual(0);
        from += found + name.length;
      }
    }
  }
});

it.each(ENDS)('of %s are defined where its table says', async (document, ...ends) => {
  for (const { title, user, csp, files } of await stepsOf(document)) {
    const named = await Promise.all(files.map(async (file) => [...(await functionsOf(file)).keys()]));
    for (const [i, names] of named.entries()) {
      expect(
        names.filter((name) => [...user, ...csp].includes(name)),
        `${title}: ${files[i]}`,
      ).not.toEqual([]);
    }
    for (const [side, names] of [user, csp].entries()) {
      const own = [...(await functionsOf(ends[side]![0])).keys()];
      expect([...own, ...named.flat()], title).toEqual(expect.arrayContaining([...names]));
    }
  }
});

it.each(ENDS.filter(([name]) => !name.includes(',')))('of %s are its numbered steps', async (document) => {
  const page = await read(`docs/${document}`);
  const titles = [...page.matchAll(/^(\d)\. \*\*(.*?)\*\*/gm)].map(([, number, title]) => {
    return `${number}. ${title!.replace(/[.,]$/, '')}`;
  });
  const steps = (await stepsOf(document)).map(({ title }) => title).filter((title) => /^\d/.test(title));
  expect(steps.length).toBeGreaterThan(3);
  expect(titles.slice(0, steps.length)).toEqual(steps);
});
