/** Which protocols compute which methods. */
import { describe, expect, it } from 'vitest';
import { programBy } from '../../src/programs/index.ts';

const HISTOGRAM = { method: { kind: 'histogram', height: 3, strategy: 'flat' } } as const;
const RIDGE = { method: { kind: 'ridge', ridge: 1 } } as const;
const SKETCH = { method: { kind: 'pca' }, sketch: { columns: 12 } } as const;
const PCA = { method: { kind: 'pca' } } as const;
const LDA = { method: { kind: 'lda', ridge: 1 } } as const;

describe('a method that a protocol does not compute is refused, with the protocols that do', () => {
  it.each([
    ['rotated', RIDGE, 'expected garbled for ridge'],
    ['garbled', SKETCH, 'expected rotated for sketch'],
    ['linear', PCA, 'expected garbled or rotated for pca'],
    ['linear', LDA, 'expected garbled or rotated for lda'],
    ['garbled', HISTOGRAM, 'expected linear for histogram'],
    ['rotated', HISTOGRAM, 'expected linear for histogram'],
  ] as const)('%s: %o', (twoParty, task, message) => {
    expect(() => programBy(twoParty, task)).toThrow(
      expect.objectContaining({
        code: 'ERR_PROGRAM_INVALID',
        message: expect.stringContaining(message),
      }),
    );
  });
});

it.each([
  ['garbled', RIDGE],
  ['rotated', SKETCH],
  ['garbled', PCA],
  ['rotated', LDA],
  ['linear', HISTOGRAM],
] as const)('%s computes %o', (twoParty, task) => {
  expect(programBy(twoParty, task)).toBeDefined();
});
