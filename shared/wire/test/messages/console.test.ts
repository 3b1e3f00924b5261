import { expect, it } from 'vitest';
import { TaskListLine, TaskProgressLine } from '../../src/messages/console.ts';

const line = {
  kind: 'update',
  update: {
    at: '2026-01-01T00:00:00.000Z',
    status: {
      taskId: 'AAAAAAAAAAAAAAAAAAAAAA',
      state: 'open',
      contributions: 1,
      differentialPrivacy: null,
      timings: {},
      waitsFor: { who: 'owners', code: 'contributions' },
    },
    minimumOwners: 2,
    maximumOwners: 10,
    deadline: '2026-01-02T00:00:00.000Z',
    arrivals: [{ at: '2026-01-01T00:00:00.000Z', contributions: 1 }],
    refused: [{ code: 'ERR_RECORD_INVALID', count: 3, lastAt: '2026-01-01T00:00:00.000Z' }],
    stages: [{ state: 'open', startedAt: '2026-01-01T00:00:00.000Z', endedAt: null, milliseconds: null }],
    computation: null,
  },
};

it('reads each kind of line, and refuses members that it does not name', () => {
  expect(TaskProgressLine.parse(line)).toEqual(line);
  expect(TaskListLine.parse({ kind: 'end', reason: 'session' })).toEqual({ kind: 'end', reason: 'session' });
  const withOwner = { ...line, update: { ...line.update, ownerId: 'someone' } };
  expect(TaskProgressLine.safeParse(withOwner).success).toBe(false);
});

it('makes what a peer says of a failure printable', () => {
  const status = { ...line.update.status, waiting: { code: 'ERR_BUSY', message: 'a\u001b[31mb\u202e' } };
  const read = TaskProgressLine.parse({ ...line, update: { ...line.update, status } });
  expect(JSON.stringify(read)).not.toMatch(/\\u001b|\u202e/);
});
