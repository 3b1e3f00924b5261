/**
 * Every two-party protocol releases a PCA from the same rank on: one below the least is refused, the least
 * is not.
 *
 * @claims S-105, S-106, S-109
 */
import { type Components, methodOf, type Output, ofKind } from '@eigenveil/methods';

import { describe, expect, it } from 'vitest';
import { simulated } from '../src/simulated.ts';
import { run } from './programs/check.ts';
import { settingOf as settingForCircuits } from './programs/data.ts';
import { runClear } from './rotated/run.ts';
import { settingOf as settingForRotation } from './rotated/settings.ts';
import { memoryChannelPair } from './support/memory-channel.ts';

const D = 6;
const COMPONENTS = 2;

/** ± along so many axes; the other features never vary, which nobody has declared. */
function rowsOf(rank: number): number[][] {
  return Array.from({ length: 2 * rank }, (_, n) =>
    Array.from({ length: D }, (_unused, i) => (i === n >> 1 ? (1 - 2 * (n % 2)) * (1 - i / 20) : 0)),
  );
}

interface Told {
  readonly outputs: readonly Output[];
  readonly twoValued: number;
}

const protocols: Record<string, (rank: number, told: Told) => Promise<Components>> = {
  async garbled(rank, told) {
    const { task, program, ...shares } = settingForCircuits({ rows: rowsOf(rank), components: COMPONENTS });
    return run({ task, program: { ...program, ...told, allowFullRank: false }, ...shares });
  },
  async rotated(rank, program) {
    return (await runClear(settingForRotation({ rows: rowsOf(rank), components: COMPONENTS, program })))
      .result;
  },
  async simulated(rank, told) {
    const setting = settingForCircuits({ rows: rowsOf(rank), components: COMPONENTS });
    const computation = {
      task: setting.task,
      program: { ...setting.program, ...told, allowFullRank: false },
    };
    const [left, right] = memoryChannelPair();
    await simulated.runCsp(left, computation, { ...setting.garbler, markAnswered: async () => undefined });
    return ofKind('components', await simulated.runDataUser(right, computation, setting.evaluator));
  },
};

/** Those that every protocol computes come first. */
const TOLD: readonly [number, Told][] = [
  [4, { outputs: ['sampleCount', 'spectrum'], twoValued: 0 }],
  [5, { outputs: ['sampleCount', 'spectrum'], twoValued: 2 }],
  [3, { outputs: [], twoValued: 0 }],
  [4, { outputs: ['trace'], twoValued: 0 }],
  [5, { outputs: [], twoValued: 3 }],
];

describe.each(Object.keys(protocols))('%s', (name) => {
  const told = name === 'rotated' ? TOLD.slice(0, 2) : TOLD;
  it.each(told.slice(1, 3))('releases from rank %i on with %o', releases);
  it.each([...told.slice(0, 1), ...told.slice(3)])(
    'releases from rank %i on with %o',
    { tags: ['long'] },
    releases,
  );

  async function releases(least: number, told: Told) {
    expect(
      methodOf({ method: { kind: 'pca' } }).leastRank({ featureCount: D, components: COMPONENTS, ...told }),
    ).toBe(least);
    const run = protocols[name]!;
    await expect(run(least - 1, told)).rejects.toMatchObject({ code: 'ERR_FULL_RANK' });
    expect((await run(least, told))!.vectors).toHaveLength(COMPONENTS);
  }
});
