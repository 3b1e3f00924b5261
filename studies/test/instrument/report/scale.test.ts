/** Scales and figures of charts: where values lie, which labels they get, and what is refused. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Axis } from '../../../instrument/report/document.ts';
import { figure } from '../../../instrument/report/figures.ts';
import { type Scale, type ScaleOptions, scaleOf } from '../../../instrument/report/scale.ts';

const logarithmic: Axis = { title: 'Time', scale: 'log' };
const linear: Axis = { title: 'Accuracy', scale: 'linear' };

function scale(axis: Axis, values: readonly number[], options: Partial<ScaleOptions> = {}): Scale {
  return scaleOf(axis, values, [], { chart: 'some', labels: 6, ...options });
}

const labels = ({ ticks }: Scale): readonly string[] => ticks.map(({ label }) => label);

describe('figures', () => {
  test.each([
    [0.00052, 'ms', 3, '520\u00a0ns'],
    [0.25, 'ms', 3, '250\u00a0µs'],
    [12.345, 'ms', 3, '12.3\u00a0ms'],
    [999.96, 'ms', 3, '1\u00a0s'],
    [123456, 'ms', 4, '123.5\u00a0s'],
    [0, 'ms', 3, '0'],
    [999, 'bytes', 3, '999\u00a0B'],
    [999_999, 'bytes', 3, '1\u00a0MB'],
    [1.5e9, 'bytes', 3, '1.5\u00a0GB'],
    [4096, undefined, 6, '4,096'],
    [-2.5, undefined, 3, '−2.5'],
    [1e6, undefined, 3, '10⁶'],
    [2.5e-7, undefined, 3, '2.5·10⁻⁷'],
  ] as const)('%s %s', (value, unit, digits, text) => {
    expect(figure(value, unit, digits)).toBe(text);
  });

  test('take one prefix where they stand together', () => {
    expect([0, 500, 1000].map((value) => figure(value, 'ms', 3, 1000))).toEqual([
      '0\u00a0s',
      '0.5\u00a0s',
      '1\u00a0s',
    ]);
  });
});

test('an axis reaches as far as it is told, and further where values do', () => {
  const shares = { ...linear, upTo: 100 };
  expect(labels(scale(shares, [0.3, 4], { foot: true }))).toEqual(['0', '20', '40', '60', '80', '100']);
  expect(scale(shares, [120], { foot: true }).position(100)).toBeLessThan(1);
});

describe('logarithmic scales', () => {
  test('label powers of ten over many decades', () => {
    expect(labels(scale({ ...logarithmic, unit: 'ms' }, [0.02, 3, 400]))).toEqual([
      '100\u00a0µs',
      '1\u00a0ms',
      '10\u00a0ms',
      '100\u00a0ms',
    ]);
  });

  test('label 1, 2 and 5 over few', () => {
    expect(labels(scale(logarithmic, [12, 90]))).toEqual(['20', '50', '100']);
    expect(labels(scale(logarithmic, [9, 110]))).toEqual(['10', '20', '50', '100']);
  });

  test('label even steps within less than one', () => {
    expect(labels(scale(logarithmic, [70, 85]))).toEqual(['70', '80', '90']);
  });

  test('start bars clearly below the least', () => {
    expect(scale(logarithmic, [10, 500], { foot: true }).position(1)).toBe(0);
    expect(scale(logarithmic, [90, 500], { foot: true }).position(10)).toBe(0);
  });

  test.each([0, -1])('refuse %s', (value) => {
    expect(() => scale(logarithmic, [1, value])).toThrow(
      expect.objectContaining({
        code: 'ERR_REPORT',
        message: `chart "some", axis "Time": expected values above 0 for a logarithmic axis, got ${value}`,
      }),
    );
  });

  test('draw a whisker that reaches zero down to the foot', () => {
    const it = scaleOf(logarithmic, [5, 50], [0], { chart: 'some', labels: 6 });
    expect(it.reaches(0)).toBe(false);
    expect(it.clamped(0)).toBe(0);
    expect(it.clamped(5)).toBe(it.position(5));
  });
});

describe('linear scales', () => {
  test('begin at zero unless it is far', () => {
    expect(labels(scale(linear, [3, 9]))).toEqual(['0', '2', '4', '6', '8', '10']);
    expect(labels(scale(linear, [91, 99]))).toEqual(['90', '92', '94', '96', '98', '100']);
    expect(scale(linear, [91, 99], { foot: true }).position(0)).toBe(0);
  });

  test('have no dust in their labels', () => {
    expect(labels(scale(linear, [0, 0.6], { labels: 7 }))).toEqual([
      '0',
      '0.1',
      '0.2',
      '0.3',
      '0.4',
      '0.5',
      '0.6',
    ]);
  });
});

test('categories lie evenly, in the order of their values', () => {
  const it = scale({ title: 'Features', scale: 'category' }, [50, 10, 34, 10]);
  expect(labels(it)).toEqual(['10', '34', '50']);
  expect([10, 34, 50].map((value) => it.position(value))).toEqual([1 / 6, 3 / 6, 5 / 6]);
});

test('the values themselves are the labels where they have room, and as many as have', () => {
  const bits = [512, 1024, 2048, 3072, 4096];
  expect(labels(scale(logarithmic, bits, { preferred: bits }))).toEqual([
    '512',
    '1,024',
    '2,048',
    '3,072',
    '4,096',
  ]);
  const apart: ScaleOptions['fits'] = (ticks) =>
    ticks.every(({ position }, index) => index === 0 || position - ticks[index - 1]!.position > 0.2);
  expect(labels(scale(logarithmic, bits, { preferred: bits, fits: apart }))).toEqual([
    '512',
    '1,024',
    '2,048',
    '4,096',
  ]);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])('%s is refused', (value) => {
  expect(() => scale(linear, [1, value])).toThrow('expected finite values');
});

test('a scale without a value is refused', () => {
  expect(() => scale(linear, [])).toThrow('expected at least one value, got none');
});

test('every value lies within its scale, and every label too', () => {
  const magnitude = fc.tuple(fc.integer({ min: 100, max: 999 }), fc.integer({ min: -9, max: 15 }));
  const value = magnitude.map(([mantissa, exponent]) => mantissa * 10 ** (exponent - 2));
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 1, maxLength: 12 }),
      fc.constantFrom(linear, logarithmic),
      fc.boolean(),
      fc.integer({ min: 2, max: 12 }),
      (values, axis, foot, most) => {
        const it = scale(axis, values, { foot, labels: most });
        const positions = [...values.map((v) => it.position(v)), ...it.ticks.map(({ position }) => position)];
        for (const position of positions) {
          expect(position).toBeGreaterThanOrEqual(-1e-6);
          expect(position).toBeLessThanOrEqual(1 + 1e-6);
        }
        expect(it.ticks.length).toBeGreaterThanOrEqual(1);
        expect(it.ticks.length).toBeLessThanOrEqual(2 * most + 2);
        expect(new Set(labels(it)).size).toBe(it.ticks.length);
      },
    ),
  );
});
