/** `npm run figures`: writes the figures of the documents from the kept reports. With `--check`, as `npm run lint` has it, it fails where they differ. */
import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createProgram, runCommand } from '@eigenveil/command';
import { CodedError, codes } from '@eigenveil/platform';
import { GROUPS } from '@eigenveil/studies/groups';
import { KeptReports } from '@eigenveil/studies/instrument/kept';
import { marksOf, withMarks } from '@eigenveil/studies/instrument/marks';
import { format, resolveConfig } from 'prettier';
import { DOCUMENTS } from './documents.ts';
import { ROOT } from './rooms.ts';

const FAILURE = codes({ ERR_FIGURES: { title: 'Figures differ from the kept reports' } });

const program = createProgram({
  name: 'figures',
  version: '0.1.0',
  description: 'Writes the figures of the documents from the kept reports (docs/*/*.json).',
})
  .option('--check', 'write nothing: fail where a document has another figure')
  .action(async ({ check }: { check?: true }) => {
    const differing: string[] = [];
    const kept = await KeptReports.of(GROUPS, join(ROOT, 'docs'));
    for (const document of globSync(DOCUMENTS, { cwd: ROOT }).sort()) {
      const file = join(ROOT, document);
      const before = await readFile(file, 'utf8');
      const figured = await figuredBy(document, before, kept);
      if (figured === before) continue;
      differing.push(document);
      const options = await resolveConfig(file);
      if (!check) await writeFile(file, await format(figured, { ...options, parser: 'markdown' }));
    }
    if (check && differing.length > 0)
      throw new CodedError(
        FAILURE.ERR_FIGURES,
        `figures differ from the kept reports in ${differing.join(', ')}: npm run figures writes them`,
      );
    for (const document of differing) process.stdout.write(`written: ${document}\n`);
  });

/** @throws ERR_FIGURES for a mark that has no end, or that no kept report has */
async function figuredBy(document: string, before: string, kept: KeptReports): Promise<string> {
  try {
    return withMarks(before, await kept.marked(marksOf(before)));
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new CodedError(FAILURE.ERR_FIGURES, `${document}: ${cause.message}`, { cause });
  }
}

await runCommand(program, process.argv);
