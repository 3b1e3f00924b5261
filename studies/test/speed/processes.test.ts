import { canReadUsage, cpuOf, peakOf, usageOf } from '@eigenveil/testbed/processes/process-usage';
import { describe, expect, it } from 'vitest';
import type { Block, Section } from '../../instrument/report/document.ts';
import type { Measurement } from '../../instrument/unit.ts';
import { processes, resultOf } from '../../speed/suites/processes.ts';
import type { UsageByRole, WholeRun } from '../../speed/whole-protocol.ts';

const usage = (peakMemoryBytes: number, cpuMilliseconds: number) => ({ peakMemoryBytes, cpuMilliseconds });
const byRole = (scale: number): UsageByRole => ({
  csp: usage(200 * scale, 10 * scale),
  dataUser: usage(300 * scale, 20 * scale),
  owners: [usage(100 * scale, scale), usage(130 * scale, 3 * scale), usage(120 * scale, 2 * scale)],
});
const RUN: WholeRun = {
  idle: byRole(1_000_000),
  ended: byRole(3_000_000),
  ownersAtCsp: { connections: 3, toService: 300, fromService: 600 },
  dataUserAtCsp: { connections: 2, toService: 5000, fromService: 70_000 },
  ownersAtDataUser: { connections: 6, toService: 3000, fromService: 900 },
  taskMilliseconds: 1234,
  owners: 3,
  features: 4,
  components: 2,
};

function measurement(runs: readonly WholeRun[], dataset = 'iris'): Measurement {
  return {
    id: `processes/${dataset}/pca-rotated/3`,
    parameters: { dataset, method: 'pca', twoParty: 'rotated', owners: 3, components: 2, repetitions: 2 },
    startedAt: '2026-01-01T00:00:00.000Z',
    seconds: 1,
    ...resultOf(runs),
  };
}

const blocksOf = (sections: readonly Section[]): Block[] => sections.flatMap(({ blocks }) => blocks);
const chart = (sections: readonly Section[], name: string) => {
  const found = blocksOf(sections).find((block) => block.kind === 'chart' && block.name === name);
  if (found?.kind !== 'chart' || found.drawing.kind !== 'bars') return undefined;
  return found.drawing;
};

describe('what a process has used', () => {
  it('is read from the right fields, whatever the name of the program', () => {
    const tail = 'S 1 2 3 4 5 6 7 8 9 10 123 45 0 0';
    expect(cpuOf(`77 (node) ${tail}`)).toBe(1680);
    expect(cpuOf(`77 (a (b) 1 2) c) ${tail}`)).toBe(1680);
    expect(peakOf('Name:\tnode\nVmPeak:\t  900 kB\nVmHWM:\t  120 kB\nVmRSS:\t 100 kB\n')).toBe(122_880);
    expect(() => peakOf('Name:\tnode\n')).toThrow(/VmHWM/);
  });

  it.runIf(canReadUsage())('agrees with what this process says of itself', async () => {
    const before = process.resourceUsage();
    const { peakMemoryBytes, cpuMilliseconds } = await usageOf(process.pid);
    const after = process.resourceUsage();
    const cpu = ({ userCPUTime, systemCPUTime }: NodeJS.ResourceUsage) =>
      (userCPUTime + systemCPUTime) / 1000;
    expect(cpuMilliseconds).toBeGreaterThanOrEqual(cpu(before) - 20);
    expect(cpuMilliseconds).toBeLessThanOrEqual(cpu(after) + 20);
    expect(peakMemoryBytes).toBeLessThanOrEqual(1.01 * after.maxRSS * 1024);
    expect(peakMemoryBytes).toBeGreaterThan(20_000_000);
  });
});

describe('suite processes', () => {
  it('takes the largest owner for memory, the median one for time, and the mean one for bytes', () => {
    const { series } = resultOf([RUN, RUN]);
    expect(series['memory/idle/owner']).toEqual({ unit: 'bytes', samples: [130e6, 130e6] });
    expect(series['memory/ended/csp']?.samples).toEqual([600e6, 600e6]);
    expect(series['cpu/owner']).toEqual({ unit: 'ms', samples: [4e6, 4e6] });
    expect(series['cpu/data-user']?.samples).toEqual([40e6, 40e6]);
    expect(series['wire/owner-to-csp']?.samples).toEqual([100, 100]);
    expect(series['wire/data-user-to-owner']?.samples).toEqual([300, 300]);
    expect(series['wire/csp-to-data-user']?.samples).toEqual([70_000, 70_000]);
  });

  it('draws what each role sends to all others', () => {
    const drawing = chart(processes.report([measurement([RUN, RUN])]), 'processes-bytes');
    expect(drawing?.bars.map(({ name, values }) => [name, values[0]?.value])).toEqual([
      ['one owner', 100 + 1000],
      ['data user', 5000 + 900],
      ['CSP', 70_000 + 600],
    ]);
  });

  it('reports what there is when memory could not be read', () => {
    const blind = measurement([{ ...RUN, idle: undefined, ended: undefined }]);
    const alone = processes.report([blind]);
    expect(chart(alone, 'processes-memory')).toBeUndefined();
    expect(JSON.stringify(alone)).toContain('not measured');
    expect(chart(alone, 'processes-bytes')).toBeDefined();
    const both = processes.report([blind, measurement([RUN], 'pima')]);
    expect(chart(both, 'processes-memory')?.bars[0]?.values).toEqual([
      undefined,
      { value: 600e6, low: 600e6, high: 600e6 },
    ]);
  });

  it('reports nothing without measurements of its own, and gaps for missing series', () => {
    expect(processes.report([])).toEqual([]);
    const empty: Measurement = { ...measurement([RUN]), series: {}, facts: {} };
    expect(processes.report([{ ...empty, id: 'other/unit' }])).toEqual([]);
    expect(JSON.stringify(processes.report([empty]))).not.toMatch(/NaN|undefined/);
  });

  it('gives every unit an id of its own', async () => {
    for (const scale of ['quick', 'full'] as const) {
      const { units } = await processes.plan(scale);
      expect(units.length).toBeGreaterThan(0);
      expect(new Set(units.map(({ id }) => id)).size).toBe(units.length);
    }
  });
});
