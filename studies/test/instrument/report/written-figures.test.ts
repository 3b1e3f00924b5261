/** Figures of a document are those of a report, or the difference is told. */
import { expect, test } from 'vitest';
import { withFigures, withPlaces } from '../../../instrument/report/written-figures.ts';

const PAGE =
  'A PCA takes 16 s by `garbled` and 1.8\ns by `rotated` (why?).\nOf 41 experiments all\nhold; of others 2.\n| PCA | 1e-5;  4e-7 |\n';

test('a figure is written in its place, with its unit, and nothing else is touched', () => {
  const sentences = [
    { says: 'takes {} by `garbled` and {} by `rotated` (why?)', figures: ['31.4 s', '1.55 s'] },
    { says: 'Of {} experiments all hold; of others {}', figures: ['1,042', '0.5'] },
    { says: '| PCA | {}; {} |', figures: ['7e-6', '3e-7'] },
  ];
  const written =
    'A PCA takes 31.4 s by `garbled` and 1.55 s by `rotated` (why?).\nOf 1,042 experiments all\nhold; of others 0.5.\n| PCA | 7e-6;  3e-7 |\n';
  expect(withFigures(PAGE, sentences)).toBe(written);
  expect(withFigures(written, sentences)).toBe(written);
});

test('days and commits are figures, too', () => {
  const says = 'run of {} at {} took {}';
  const page = 'A run of 2026-11-21 at 91210de8 took 12 s.';
  const figures = ['2026-11-27', '3feb677e', '1.5 s'];
  expect(withFigures(page, [{ says, figures }])).toBe('A run of 2026-11-27 at 3feb677e took 1.5 s.');
});

test('all figures of a text have places', () => {
  const text = '404–546 MB | 2e-9, 8 | none seen | **1,954**';
  const figures = ['404', '546 MB', '2e-9', '8', '1,954'];
  const says = '{}–{} | {}, {} | none seen | **{}**';
  expect(withPlaces(text)).toEqual({ says, figures });
  const stale = '1–2 MB | 3, 4 | none seen | **5**';
  expect(withFigures(stale, [withPlaces(text)])).toBe(text);
});

test.each([
  ['a sentence that is not there', 'takes {} by `simulated`', ['1 s']],
  ['one that stands there twice', '{} ', ['1 s']],
  ['a place without a figure', 'takes {} by `garbled` and {} by', ['1 s']],
  ['a figure that is no number', 'takes {} by `garbled`', ['NaN']],
])('%s is an error', (_, says, figures) => {
  expect(() => withFigures(PAGE, [{ says, figures }])).toThrow(RangeError);
});
