/** The study `transform`: a measurement of it, and what it makes of one. */
import { expect, it } from 'vitest';
import { transform } from '../../speed/transform.ts';
import { printed, recordsOf } from './printed.ts';

it('measures both contestants for each row', async () => {
  const records = await recordsOf(transform, { features: 8, components: 3, rows: 20, repetitions: 2 });
  expect(records.map(({ repetition }) => repetition)).toEqual([1, 2]);
  for (const { definition, batch, times } of records) {
    expect(batch).toBeGreaterThan(0);
    expect(times).toBe(Number(definition) / Number(batch));
  }
});

it('tells medians for each row', async () => {
  const records = [1, 2, 3].map((at) => ({
    ...{ features: 34, components: 15, repetition: at },
    ...{ definition: 0.01 * at, batch: 0.001 * at, times: 10 },
  }));
  const { text, facts, contradictions } = await printed(transform, records);
  expect(text).toContain('| 34 | 15 | 20.0 µs (15.0–25.0) | 2.00 µs (1.50–2.50) | 10.0× |');
  expect(facts.get('batch')).toMatchObject({ value: 0.002, text: '2.00 µs' });
  expect(contradictions).toEqual([]);
});
