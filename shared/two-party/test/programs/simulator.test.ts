/**
 * The evaluator's view follows from its output alone: a simulator that has nothing else makes a view in which the evaluator computes
 * just that output, and which looks like a real one. (Lindell, "How To Simulate It", 2017, section 4; Lindell and Pinkas, "A Proof of
 * Security of Yao's Protocol for Two-Party Computation", 2009.)
 *
 * @claims S-29
 */
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { GARBLING_MESSAGE } from '../../src/garbling/messages.ts';
import { plantSelectBits } from '../garbling/planted.ts';
import { garblerBits, outputBits, realView, simulatedView, type View } from '../support/garbled-simulator.ts';
import { messagesOf, telling, unevenness } from '../support/views.ts';
import { setting } from './data.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const ROWS = [
  [0.5, -0.25],
  [-0.75, 0.5],
  [0.25, 0.75],
  [-0.5, -0.5],
];

const given = setting(ROWS, 1);

/**
 * In standard deviations of their mean: χ² of bytes exceeds it once in 1e11 times, coins once in 5e16; a comparison of two views looks at twelve.
 */
const LARGEST = 8.5;
const carried = await garblerBits(given);

const seen = () => realView(given);
const bits = await outputBits(given);
let real: View;
let simulated: View;
beforeAll(async () => {
  real = await seen();
  simulated = await simulatedView(given, bits);
});

const shapeOf = ({ run }: View) =>
  messagesOf(run.fromGarbler).map(({ type, payload }) => `${type}: ${payload.length} bytes`);

const payloads = ({ run }: View, type: number) =>
  messagesOf(run.fromGarbler).flatMap((message) => (message.type === type ? [message.payload] : []));

/** How often the garbler's input labels have a select bit equal to the bit that they would carry for these shares. */
const selectBits = (view: View) =>
  telling(Buffer.concat(payloads(view, GARBLING_MESSAGE.inputLabels)), carried);

/** What tells two views apart, in words. */
function differences(one: View, other: View): string[] {
  const found: string[] = [];
  if (JSON.stringify(shapeOf(one)) !== JSON.stringify(shapeOf(other))) found.push('messages');
  for (const [name, type] of Object.entries(GARBLING_MESSAGE)) {
    if (name === 'hello' || name === 'blockHeader') continue; // numbers, compared as part of the shape below
    if ([one, other].some((view) => Math.abs(unevenness(payloads(view, type))) > LARGEST))
      found.push(`bytes of ${name}`);
  }
  const numbers = (view: View, type: number) => payloads(view, type).map((payload) => [...payload]);
  for (const type of [GARBLING_MESSAGE.hello, GARBLING_MESSAGE.blockHeader]) {
    if (JSON.stringify(numbers(one, type)) !== JSON.stringify(numbers(other, type))) found.push('numbers');
  }
  if ([one, other].some((view) => Math.abs(selectBits(view)) > LARGEST)) found.push('select bits');
  return found;
}

describe('a view simulated from the output alone', () => {
  it('gives the evaluator that output and differs in nothing from a real one', () => {
    expect(real.output).toBeDefined();
    expect(simulated.output).toEqual(real.output);
    expect(differences(simulated, real)).toEqual([]);
  });

  it('gives whatever output is wanted', { tags: ['long'] }, async () => {
    const wanted = bits.map((own) => own.slice());
    wanted.at(-1)![0]! ^= 1;
    const { output } = await simulatedView(given, wanted);
    expect(output).not.toEqual(real.output);
  });

  it('differs from a real one in which select bits tell values', async () => {
    plantSelectBits();
    expect(differences(simulated, await seen())).toContain('select bits');
  });
});
