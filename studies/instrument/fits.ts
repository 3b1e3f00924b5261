/** Power laws as lines of a chart. */
import type { Line } from './report/document.ts';
import { fitPowerLaw } from './statistics.ts';

/** Two points fit any law. */
const LEAST_POINTS = 3;

/** Each line, and the law fitted to its points from `from` on where they are enough. */
export function withFits(lines: readonly Line[], from = 0): Line[] {
  const fits = lines.flatMap((line): Line[] => {
    const points = line.points.filter(({ x }) => x >= from);
    if (points.length < LEAST_POINTS) return [];
    const { exponent, factor } = fitPowerLaw(points);
    const ends = [points[0]!.x, points.at(-1)!.x].map((x) => ({ x, y: factor * x ** exponent }));
    const name = `${line.name}, x^${exponent.toFixed(2)}`;
    return [{ name, points: ends, style: 'dashed', of: line.name }];
  });
  return [...lines, ...fits];
}
