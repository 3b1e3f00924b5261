/** What the network's experiments look with: records out of bytes that come in any pieces, and lengths and moments that differ are found. */
import { mean } from '@eigenveil/testbed/goodness/mean';
import { describe, expect, test } from 'vitest';
import { exactly, oddOnes } from '../../evaluation/attacks/in-process/exact.ts';
import { EXPERIMENTS } from '../../evaluation/attacks/network/index.ts';
import { usualShapes } from '../../evaluation/attacks/network/sizes.ts';
import { TlsRecords } from '../../evaluation/attacks/network/tls-records.ts';
import { bundledScene } from '../../evaluation/scenes/bundled.ts';

describe('the records of a connection', () => {
  const record = (type: number, carried: number) => {
    const bytes = Buffer.alloc(5 + carried + 17);
    bytes.set([type, 3, 3]);
    bytes.writeUInt16BE(carried + 17, 3);
    return bytes;
  };
  const toService = [
    record(22, 300),
    record(20, 0),
    record(23, 36),
    record(23, 1029),
    record(23, 2),
    record(23, 70_000 % 16_384),
  ];
  const fromService = [record(22, 90), record(23, 911), record(23, 250), record(23, 250), record(23, 2383)];

  test.each([1, 3, 7, 100_000])(
    'are those after the handshake, without tickets and alerts, in pieces of %i bytes',
    (size) => {
      const records = new TlsRecords();
      const feed = (direction: 'to service' | 'from service', all: readonly Buffer[]) => {
        const bytes = Buffer.concat(all);
        for (let at = 0; at < bytes.length; at += size)
          records.observe(4, direction, bytes.subarray(at, at + size));
      };
      feed('from service', fromService.slice(0, 2));
      feed('to service', toService);
      feed('from service', fromService.slice(2));
      expect(records.seen.map(({ connection, direction, bytes }) => [connection, direction, bytes])).toEqual([
        [4, 'to service', 1029],
        [4, 'to service', 70_000 % 16_384],
        [4, 'from service', 2383],
      ]);
    },
  );
});

test('one exception refutes what is exact, and without one it is said how rare they may be', () => {
  const runs = [1, 2, 1, 1].map((length, i) => ({ group: i < 2 ? 'a' : 'b', shape: `${length}` }));
  expect(oddOnes(runs)).toEqual([false, true, false, false]);
  expect(exactly(oddOnes(runs), 'x')).toMatchObject({ p: 0, n: 4, distance: { value: 0.25 } });
  const silent = exactly(new Array<boolean>(20).fill(false), 'x');
  expect(silent).toMatchObject({ p: 1, distance: { value: 0, low: 0 } });
  // So large a share would have shown with probability 0.8.
  expect(1 - (1 - silent.detectable!.size) ** 20).toBeCloseTo(0.8, 10);
});

const outcomeOf = async (id: string) => {
  const scene = await bundledScene('iris', 'test');
  const experiment = EXPERIMENTS.find((it) => it.id === id)!;
  return experiment.run({ scene, effort: 'quick', seed: `test/${id}`, note: () => undefined });
};

const hasP = async (id: string, p: number) => expect(await outcomeOf(id)).toMatchObject({ p });
test.each([['network-unpadded-result', 0]])('%s has p = %i', hasP);
test.each([
  ['network-refusal-moment', 1],
  ['network-planted-haste', 0],
  ['network-planted-moment', 0],
])('%s has p = %i', { tags: ['long'] }, hasP);

test('who encrypts no zeros is found, and who does is not', { tags: ['long'] }, async () => {
  const outcome = await outcomeOf('network-absent-class');
  if (outcome.kind !== 'trials') throw new TypeError('expected trials');
  expect(mean(outcome.attack)).toBeGreaterThan(0.9);
  expect(mean(outcome.control)).toBe(0.5);
});

test('the usual shape of a group is that of most runs, wherever the odd one stands', () => {
  const runs = ['b', 'a', 'a', 'c'].map((shape) => ({ group: 'one', shape }));
  expect([...usualShapes([...runs, { group: 'other', shape: 'c' }])]).toEqual([
    ['one', 'a'],
    ['other', 'c'],
  ]);
});

test.each(['network-lengths', 'network-two-party-lengths'])(
  '%s sees no length that differs',
  { tags: ['long'] },
  async (id) => {
    expect(await outcomeOf(id)).toMatchObject({ p: 1 });
  },
);
