/** Blinding that is drawn too narrow is found, by however few bits and in however few slots. */
import { drawBlinding, makePacking } from '@eigenveil/paillier';
import { layout } from '@eigenveil/statistics';
import { Task, valueBitsOf } from '@eigenveil/task';
import { expect, test } from 'vitest';
import { Draws } from '../../../evaluation/draws.ts';
import { bundledScene } from '../../../evaluation/scenes/bundled.ts';
import { missingBits, shortfall, widthsOf } from '../../../evaluation/views/widths.ts';

const scene = await bundledScene('pima', 'widths');
const task = Task.parse({
  ...{ ...scene.proposal, protocol: 'eigenveil/1', id: 't'.repeat(22) },
  ...{ csp: 'c'.repeat(43), dataUser: 'd'.repeat(43) },
});
const { source } = new Draws('widths').of('blinding');

const drawnWith = (statisticalSecurityBits: number) => {
  const plaintextBits = task.keyBits - 1;
  const packing = makePacking({ valueBits: valueBitsOf(task), statisticalSecurityBits, plaintextBits });
  return [...drawBlinding(packing, source)];
};
const outcomeOf = (blinding: readonly bigint[]) => shortfall(missingBits(task, blinding), 1);

test('what the protocol draws is as wide as it must be', () => {
  expect(widthsOf(task)).toEqual(layout(task).blindingBits);
  expect(outcomeOf([...drawBlinding(layout(task), source)]).p).toBeGreaterThan(0.001);
});

test.each([10, 39])('σ = %d in place of 40 is found', (bits) => {
  expect(task.statisticalSecurityBits).toBe(40);
  const { p, facts } = outcomeOf(drawnWith(bits));
  expect(p).toBeLessThan(1e-6);
  expect(facts!['bits that all of them lack']).toBeGreaterThanOrEqual(40 - bits);
});

test('one narrow slot among wide ones is found', () => {
  const blinding = drawnWith(40);
  blinding[3] = drawnWith(10)[3]!;
  expect(outcomeOf(blinding).p).toBeLessThan(1e-5);
});
