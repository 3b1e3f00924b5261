/** Words that stand only where their facts were measured, and exponents of growth. */
import { expect, it } from 'vitest';
import { growth } from '../../instrument/figure.ts';
import { worded } from '../../instrument/words.ts';

const told = (text: string) => ({ value: undefined, text });
const words = (text: string) =>
  worded(text, {
    facts: new Map([
      ['speed.time', told('3 s')],
      ['bytes', told('–')],
    ]),
    ...{ tables: new Map(), charts: new Map(), holds: new Map(), isWhole: true },
  });

it('stand where all of their facts were measured, and give way where one was not', () => {
  const { introduction, contradictions } = words(
    '{{#measured "speed.time"}}It took {{speed.time}}.{{/measured}} {{#measured "speed.time" "bytes"}}It sent {{bytes}}.{{else}}Nobody counted.{{/measured}}',
  );
  expect(introduction).toEqual(['It took 3 s. Nobody counted.']);
  expect(contradictions).toEqual([]);
});

it('name facts that the study has', () => {
  expect(() => words('{{#measured "minutes"}}Long.{{/measured}}')).toThrow(/no fact "minutes"/);
});

it('tell an exponent of the medians, with an interval where three points leave one', () => {
  const at = (x: number) => [0.9, 1, 4].map((factor) => ({ x, y: factor * x ** 2 }));
  expect(growth('x', 'y', 10)([...[1, 10, 20, 40].flatMap(at), { x: 2, y: 1e6 }])).toMatchObject({
    value: expect.closeTo(2, 10),
    text: '2.00 (2.00 to 2.00)',
  });
  expect(growth('x', 'y')([...at(1), ...at(3)])).toEqual({ value: expect.closeTo(2, 10), text: '2.00' });
  expect(growth('x', 'y', 2)([...at(1), ...at(3)]).text).toBe('–');
});
