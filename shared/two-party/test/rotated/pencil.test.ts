/** Pencils by `rotated` with a trusted dealer for the products: results of every method, against the reference. */

import { generator } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { labelledDataset } from './datasets.ts';
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

describe('few and many fraction bits', () => {
  const { rows, labellings } = labelled(40, 5, 3);
  const privacy = { classes: 3, labels: rows.map((_, i) => (i >> 2) % 3) };

  it.each([1, 6, 20])('of %i are no less exact', async (fractionBits) => {
    const size = { rows, components: 2, fractionBits };
    await check({ ...size, labellings, method: dca(1e-3) });
    await check({ ...size, labellings: [...labellings, privacy], method: mdr(1e-3) });
  });
});

describe('a pencil of a data set', () => {
  it.each([
    ['iris', 3, lda(0.01), 1e-10],
    ['pima', 2, dca(0.01), 1e-10],
    ['breast_cancer', 2, dca(0.01), 1e-9],
    ['ionosphere', 2, dca(1), 1e-8],
    ['ionosphere', 2, dca(0.01), 1e-7],
  ] as const)('%s of %i classes, %o', async (name, classes, method, limit) => {
    const { rows, labels } = labelledDataset(name);
    const labellings = [{ classes, labels }];
    const size = { maximumOwners: 16, maximumSamplesPerOwner: 1024 };
    await check({ rows, labellings, components: classes - 1, method, ...size }, limit);
  });

  it('pima, MDR with the age at thirty for the label of privacy', async () => {
    const { rows, labels } = labelledDataset('pima');
    const age = rows.map((row) => row.at(-1)!);
    // From 21 to 81.
    const privacy = { classes: 2, labels: age.map((value) => (value < -0.7 ? 0 : 1)) };
    await check({
      rows: rows.map((row) => row.slice(0, -1)),
      labellings: [{ classes: 2, labels }, privacy],
      ...{ components: 1, method: mdr(0.01), maximumOwners: 16, maximumSamplesPerOwner: 1024 },
    });
  });

  it('may have classes without rows, and a hundred of them', async () => {
    const { rows, labels } = labelledDataset('iris');
    const labellings = [{ classes: 100, labels: labels.map((k) => 7 + 40 * k) }];
    await check({ rows, labellings, components: 2, method: dca(0.1) });
  });
});

describe('random pencils', () => {
  it('of conditions up to 10^6 are right to what the noise leaves', async () => {
    const next = generator(77);
    for (const ratio of [1, 0.1, 0.001]) {
      const d = 6;
      const labels = Array.from({ length: 120 }, (_, i) => i % 4);
      const means = labels.slice(0, 4).map(() => Array.from({ length: d }, () => next() - 0.5));
      const rows = labels.map((k) =>
        means[k]!.map((mean, j) => (0.4 * mean + (next() - 0.5)) * ratio ** (j / (d - 1))),
      );
      const setting = pencilSetting({
        rows,
        labellings: [{ classes: 4, labels }],
        components: 3,
        method: dca(1e-6),
        fractionBits: 20,
        program: { allowFullRank: true },
      });
      const result = await resultOf(setting);
      const { spectrum } = result;
      const trace = spectrum!.reduce((sum, value) => sum + value, 0);
      const least = spectrum!.at(-1)! + 1e-6;
      const { eigenvalueError, sine } = distanceToPencil(setting, result);
      expect(spectrum![0]! / least).toBeGreaterThan(0.2 / ratio ** 2);
      expect(eigenvalueError).toBeLessThan(1e-12 + (8 * 2 ** -46 * trace) / least);
      // The reference itself has rounding of 2^−52 times the condition.
      expect(sine).toBeLessThan(1e-9 + (400 * 2 ** -46 * trace) / least);
    }
  });
});
