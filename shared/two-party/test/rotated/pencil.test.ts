/** Pencils by `rotated` with a trusted dealer for the products: results of every method, against the reference. */
import { describe, expect, it } from 'vitest';
import {
  dca,
  distanceToPencil,
  type GivenPencil,
  labelled,
  lda,
  mdr,
  pencilSetting,
  resultOf,
} from './pencils.ts';

async function check(given: GivenPencil, limit = 1e-9) {
  const setting = pencilSetting(given);
  const result = await resultOf(setting);
  const distance = distanceToPencil(setting, result);
  expect(distance.eigenvalueError).toBeLessThan(1e-11);
  expect(distance.sine).toBeLessThan(limit);
}

describe('a pencil', () => {
  it.each([
    ['DCA, two classes', { ...labelled(60, 5, 2), components: 1, method: dca(0.1) }],
    ['DCA, four classes', { ...labelled(80, 6, 4), components: 3, method: dca(0.01) }],
    ['LDA', { ...labelled(80, 6, 3), components: 2, method: lda(0.05) }],
    ['DCA with a ridge on the signal', { ...labelled(60, 5, 3), components: 3, method: dca(0.2, 0.1) }],
    ["the book's form", { ...labelled(60, 5, 3), components: 2, method: dca(0.2, 0, 'book') }],
    ["the book's form with a ridge", { ...labelled(60, 5, 3), components: 3, method: dca(0.2, 0.3, 'book') }],
    ['more classes than features', { ...labelled(90, 4, 9), components: 2, method: dca(0.1) }],
  ] as const)('of %s is that of the reference', async (_, given) => {
    await check(given);
  });

  it('of MDR is that of the reference', async () => {
    const { rows, labellings } = labelled(80, 6, 3);
    const privacy = { classes: 4, labels: rows.map((_, i) => (i * 7 + (i >> 2)) % 4) };
    await check({
      rows,
      labellings: [...labellings, privacy],
      components: 2,
      method: mdr(0.1),
    });
  });
});
