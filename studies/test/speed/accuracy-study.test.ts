/** What the study of accuracy makes of scores. */
import { describe, expect, it } from 'vitest';
import { momentsOf } from '../../instrument/statistics.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { accuracy } from '../../speed/accuracy.ts';
import { planOf, printed } from './printed.ts';

function measured(
  dataset: string,
  split: number,
  scores: readonly [none: number, clear: number, encrypted: number],
): Tidy[] {
  const one = { dataset, method: 'dca', split };
  return [
    { ...one, trainRows: 70, unconverged: 2 },
    { ...one, arm: 'none', f1: scores[0] },
    { ...one, arm: 'encrypted', k: 1, f1: scores[2], angle: 1e-5 * split, sameParameters: 'no' },
    { ...one, arm: 'clear', k: 1, f1: scores[1] },
  ];
}
const german = [
  ...measured('german', 1, [70, 72, 71]),
  ...measured('german', 2, [71, 73, 73]),
  ...measured('german', 3, [72, 74, 75]),
];
const alike = (dataset: string, scores: readonly number[]) =>
  scores.flatMap((score, i) => measured(dataset, i + 1, [90, score, score]));
const met = alike('german', [71, 73, 75]);
const another = alike('synthetic50', [90, 91, 92]);

it('moments have the deviation of a sample', () => {
  expect(momentsOf([71, 73, 75])).toEqual({ mean: 73, deviation: 2 });
  expect(momentsOf([5])).toEqual({ mean: 5, deviation: undefined });
  expect(momentsOf([])).toBeUndefined();
});

describe('the study of accuracy', () => {
  it('stands beside the published scores, in standard deviations', async () => {
    const { text, facts } = await printed(accuracy, german, 'quick');
    // (73 − 72.7) / 2 is a little below 0.15 in doubles.
    expect(text).toContain(
      '| german | DCA | 1 | 3 | 73.0 ± 2.0 | 73.0 ± 1.0 | 71.0 ± 1.0 | 0.67 | 1.00 | 72.7 | 73.8 | +0.1 sd |',
    );
    expect(text).toContain('| german | DCA | 1 | 73.0 ± 2.0 | 73.0 ± 1.0 | 0.67 | 3e-5 | 3 of 3 |');
    expect(['pairs', 'equal', 'difference', 'unconverged'].map((name) => facts.get(name)!.text)).toEqual([
      ...['3', '1', '0.67', '6'],
    ]);
  });

  it('draws each arm with whiskers', async () => {
    const { sections } = await printed(accuracy, [...german, ...another], 'quick');
    const charts = sections.flatMap(({ blocks }) => blocks.filter((block) => block.kind === 'chart'));
    expect(charts.map(({ name }) => name)).toEqual(['accuracy-german', 'accuracy-synthetic50']);
    const [drawing] = charts.map((chart) => chart.drawing);
    if (drawing?.kind !== 'lines') throw new Error('lines expected');
    expect(drawing.lines.map(({ name }) => name)).toEqual(['DCA, encrypted', 'DCA, clear', 'no projection']);
    expect(drawing.lines[0]!.points).toEqual([{ x: 1, y: 73, low: 71, high: 75 }]);
  });

  it('concludes that both projections agree and that published scores are met, where it is so', async () => {
    const { contradictions, facts } = await printed(accuracy, [...met, ...another]);
    expect(contradictions).toEqual([]);
    expect([facts.get('published')!.text, facts.get('met')!.text]).toEqual(['2', '1']);
    const apart = await printed(accuracy, [...german, ...another]);
    expect(apart.contradictions).toEqual([expect.stringContaining('at most 0.3 points')]);
    const far = await printed(accuracy, [...alike('german', [80, 81, 82]), ...another]);
    expect(far.contradictions).toEqual([expect.stringContaining('data sets that could be had')]);
    const near = await printed(accuracy, [...met, ...alike('synthetic50', [66, 68, 70])]);
    expect(near.contradictions).toEqual([expect.stringContaining('SensIT')]);
  });

  it('does with one split, which has no deviation', async () => {
    const { text } = await printed(accuracy, german.slice(0, 4), 'quick');
    expect(text).toContain('| german | DCA | 1 | 1 | 71.0 | 72.0 | 70.0 | 1.00 | 1.00 | 72.7 | 73.8 | – |');
  });

  it('has quick runs on bundled data alone', async () => {
    const { cases, omissions } = await planOf(accuracy, 'quick');
    expect(omissions).toEqual([]);
    expect(new Set(cases.map(({ dataset }) => dataset))).toEqual(new Set(['pima', 'iris']));
  });
});
