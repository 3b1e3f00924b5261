/** Figures of docs/privacy.md: what drafts forecast of the noise, and what is told of captured variance, beside what seeds show. */
import type { Sentence } from '@eigenveil/studies/instrument/report/written-figures';
import { z } from 'zod';
import { readJson } from './kept.ts';

const part = z.number();
const Pair = z.object({ forecast: z.number(), seen: z.number() });
/** The rows that `npm run forecast:privacy -- --json` prints. */
const Forecasts = z.object({
  forecasts: z.array(
    z.object({
      ...{ dataset: z.string(), features: z.int(), epsilon: z.number() },
      ...{ clipped: part, mean: z.number(), share: part, noise: Pair, rows: Pair },
    }),
  ),
  shares: z.array(
    z.object({
      ...{ dataset: z.string(), rows: z.int(), epsilon: z.number(), components: z.int() },
      ...{ truth: part, uncorrected: part, told: part, errorUncorrected: part, errorTold: part },
      ...{ reach: part, covered: part, answered: part },
    }),
  ),
});

const percent = (value: number): string => (100 * value).toFixed(1);
const whole = (value: number): string => `${Math.round(value)}`;

export async function ofPrivacy(): Promise<Sentence[]> {
  const { forecasts, shares } = Forecasts.parse(await readJson('docs/privacy-forecast/report.json'));
  return [
    ...forecasts.map(({ dataset, features, epsilon, clipped, mean, share, noise, rows }) => ({
      says: `| ${dataset} | ${features} | {} % | {} | ${epsilon} | {} | {} | {} % | {} | {} |`,
      figures: [
        ...[whole(100 * clipped), mean.toFixed(2), whole(noise.forecast), whole(noise.seen)],
        ...[whole(100 * share), `${rows.forecast}`, `${rows.seen}`],
      ],
    })),
    ...shares.map((one) => ({
      says: `| ${one.dataset} | ${one.rows} | ${one.epsilon} | ${one.components} | {} | {} | {} | {} | {} | {} | {} % | {} % |`,
      figures: [
        ...[one.truth, one.uncorrected, one.told, one.errorUncorrected, one.errorTold, one.reach].map(
          percent,
        ),
        ...[one.covered, one.answered].map((value) => whole(100 * value)),
      ],
    })),
  ];
}
