/** `npm run figures`: writes the figures of the documents from the kept reports. With `--check`, as `npm run lint` has it, it fails where they differ. */
import { globSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createProgram, runCommand } from '@eigenveil/command';
import { CodedError, codes } from '@eigenveil/platform';
import { GROUPS } from '@eigenveil/studies/groups';
import { KeptReports } from '@eigenveil/studies/instrument/kept';
import { marksOf, withMarks } from '@eigenveil/studies/instrument/marks';
import { type Sentence, withFigures } from '@eigenveil/studies/instrument/report/written-figures';
import { format, resolveConfig } from 'prettier';
import { readText } from './figures/kept.ts';
import { MEASURED } from './figures/measured.ts';
import { ofRounding } from './figures/rounding.ts';
import { ofFloor, ofProtocols, ofSmallRuns } from './figures/small-runs.ts';
import { ROOT } from './rooms.ts';

const FAILURE = codes({ ERR_FIGURES: { title: 'Figures differ from the kept reports' } });

/** Each document with the functions that give its sentences from reports. */
const FIGURES: readonly (readonly [document: string, ...sentences: (() => Promise<Sentence[]>)[]])[] = [
  ['README.md', ofProtocols],
  ['docs/benchmarks.md', ofSmallRuns],
  ['docs/floor.md', ofFloor],
  ['docs/precision.md', ofRounding],
  ...MEASURED,
];

const SENTENCES = new Map(FIGURES.map(([document, ...sentences]) => [document, sentences]));

/** @throws ERR_FIGURES for a sentence that the document does not have once, and for a mark that no kept report has */
async function figuredBy(
  document: string,
  before: string,
  sentences: readonly Sentence[],
  kept: KeptReports,
): Promise<string> {
  try {
    const figured = withFigures(before, sentences);
    return withMarks(figured, await kept.marked(marksOf(figured)));
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new CodedError(FAILURE.ERR_FIGURES, `${document}: ${cause.message}`, { cause });
  }
}

const program = createProgram({
  name: 'figures',
  version: '0.1.0',
  description: 'Writes the figures of the documents from the kept reports (docs/*/*.json).',
})
  .option('--check', 'write nothing: fail where a document has another figure')
  .action(async ({ check }: { check?: true }) => {
    const differing: string[] = [];
    const kept = await KeptReports.of(GROUPS, join(ROOT, 'docs'));
    for (const document of globSync(['*.md', 'docs/*.md'], { cwd: ROOT }).sort()) {
      const before = await readText(document);
      const told = await Promise.all((SENTENCES.get(document) ?? []).map((some) => some()));
      const figured = await figuredBy(document, before, told.flat(), kept);
      if (figured === before) continue;
      differing.push(document);
      const options = await resolveConfig(join(ROOT, document));
      if (!check)
        await writeFile(join(ROOT, document), await format(figured, { ...options, parser: 'markdown' }));
    }
    if (check && differing.length > 0)
      throw new CodedError(
        FAILURE.ERR_FIGURES,
        `figures differ from the kept reports in ${differing.join(', ')}: npm run figures writes them`,
      );
    for (const document of differing) process.stdout.write(`written: ${document}\n`);
  });

await runCommand(program, process.argv);
