/** Faces, on made-up pictures of two by two pixels. */
import { expect, it } from 'vitest';
import {
  correlation,
  facesPicture,
  recognised,
  recognitionChart,
} from '../../../../evaluation/attacks/reduced-rows/faces.ts';
import type { SceneRow } from '../../../../evaluation/scene.ts';
import { madeUpScene } from './made-up.ts';

const scene = madeUpScene(20, (draws) => ({
  values: Array.from({ length: 4 }, draws.uniform),
  labels: {},
}));
const face = (person: string, values: readonly number[]): SceneRow => ({ values, labels: {}, person });
const people = [
  [face('a', [1, -1, -1, -1]), face('a', [1, -0.5, -1, -1])],
  [face('b', [-1, 1, -1, -1]), face('b', [-1, 1, -0.5, -1]), face('b', [-1, 0.5, -1, -1])],
];

it('a matcher tells people by what comes back, without the photographs that it has', () => {
  const whole = people.flat().map(({ values }) => values);
  const told = recognised(scene, people, whole);
  expect(told.matched).toBe(1);
  expect(told.correlation).toBeCloseTo(1, 3);
  // One of three comes back as somebody else.
  const mixed = [whole[0]!, whole[2]!, whole[2]!, whole[3]!, whole[4]!];
  expect(recognised(scene, people, mixed).matched).toBeCloseTo(2 / 3, 12);
});

it('correlates as Pearson did', () => {
  expect(correlation([1, 2, 3], [10, 20, 30])).toBeCloseTo(1, 12);
  expect(correlation([1, 2, 3], [3, 2, 1])).toBeCloseTo(-1, 12);
  expect(correlation([1, 2, 3, 4], [1, -1, -1, 1])).toBe(0);
  expect(correlation([1, 2], [5, 5])).toBe(0);
});

it('a picture has a person in a row: the face, and beside it what attacks make of it', () => {
  const black = people.flat().map(() => [-1, -1, -1, -1]);
  const { width, height, pixels, caption } = facesPicture('faces', scene, people, [
    { title: 'nothing', estimates: black },
  ]);
  expect([width, height]).toEqual([5, 5]);
  expect(caption).toContain('nothing');
  const rows = Array.from({ length: height }, (_, y) => pixels.slice(y * width, (y + 1) * width));
  expect(rows).toEqual([
    [255, 0, 0, 0, 0],
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0],
    [0, 255, 0, 0, 0],
    [0, 0, 0, 0, 0],
  ]);
});

it('the chart has both figures by components, between what faces and chance give', () => {
  const chart = recognitionChart(
    'faces',
    [
      { components: 1, matched: 0.2, correlation: 0.5 },
      { components: 9, matched: 0.8, correlation: 0.9 },
    ],
    { originals: 0.95, chance: 0.1 },
  );
  if (chart.drawing.kind !== 'lines') throw new Error('expected lines');
  expect(chart.drawing.lines.map(({ points }) => points.flatMap(({ x, y }) => [x, y]))).toEqual([
    [1, 0.2, 9, 0.8],
    [1, 0.5, 9, 0.9],
    [1, 0.95, 9, 0.95],
    [1, 0.1, 9, 0.1],
  ]);
});
