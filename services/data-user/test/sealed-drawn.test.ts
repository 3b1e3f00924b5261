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

test('what other releases have written is read wherever its parts end', () => {
  const filler = new Array<string>(255).fill('7'.repeat(1021));
  const noise = ['-9', '0', '12'];
  // A part of 256 KiB ends at each byte between the number of so many digits and the last.
  for (let digits = 978; digits < 1018; digits += 1) {
    const blinding = [...filler, '8'.repeat(digits), '80'];
    const text = Buffer.from(JSON.stringify({ blinding, noise }));
    const drawn = openDrawn(sealer, taskId, sealer.seal(blindingPlace(taskId), text));
    expect([drawn.blinding.map(String), drawn.noise.map(String)]).toEqual([blinding, noise]);
  }
});

test.each([
  '',
  '{}',
  '{"blinding":["17"]}',
  '{"blinding":[],"noise":["17"]}',
  '{"blinding":["17"],"noise":[]}',
  '{"blinding":["17",""],"noise":["17"]}',
  '{"blinding":["17", "17"],"noise":["17"]}',
  '{"blinding":["0x17"],"noise":["17"]}',
  '{"blinding":["17"],"noise":["17"],"noise":["17"]}',
  '{"blinding":["17"],"noise":["17","17"],"noise":["17"]}',
  ' {"blinding":["17"],"noise":["17"]}',
  '{"blinding":["17"],"noise":["17"]}7',
])('%s is refused, and not repeated', (text) => {
  const sealed = sealer.seal(blindingPlace(taskId), Buffer.from(text));
  expect(() => openDrawn(sealer, taskId, sealed)).toThrow(/^\D+$/);
});
