/** The suite `transform`: what it plans, a measurement of it, and reports of some and of no measurements. */
import { expect, it } from 'vitest';
import { transform } from '../../speed/suites/transform.ts';

it('measures both contestants for each row, and reports them', async () => {
  const { units } = await transform.plan('quick');
  expect(units.map(({ id }) => id)).toEqual(['transform/8-3', 'transform/34-15', 'transform/100-15']);
  const { parameters, id } = units[1]!;
  const result = await units[0]!.measure(() => {});
  for (const name of ['definition', 'batch'])
    expect(result.series[name]?.samples).toHaveLength(Number(parameters.repetitions));
  const measurement = { id, parameters, startedAt: '2026-01-01T00:00:00.000Z', seconds: 1, facts: {} };
  const series = {
    definition: { unit: 'ms' as const, samples: [0.01, 0.01] },
    batch: { unit: 'ms' as const, samples: [0.001, 0.001] },
  };
  const [section] = transform.report([{ ...measurement, series }]);
  expect(section?.blocks).toMatchObject([{ rows: [['34', '15', '10.0 µs', '1.00 µs', '10.0×']] }]);
  expect(transform.highlights([{ ...measurement, series }])).toEqual([
    'A row of 34 features is reduced to 15 components in 1.00 µs.',
  ]);
  expect([transform.report([]), transform.highlights([])]).toEqual([[], []]);
});
