/** The rows that a scatter plot shows, and their labels: few enough to be distinguished. */
import { seriesCount } from '../instrument/report/theme.ts';

/** The most points of a plot: more would make the page heavy and show no more. */
const MOST_POINTS = 600;

/** A series per label, the most frequent first, of one row of `step`. */
export function chosenSeries<Row extends { readonly label: string }>(
  rows: readonly Row[],
): { series: { label: string; members: Row[] }[]; step: number } {
  const step = Math.ceil(rows.length / MOST_POINTS);
  const chosen = rows.filter((_, i) => i % step === 0);
  const groups = Map.groupBy(chosen, ({ label }) => label || 'no label');
  const sorted = [...groups].sort(([, a], [, b]) => b.length - a.length);
  const own = sorted.length <= seriesCount ? sorted : sorted.slice(0, seriesCount - 1);
  const rest = sorted.slice(own.length).flatMap(([, members]) => members);
  const series = own.map(([label, members]) => ({ label, members }));
  if (rest.length > 0) series.push({ label: `${sorted.length - own.length} other labels`, members: rest });
  return { series, step };
}
