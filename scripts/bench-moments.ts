/** `npm run bench:moments`: how close released correlations are, as docs/moments.md has it. */
import { measureEach } from '@eigenveil/studies/instrument/cases';
import { type Closeness, closenessOf, type MomentsCase, NORMS } from '@eigenveil/studies/speed/moments';
import { benchmark, printJson, wholeNumbers } from './options.ts';

const { json, times } = benchmark({
  name: 'bench:moments',
  description: 'Measures the intervals of correlations under differential privacy, and what clipping moves.',
  explanation:
    "Rows of pima and breast_cancer, each counted several times, in the ranges of their columns; δ = 10^−6, ten owners, five draws of both servers' noise.",
  example: '--times 20',
})
  .option('--times <LIST>', 'how often each row counts', wholeNumbers, [1, 5, 20, 100])
  .parse()
  .opts<{ json?: true; times: number[] }>();

const cases: readonly MomentsCase[] = ['pima', 'breast_cancer'].flatMap((set) =>
  times.flatMap((often) =>
    (Object.keys(NORMS) as (keyof typeof NORMS)[]).flatMap((norm) =>
      [1, 3].map((epsilon) => ({ set, times: often, norm, epsilon })),
    ),
  ),
);
const measured: readonly (MomentsCase & Closeness)[] = await measureEach(
  cases,
  ({ set, times, norm, epsilon }) => `${set} × ${times}, C = ${norm}, ε = ${epsilon}`,
  async (own) => {
    const closeness = await closenessOf(own);
    return closeness === undefined ? [] : [{ ...own, ...closeness }];
  },
);
if (json) await printJson({ rows: measured });
else
  process.stdout.write(
    `${[
      ['data', 'rows', 'C', 'ε', 'half-width', 'moved by clipping'],
      ['---', '--:', '---', '--:', '--:', '--:'],
      ...measured.map(({ set, rows, norm, epsilon, halfWidth, moved }) => [
        ...[set, rows.toLocaleString('en-US'), norm, String(epsilon)],
        ...[halfWidth?.toFixed(3) ?? 'not told', moved.toFixed(3)],
      ]),
    ]
      .map((cells) => `| ${cells.join(' | ')} |`)
      .join('\n')}\n`,
  );
