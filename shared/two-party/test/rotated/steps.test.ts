/** The tables of steps at the end of the documents: what the ends of `rotated` call, by these names and in this order. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const ROOT = new URL('../../../../', import.meta.url);
const SOURCE = 'shared/two-party/src/rotated/';

/** By document, each end's functions and their file; what the first leaves to do is in the others. */
const ENDS = [
  ['rotated.md', ['data-user.ts', 'askRotated', 'openRotated'], ['csp.ts', 'answerRotated']],
  ['rotated-pencils.md', ['pencil/data-user.ts', 'askPencil'], ['pencil/csp.ts', 'answerPencil']],
  ['rotated-sketches.md', ['sketch/data-user.ts', 'askSketch'], ['sketch/csp.ts', 'answerSketch']],
  [
    'rotated.md, of a product',
    ['../products/correlate.ts', 'multiplyEachCorrelated'],
    ['../products/choose.ts', 'multiplyEachChosen'],
  ],
  ['rotated-correlation.md', ['correlation.ts', 'askCorrelation'], ['correlation.ts', 'answerCorrelation']],
] as const;

const read = (path: string) => readFile(new URL(path, ROOT), 'utf8');

/** The body of a function at the top of a file. */
function bodyOf(source: string, name: string): string {
  const start = source.indexOf(`export async function ${name}(`);
  expect(start, name).toBeGreaterThanOrEqual(0);
  return source.slice(source.indexOf('> {\n', start), source.indexOf('\n}\n', start));
}

/** Rows of the table of a document, or of its products: step, and the names in each column. */
async function tableOf(name: string): Promise<[string, string[], string[]][]> {
  const [document, product] = name.split(', ');
  const page = await read(`docs/${document}`);
  const [, section] = page.split(product ? '\n### The steps of a product\n' : '\n## The steps in the code\n');
  const [own] = section!.split('\n### ');
  const rows = own!.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| --'));
  return rows.slice(1).map((row) => {
    const [step, ...columns] = row.split('|').slice(1, -1);
    const [user, csp] = columns.map((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
    return [step!.trim(), user!, csp!];
  });
}

it.each(ENDS)('of %s are called by the names and in the order of its table', async (document, user, csp) => {
  const page = await read(`docs/${document.split(', ')[0]}`);
  const rows = await tableOf(document);
  for (const [side, [file, ...functions]] of [user, csp].entries()) {
    const source = await read(`${SOURCE}${file}`);
    const body = functions.map((name) => bodyOf(source, name)).join('\n');
    for (const name of functions.slice(0, 1)) expect(page).toContain(`\`${name}\``);
    let from = 0;
    for (const [step, ...columns] of rows) {
      for (const name of columns[side]!) {
        const found = body.slice(from).search(new RegExp(`\\b${name}\\(`));
        expect(found, `${step}: ${name} in ${file}`).toBeGreaterThanOrEqual(0);
        from += found + name.length;
      }
    }
  }
});

it.each(ENDS.filter(([name]) => !name.includes(',')))('of %s are its numbered steps', async (document) => {
  const page = await read(`docs/${document}`);
  const titles = [...page.matchAll(/^(\d)\. \*\*(.*?)\*\*/gm)].map(([, number, title]) => {
    return `${number}. ${title!.replace(/[.,]$/, '')}`;
  });
  const steps = (await tableOf(document))
    .flatMap(([step]) => step.split('; '))
    .filter((step) => /^\d/.test(step));
  expect(steps.length).toBeGreaterThan(3);
  expect(titles.slice(0, steps.length)).toEqual(steps);
});
