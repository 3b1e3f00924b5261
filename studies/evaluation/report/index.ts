/** The report of a run: report.html and report.md for people, report.json for programs, and a table for the terminal. */
import { join } from 'node:path';
import { writePictures } from '../../instrument/report/apart.ts';
import type { Report, Section } from '../../instrument/report/document.ts';
import { escapeMarkdown } from '../../instrument/report/text.ts';
import { writeReport as writeFiles } from '../../instrument/report/write.ts';
import { ATTACKERS, SECRETS, type Secret } from '../experiment.ts';
import type { EvaluationResult, ExperimentResult } from '../result.ts';
import { claimsOf } from './claims.ts';
import { blocksOf } from './experiment-blocks.ts';
import { groupsOf } from './matrix.ts';
import { outcomeOf, overviewOf } from './overview.ts';
import { withoutPictures } from './pictures.ts';

export { terminalTable } from './terminal.ts';

/**
 * Writes the three files and their charts, each whole or not at all, and pictures of people apart from them.
 * @returns the path of the page
 * @throws ERR_REPORT when an experiment's own block cannot be drawn; then nothing is written
 */
export async function writeReport(folder: string, result: EvaluationResult): Promise<string> {
  const { shared, pictures } = withoutPictures(result);
  await writeFiles({ folder, report: evaluationReport(shared), data: shared });
  await writePictures(folder, pictures);
  return join(folder, 'report.html');
}

export function evaluationReport(result: EvaluationResult): Report {
  const { run } = result;
  const scenes = run.scenes.map(({ name }) => escapeMarkdown(name)).join(', ');
  return {
    title: 'Eigenveil: evaluation of security',
    introduction: [
      `Attackers and judges of Eigenveil, run on ${scenes}: a ${run.effort} run with seed ${escapeMarkdown(run.seed)}, finished ${run.finishedAt.slice(0, 16).replace('T', ' ')} UTC.`,
      outcomeOf(result)
        .map(
          (sentence, index) =>
            `- ${index === 0 ? `**${escapeMarkdown(sentence)}**` : escapeMarkdown(sentence)}`,
        )
        .join('\n'),
    ],
    sections: [
      ...overviewOf(result),
      ...SECRETS.flatMap((secret) => secretSection(result.experiments, secret)),
      ...notRun(result),
      claimsOf(result),
    ],
  };
}

/** By attacker, the worst first, then the controls. */
function secretSection(experiments: readonly ExperimentResult[], secret: Secret): Section[] {
  const ordered = [
    ...ATTACKERS.flatMap((attacker) => groupsOf(experiments, attacker, secret)).flatMap(
      (it) => it.experiments,
    ),
    ...experiments.filter((it) => it.secret === secret && it.expectation === 'control'),
  ];
  return ordered.length === 0 ? [] : [{ title: `Secret: ${secret}`, blocks: ordered.flatMap(blocksOf) }];
}

function notRun({ failures, missing }: EvaluationResult): Section[] {
  const lines = [
    ...failures.map(({ experiment, scene, why }) => `${experiment} on ${scene} failed: ${why}`),
    ...missing.map(
      ({ experiment, scene }) => `${experiment} on ${scene} did not run: the run was interrupted`,
    ),
  ];
  if (lines.length === 0) return [];
  const text = lines.map((it) => `- ${escapeMarkdown(it)}`).join('\n');
  return [{ title: 'What did not run', blocks: [{ kind: 'text', text }] }];
}
