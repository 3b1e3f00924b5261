/** `npm run figures`: writes what documents have from the kept reports. With `--check`, as `npm run lint` has it, it fails where they differ. */
import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createProgram, runCommand } from '@eigenveil/command';
import { CodedError, codes } from '@eigenveil/platform';
import { CLAIMS_PAGE, claimsPage } from '@eigenveil/studies/evaluation/claims/page';
import { readClaims } from '@eigenveil/studies/evaluation/claims/read';
import { EXPERIMENTS } from '@eigenveil/studies/evaluation/experiments';
import { EvaluationResult } from '@eigenveil/studies/evaluation/result';
import { GROUPS } from '@eigenveil/studies/groups';
import { KeptReports } from '@eigenveil/studies/instrument/kept';
import { marksOf, withMarks } from '@eigenveil/studies/instrument/marks';
import { format, resolveConfig } from 'prettier';
import { DOCUMENTS } from './documents.ts';
import { ROOT } from './rooms.ts';

const FAILURE = codes({ ERR_FIGURES: { title: 'Figures differ from the kept reports' } });
/** Tests, in which claims may be named. */
const TESTS = ['test', '{shared,services}/*/test', '{studies,testbed}/test'].map(
  (folder) => `${folder}/**/*.test.{ts,tsx}`,
);

const program = createProgram({
  name: 'figures',
  version: '0.1.0',
  description: `Writes the figures of the documents from the kept reports (docs/*/*.json), and ${CLAIMS_PAGE} from them, the documents, the experiments and the tests.`,
})
  .option('--check', 'write nothing: fail where a document has another figure')
  .action(async ({ check }: { check?: true }) => {
    const differing: string[] = [];
    const write = async (document: string, text: string) => {
      differing.push(document);
      if (!check) await writeFile(join(ROOT, document), text);
    };
    const kept = await KeptReports.of(GROUPS, join(ROOT, 'docs'));
    for (const document of globSync(DOCUMENTS, { cwd: ROOT }).sort()) {
      const before = await read(document);
      const figured = await figuredBy(document, before, kept);
      if (figured === before) continue;
      const options = await resolveConfig(join(ROOT, document));
      await write(document, await format(figured, { ...options, parser: 'markdown' }));
    }
    const claims = await claimsNow();
    if (claims !== (await read(CLAIMS_PAGE))) await write(CLAIMS_PAGE, claims);
    if (check && differing.length > 0)
      throw new CodedError(
        FAILURE.ERR_FIGURES,
        `figures differ from the kept reports in ${differing.join(', ')}: npm run figures writes them`,
      );
    for (const document of differing) process.stdout.write(`written: ${document}\n`);
  });

const read = (document: string): Promise<string> => readFile(join(ROOT, document), 'utf8');

/** @throws ERR_FIGURES for a mark that has no end, or that no kept report has */
async function figuredBy(document: string, before: string, kept: KeptReports): Promise<string> {
  try {
    return withMarks(before, await kept.marked(marksOf(before)));
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new CodedError(FAILURE.ERR_FIGURES, `${document}: ${cause.message}`, { cause });
  }
}

/** The page of claims, by the documents, experiments, tests and the kept evaluation as they are. */
async function claimsNow(): Promise<string> {
  const { experiments, run } = EvaluationResult.parse(JSON.parse(await read('docs/evaluation/report.json')));
  const paths = globSync(TESTS, { cwd: ROOT }).sort();
  return claimsPage({
    claims: await readClaims(),
    experiments: EXPERIMENTS,
    tests: new Map(await Promise.all(paths.map(async (path) => [path, await read(path)] as const))),
    kept: { experiments, day: run.finishedAt.slice(0, 10) },
  });
}

await runCommand(program, process.argv);
