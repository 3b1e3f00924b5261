/** Figures of docs/precision.md: how far rounding rows moves each method's result. */
import type { Sentence } from '@eigenveil/studies/instrument/report/written-figures';
import { z } from 'zod';
import { readJson } from './kept.ts';

/** The rows that `npm run bench:rounding -- --json` prints. */
const Rounding = z.object({
  rows: z.array(z.object({ dataset: z.string(), method: z.string(), angles: z.array(z.number()) })),
});

/** The methods as the document names them. */
const TOLD: Readonly<Record<string, string>> = { 'MDR, ρ = 1': 'MDR (by age), ρ = 1' };

export async function ofRounding(): Promise<Sentence[]> {
  const { rows } = Rounding.parse(await readJson('docs/rounding/report.json'));
  const sets = [...new Set(rows.map(({ dataset }) => dataset))];
  return [...Map.groupBy(rows, ({ method }) => method)].map(([method, measured]) => {
    const of = (dataset: string) => measured.find((one) => one.dataset === dataset)?.angles ?? [];
    const cells = sets.map((dataset) =>
      of(dataset)
        .map(() => '{}')
        .join('; '),
    );
    return {
      says: `| ${TOLD[method] ?? method} | ${cells.join(' | ')} |`,
      figures: sets.flatMap(of).map((angle) => angle.toExponential(0)),
    };
  });
}
