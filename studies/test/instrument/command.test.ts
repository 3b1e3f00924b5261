/** `npm run bench` from its command line to its report: of a suite that is made up, and interrupted and taken up again as a process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type BenchCommand, runBenchCommand } from '../../instrument/command.ts';
import { BenchDataSchema, benchReport } from '../../instrument/report.ts';
import type { Suite, Unit } from '../../instrument/unit.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-bench-command-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const report = async () =>
  BenchDataSchema.parse(JSON.parse(await readFile(join(folder, 'report.json'), 'utf8')));

describe('a made-up study', () => {
  const unit = (size: number): Unit => ({
    id: `toy/${size}`,
    title: `size ${size}`,
    parameters: { size },
    expectedSeconds: 1,
    measure: async () => {
      if (size === broken) throw new Error('a toy that broke');
      return { series: { time: { unit: 'ms', samples: [size, 2 * size] } }, facts: { bytes: size } };
    },
  });
  const toy: Suite = {
    name: 'toy',
    description: 'measures nothing',
    plan: async (scale) => ({
      units: (scale === 'quick' ? [1, 2] : [1, 2, 3]).map(unit),
      omissions: scale === 'quick' ? [{ what: 'size 3', why: 'a quick run' }] : [],
    }),
    highlights: (measurements) => measurements.map(({ id }) => `${id} was measured.`),
    table: (measurements) => `${measurements.length} toys`,
    report: (measurements) => [
      { title: 'Toys', blocks: [{ kind: 'text', text: `${measurements.length} of them.` }] },
    ],
  };
  let broken: number | undefined;
  let contradictions: BenchCommand['contradictions'];
  beforeEach(() => {
    broken = undefined;
    contradictions = undefined;
  });

  /** Runs the command in this process, and gives what it printed. */
  async function bench(...args: readonly string[]) {
    const [argv, printed] = [process.argv, { output: '', errors: '' }];
    const spies = (['stdout', 'stderr'] as const).map((name) =>
      vi.spyOn(process[name], 'write').mockImplementation((text) => {
        printed[name === 'stdout' ? 'output' : 'errors'] += String(text);
        return true;
      }),
    );
    process.argv = ['node', 'bench', '--out', folder, ...args];
    try {
      await runBenchCommand({
        ...{ name: 'toys', description: 'Measures toys.', suites: [toy], folder, examples: ['--quick'] },
        report: (data) => benchReport(data, [toy]),
        ...(contradictions && { contradictions }),
      });
      return { code: process.exitCode, ...printed };
    } finally {
      process.argv = argv;
      process.exitCode = undefined; // the command sets it
      for (const spy of spies) spy.mockRestore();
    }
  }

  it('is measured to its end, and its report written: for people, for readers of Markdown and for programs', async () => {
    const { code, output } = await bench('--quick', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(output)).toMatchObject({ units: 2 });
    const { measurements, omissions, description } = await report();
    expect(measurements.map(({ id, series }) => [id, series.time!.samples])).toEqual([
      ['toy/1', [1, 2]],
      ['toy/2', [2, 4]],
    ]);
    expect([omissions, description.scale]).toEqual([[{ what: 'size 3', why: 'a quick run' }], 'quick']);
    const markdown = await readFile(join(folder, 'report.md'), 'utf8');
    for (const text of ['toy/2 was measured.', '2 of them.', 'size 3: a quick run']) {
      expect(markdown).toContain(text);
      expect(await readFile(join(folder, 'report.html'), 'utf8')).toContain(text);
    }
    // After its end a run starts anew, in full unless a first look is asked for.
    const second = await bench();
    expect(second.errors).not.toContain('going on with');
    expect(second.output).toContain('3 toys');
  });

  it('fails with what it has where a unit breaks, and goes on from there', async () => {
    broken = 2;
    const first = await bench('--quick');
    expect(first.code).not.toBe(0);
    expect(first.errors).toContain('1 of 2 units failed');
    expect((await report()).omissions).toContainEqual({
      what: 'size 2',
      why: expect.stringContaining('a toy that broke'),
    });
    broken = undefined;
    const second = await bench('--quick');
    expect(second.errors).toContain('going on with 1 units');
    expect((await report()).measurements).toHaveLength(2);
  });

  it('fails where its measurements contradict what is known, with its report written', async () => {
    contradictions = ({ measurements }) => measurements.map(({ id }) => `${id} is no toy`);
    const { code, errors } = await bench('--quick');
    expect(code).not.toBe(0);
    expect(errors).toContain('toy/1 is no toy');
    expect((await report()).measurements).toHaveLength(2);
  });

  it('is written again from its figures, and from nothing else', async () => {
    const data = {
      format: 'eigenveil-bench/1',
      description: {
        scale: 'quick',
        suites: ['toy'],
        environment: {
          ...{ commit: 'abc', changes: null, processor: 'another machine', cores: 64, memoryBytes: 1 },
          ...{ system: 'some', node: 'v26', openssl: '3', packages: {} },
        },
      },
      finishedAt: '2026-01-02T03:04:05.000Z',
      measurements: [],
      omissions: [],
    };
    const file = join(folder, 'theirs.json');
    await writeFile(file, JSON.stringify(data));
    expect((await bench('--render', file)).code).toBe(0);
    expect(await readFile(join(folder, 'report.md'), 'utf8')).toContain('another machine, 64 cores');
    for (const wrong of ['{"format":"eigenveil-bench/1"}', 'no JSON']) {
      await writeFile(file, wrong);
      const refused = await bench('--render', file, '--json');
      expect(refused.code).toBe(2);
      expect(refused.errors).toContain('expected a report.json of this program');
    }
  });

  it('refuses a suite that there is not', async () => {
    const { code, errors } = await bench('--only', 'toy,train');
    expect(code).toBe(2);
    expect(errors).toContain('Expected some of toy.');
  });
});

describe('as a process', { tags: ['long'] }, () => {
  const PROGRAM = fileURLToPath(new URL('../../../scripts/bench.ts', import.meta.url));
  let children: ChildProcess[];
  beforeEach(() => {
    children = [];
  });
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  /** Runs the command, interrupted once it has told on standard error what `until` says. */
  async function bench(args: readonly string[], until?: string) {
    const child = spawn(process.execPath, [PROGRAM, '--out', folder, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    let [output, errors] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      const told = until !== undefined && errors.includes(until);
      errors += text;
      // Once: a second signal ends it without a report.
      if (!told && until !== undefined && errors.includes(until)) child.kill('SIGINT');
    });
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, output, errors };
  }

  /** Its units take a second or so each. */
  const SUITE = ['--quick', '--only', 'scaling', '--json'];

  it('leaves a report when it is interrupted, goes on from there, and starts anew after its end', async () => {
    const first = await bench(SUITE, '[2/');
    expect(first.code).toBe(130);
    expect(first.errors).toContain('run the same command to go on');
    const interrupted = await report();
    expect(interrupted.measurements.length).toBeGreaterThanOrEqual(2);
    expect(interrupted.omissions.some(({ why }) => why.includes('interrupted'))).toBe(true);

    const second = await bench(SUITE);
    expect(second.code).toBe(0);
    expect(second.errors).toContain(`going on with ${interrupted.measurements.length} units`);
    const whole = await report();
    expect(whole.measurements.length).toBeGreaterThan(interrupted.measurements.length);
    expect(whole.measurements.slice(0, interrupted.measurements.length)).toEqual(interrupted.measurements);
    expect(JSON.parse(second.output)).toMatchObject({ units: whole.measurements.length });
    expect(await readdir(folder)).toEqual(expect.arrayContaining(['charts', 'report.html', 'report.md']));

    const third = await bench(SUITE, '[1/');
    expect(third.errors).not.toContain('going on with');
  });
});
