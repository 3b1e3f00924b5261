import { canReadUsage, cpuOf, peakOf, usageOf } from '@eigenveil/testbed/processes/process-usage';
import { describe, expect, it } from 'vitest';
import { processes, recordOf } from '../../speed/roles-in-processes.ts';
import type { UsageByRole, WholeRun } from '../../speed/whole-protocol.ts';
import { printed } from './printed.ts';

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

const recordOfRun = (run: WholeRun, dataset = 'iris') => ({
  ...{ dataset, method: 'pca', twoParty: 'rotated', owners: 3 },
  ...recordOf(run),
});

describe('the study of processes', () => {
  it('takes the largest owner for memory, the median one for time, and the mean one for bytes', () => {
    expect(recordOf(RUN)).toMatchObject({
      'owner/idle': 130e6,
      'csp/ended': 600e6,
      'owner/cpu': 4e6,
      'data-user/cpu': 40e6,
      'owner-to-csp': 100,
      'data-user-to-owner': 300,
      'csp-to-data-user': 70_000,
    });
  });

  it('draws what each role sends to all others', async () => {
    const { sections } = await printed(processes, [recordOfRun(RUN)]);
    const chart = sections
      .flatMap(({ blocks }) => blocks)
      .find((block) => block.kind === 'chart' && block.name === 'processes-bytes');
    if (chart?.kind !== 'chart' || chart.drawing.kind !== 'bars') throw new Error('expected a chart of bars');
    expect(chart.drawing.bars.map(({ name, values }) => [name, values[0]?.value])).toEqual([
      ['one owner', 100 + 1000],
      ['data user', 5000 + 900],
      ['CSP', 70_000 + 600],
    ]);
  });

  it('tells what there is when memory could not be read', async () => {
    const blind = { ...RUN, idle: undefined, ended: undefined };
    const { text, facts, contradictions } = await printed(processes, [recordOfRun(blind)]);
    expect(text).toContain('were not measured: the system has no /proc');
    expect(text).not.toContain('CSP: idle');
    expect(facts.get('cspSends')!.text).toBe('70.0 kB');
    expect(contradictions).toEqual([]);
  });

  it('tells of the task with the most bytes between the servers, of all its repetitions', async () => {
    const sending = (fromService: number, cpu: number) => ({
      ...RUN,
      dataUserAtCsp: { connections: 2, toService: 1, fromService },
      ended: byRole(cpu),
    });
    const { facts } = await printed(processes, [
      recordOfRun(sending(1000, 2_000_000)),
      recordOfRun(sending(90_000, 3_000_000), 'pima'),
      recordOfRun(sending(91_000, 5_000_000), 'pima'),
    ]);
    expect(facts.get('dataset')!.text).toBe('pima');
    expect(facts.get('cspMemory')!.value).toBe(800e6);
  });
});
