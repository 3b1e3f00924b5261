/** A data user that copies a ciphertext of a histogram: the figures of docs/histograms.md, and that nothing notices. */
import { releaseNoiseOf } from '@eigenveil/methods';
import { noiseMoments } from '@eigenveil/release';
import { layout, unflatten } from '@eigenveil/statistics';
import { TaskProposal } from '@eigenveil/task';
import { TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import { expect, test } from 'vitest';
import { EncryptedSums } from '../../evaluation/attacks/deviation/encrypted-sums.ts';
import { agreed } from '../../evaluation/attacks/in-process/small-task.ts';

function histogram(height: number, strategy: object, keyBits: number) {
  return agreed(
    TaskProposal.parse({
      method: { kind: 'histogram', height, ...strategy },
      features: [{ name: 'a', min: 0, max: 1, twoValued: false }],
      labellings: [],
      components: 0,
      minimumOwners: 2,
      maximumOwners: 10,
      maximumSamplesPerOwner: 1000,
      keyBits,
      ...(keyBits < 2048 && { allowInsecureKey: true }),
      twoParty: 'linear',
      differentialPrivacy: {
        epsilon: 1,
        delta: 1e-6,
        neighbours: 'add-remove',
        clippingNorm: null,
        noise: 'servers',
        honestOwners: null,
        dataIndependentRanges: true,
      },
      deadline: '2031-01-01T00:00:00Z',
    }),
  );
}

/** Values side by side in the plaintexts that hold bins alone. */
function stretchesOf(task: ReturnType<typeof histogram>): number[][] {
  const bins = 2 ** (task.method.kind === 'histogram' ? task.method.height : 0);
  const stretches = Array.from(layout(task).plaintexts, (slots) => slots.map(({ value }) => value));
  return stretches.filter(
    (values) => values.length === stretches[0]!.length && values.every((value) => value < bins),
  );
}

test.each([
  ['flat', { strategy: 'flat' }, 2.8],
  ['privelet', { strategy: 'privelet' }, 9.5],
  ['a tree', { strategy: 'tree', fanouts: [16, 16, 16] }, 17],
])(
  'a row of 4,096 bins by %s moves all sums by 0.24 deviations of one server, and copied by many more',
  (_, strategy, copied) => {
    const task = histogram(12, strategy, 2048);
    const stretches = stretchesOf(task);
    expect(stretches).toHaveLength(141);
    const deviation = Math.sqrt(noiseMoments(releaseNoiseOf(task), 1).variance);
    const moves = (rows: readonly number[]) => {
      const values = layout(task).valueBits.map((__, value) => (rows.includes(value) ? 1n : 0n));
      return (
        Math.hypot(...TWO_PARTY_PROTOCOLS.linear.valuesOf(task, values).slice(0, -1).map(Number)) / deviation
      );
    };
    expect(moves([stretches[7]![5]!])).toBeCloseTo(0.24, 2);
    expect(Math.abs(moves(stretches.map((values) => values[5]!)) - copied)).toBeLessThan(0.5);
  },
);

test('a ciphertext in the place of others unblinds to its counts at each place, and the number of owners stays', async () => {
  await using sums = await EncryptedSums.start();
  const task = histogram(6, { strategy: 'flat' }, 1024);
  const stretches = stretchesOf(task);
  expect(stretches.length).toBeGreaterThan(3);
  const size = layout(task).valueBits.length;
  const values = Array.from({ length: size }, (_, value): bigint => (value === stretches[1]![2] ? 900n : 0n));
  values[size - 1] = 2n; // owners
  const own = await sums.contribution(task, unflatten(task, values));
  const firsts = Array.from(layout(task).plaintexts, ([first]) => first!.value);
  const from = firsts.indexOf(stretches[1]![0]!);
  const whole = new Set(stretches.map(([first]) => first!));
  const copied = own.map((ciphertext, at) => (whole.has(firsts[at]!) ? own[from]! : ciphertext));
  const seen = await sums.unblinded(task, copied);
  const [last] = seen.values.slice(-1);
  expect(last).toBe(2n);
  // Nine deviations of both servers' noise; a normal number exceeds so many in one of 10^18 cases.
  const reach = 9 * Math.sqrt(noiseMoments(releaseNoiseOf(task), 2).variance);
  for (const [place, value] of stretches.flat().entries()) {
    const expected = place % stretches[0]!.length === 2 ? 900 : 0;
    expect(Math.abs(Number(BigInt.asIntN(54, seen.values[value]!)) - expected)).toBeLessThan(reach);
  }
});
