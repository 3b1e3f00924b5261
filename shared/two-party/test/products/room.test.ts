import { expect, test } from 'vitest';
import { enterRoom, leaveRoom } from '../../src/products/kernels.ts';
import { checkSize } from '../../src/products/layout.ts';
import { Workspace } from '../../src/products/workspace.ts';

const BYTES = 100_000;

test('memory that a product has left is the next one’s, wiped', () => {
  const room = enterRoom(BYTES, 3);
  room.memory.fill(0xa5, 0, BYTES);
  leaveRoom(room, BYTES);
  const next = enterRoom(BYTES / 2, 3);
  expect(next).toBe(room);
  expect(next.memory.every((byte) => byte === 0)).toBe(true);
  leaveRoom(next, BYTES / 2);
});

test('two products at once have memory of their own, and so have digits of another length', () => {
  const rooms = [enterRoom(BYTES, 3), enterRoom(BYTES, 3), enterRoom(BYTES, 4)];
  expect(new Set(rooms.map(({ memory }) => memory.buffer)).size).toBe(3);
  for (const room of rooms) leaveRoom(room, BYTES);
  expect(enterRoom(BYTES, 4)).toBe(rooms[2]);
});

test('the larger one is kept, and one that is too small is not taken', () => {
  const [small, large] = [enterRoom(BYTES, 3), enterRoom(100 * BYTES, 3)];
  leaveRoom(large, BYTES);
  leaveRoom(small, BYTES);
  const taken = enterRoom(200 * BYTES, 3);
  expect(taken.memory.length).toBeGreaterThanOrEqual(200 * BYTES);
  expect(enterRoom(BYTES, 3)).toBe(large);
});

test('a workspace gives its memory back once', () => {
  const size = checkSize({ rows: 1, inner: 1, columns: 1, entryBits: 8, ringBits: 8, part: 'whole' });
  const workspace = new Workspace(size);
  workspace.settled();
  expect(() => workspace.settled()).toThrow(TypeError);
});
