import { expect, test } from 'vitest';
import type { Block } from '../../src/oblivious-transfer/index.ts';
import { returnScratch, takeScratch } from '../../src/products/kernels.ts';
import { checkSize } from '../../src/products/layout.ts';
import { Workspace } from '../../src/products/workspace.ts';
import { randomCase, session } from './parties.ts';

const BYTES = 100_000;

test('memory that a product has left is the next one’s, wiped', () => {
  const scratch = takeScratch(BYTES, 3);
  scratch.memory.fill(0xa5, 0, BYTES);
  returnScratch(scratch, BYTES);
  const next = takeScratch(BYTES / 2, 3);
  expect(next).toBe(scratch);
  expect(next.memory.every((byte) => byte === 0)).toBe(true);
  returnScratch(next, BYTES / 2);
});

test('two products at once have memory of their own, and so have digits of another length', () => {
  const scratches = [takeScratch(BYTES, 3), takeScratch(BYTES, 3), takeScratch(BYTES, 4)];
  expect(new Set(scratches.map(({ memory }) => memory.buffer)).size).toBe(3);
  for (const scratch of scratches) returnScratch(scratch, BYTES);
  expect(takeScratch(BYTES, 4)).toBe(scratches[2]);
});

test('the larger one is kept, and one that is too small is not taken', () => {
  const [small, large] = [takeScratch(BYTES, 3), takeScratch(100 * BYTES, 3)];
  returnScratch(large, BYTES);
  returnScratch(small, BYTES);
  const taken = takeScratch(200 * BYTES, 3);
  expect(taken.memory.length).toBeGreaterThanOrEqual(200 * BYTES);
  expect(takeScratch(BYTES, 3)).toBe(large);
});

test('a workspace gives its memory back once', () => {
  const size = checkSize({ rows: 1, inner: 1, columns: 1, entryBits: 8, ringBits: 8, part: 'whole' });
  const workspace = new Workspace(size);
  workspace.settled();
  expect(() => workspace.settled()).toThrow(TypeError);
});

test('memory of transfers goes back when their product has used them, at both ends', {
  tags: ['long'],
}, async () => {
  const { multiply, sender, receiver } = await session();
  const used: Block[] = [];
  const watch = <Given>(ends: { blocks: (given: Given) => AsyncGenerator<Block> }) => {
    const { blocks } = ends;
    ends.blocks = async function* (given) {
      for await (const block of blocks.call(ends, given)) {
        used.push(block);
        yield block;
      }
    };
  };
  watch(sender);
  watch(receiver);
  await multiply(randomCase([40, 50, 3], 30, 64));
  expect(used).toHaveLength(4); // 60,000 transfers and more at either end
  expect(used.map(({ rows }) => rows.buffer.detached)).toEqual([true, true, true, true]);
});
