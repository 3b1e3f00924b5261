/** Figures of docs/evaluation.md. */
import { EvaluationResult } from '@eigenveil/studies/evaluation/result';
import type { Sentence } from '@eigenveil/studies/instrument/report/written-figures';
import { readJson } from './kept.ts';

export async function ofEvaluation(): Promise<Sentence[]> {
  const { experiments, claims, controls, run } = EvaluationResult.parse(
    await readJson('docs/evaluation/report.json'),
  );
  const of = (expectation: string, verdict?: string) =>
    `${experiments.filter((it) => it.expectation === expectation && (verdict === undefined || it.verdict === verdict)).length}`;
  const claimed = (verdict: string) => `${claims.filter((it) => it.verdict === verdict).length}`;
  const cases = experiments.reduce((sum, it) => sum + it.cases.length, 0);
  return [
    {
      says: 'with seed {}: {} experiments, {} cases, which took {} minutes together',
      figures: [run.seed, `${experiments.length}`, `${cases}`, (run.seconds / 60).toFixed(0)],
    },
    {
      says: '{} of {} experiments on promises hold, {} are broken',
      figures: [of('holds', 'holds'), of('holds'), of('holds', 'broken')],
    },
    {
      says: '{} of {} positive controls were found',
      figures: [`${controls.filter(({ found }) => found).length}`, `${controls.length}`],
    },
    {
      says: 'Of {} admitted leaks, {} are larger than the margin. {} could not be decided with this number of units, and {} did not show',
      figures: [
        of('admitted'),
        of('admitted', 'broken'),
        of('admitted', 'undecided'),
        of('admitted', 'holds'),
      ],
    },
    {
      says: 'Of {} claims, {} were attacked and hold, {} are admitted leaks that were measured, and **{} have no experiment**',
      figures: [`${claims.length}`, claimed('holds'), claimed('measured'), claimed('not covered')],
    },
  ];
}
