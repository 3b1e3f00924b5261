/** What is drawn once for a task is kept as one JSON text, however much it is: other releases read it. */
import { randomBytes } from 'node:crypto';
import { Sealer } from '@eigenveil/server';
import { newTaskId } from '@eigenveil/task';
import { expect, test } from 'vitest';
import { openDrawn, sealDrawn } from '../src/sealed-drawn.ts';
import { blindingPlace } from '../src/store.ts';

const sealer = new Sealer(randomBytes(32));
const taskId = newTaskId();

test.each([1, 8192, 8193, 40_000])('%i numbers are written as JSON, and read from it', (count) => {
  const drawn = {
    blinding: Array.from({ length: count }, (_, i) => (1n << 80n) + BigInt(i)),
    noise: Array.from({ length: count }, (_, i) => BigInt((i % 3) - 1)),
  };
  const sealed = sealDrawn(sealer, taskId, drawn);
  const text = Buffer.from(sealer.open(blindingPlace(taskId), sealed)).toString();
  expect(
    text === JSON.stringify({ blinding: drawn.blinding.map(String), noise: drawn.noise.map(String) }),
  ).toBe(true);
  expect(openDrawn(sealer, taskId, sealed)).toEqual(drawn);
});
