import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeEnvironment } from '../../instrument/environment.ts';
import { Journal, type RunDescription } from '../../instrument/journal.ts';
import { formatDuration, TimeLeft } from '../../instrument/progress.ts';
import { benchReport } from '../../instrument/report.ts';
import { measuredOf, measureUnits, planSuites, unitsLeft } from '../../instrument/runner.ts';
import type { Measurement, Suite, Unit } from '../../instrument/unit.ts';

const DESCRIPTION: RunDescription = {
  scale: 'quick',
  suites: ['example'],
  environment: {
    commit: 'abc',
    changes: null,
    processor: 'one',
    cores: 2,
    memoryBytes: 1,
    system: 'some',
    node: 'v26',
    openssl: '3',
    packages: {},
  },
};

const SILENT = { begin: () => {}, note: () => {}, done: () => {}, stop: () => {} };

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-bench-test-'));
  file = join(folder, 'deep', 'measurements.jsonl');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A unit that counts how often it was measured. */
function unitOf(id: string, measured: string[], parameters: Unit['parameters'] = { size: 3 }): Unit {
  return {
    id,
    title: id,
    parameters,
    expectedSeconds: 1,
    measure: async () => {
      measured.push(id);
      return { series: { time: { unit: 'ms', samples: [measured.length] } }, facts: { bytes: 7 } };
    },
  };
}

async function run(units: readonly Unit[], description = DESCRIPTION) {
  const journal = await Journal.open(file, description);
  const outcome = await measureUnits(units, journal, SILENT);
  return { journal, ...outcome };
}

describe('a run', () => {
  it('goes on where an interrupted one stopped, without measuring anything twice', async () => {
    const measured: string[] = [];
    const units = ['a', 'b', 'c', 'd'].map((id) => unitOf(id, measured));
    const first = await run(units.slice(0, 2));
    const second = await run(units);
    expect(measured).toEqual(['a', 'b', 'c', 'd']);
    expect(second.journal.resumed).toBe(2);
    expect(second.measurements.slice(0, 2)).toEqual(first.measurements);
    expect(second.measurements.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('tells units the folder of the report', async () => {
    const folders: (string | undefined)[] = [];
    const unit = unitOf('a', []);
    const asks: Unit = {
      ...unit,
      measure: (note, at) => {
        folders.push(at);
        return unit.measure(note);
      },
    };
    await measureUnits([asks], await Journal.open(file, DESCRIPTION), SILENT, folder);
    expect(folders).toEqual([folder]);
  });

  it('drops a line that a crash cut off, and no other', async () => {
    const measured: string[] = [];
    const units = ['a', 'b'].map((id) => unitOf(id, measured));
    await run(units);
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.slice(0, -20));
    const again = await run(units);
    expect(measured).toEqual(['a', 'b', 'b']);
    expect(again.measurements).toHaveLength(2);
    const third = await run(units);
    expect(measured).toEqual(['a', 'b', 'b']);
    expect(third.measurements).toEqual(again.measurements);
  });

  it('measures anew what was asked for with other parameters', async () => {
    const measured: string[] = [];
    await run([unitOf('a', measured, { size: 3 }), unitOf('b', measured)]);
    await run([unitOf('a', measured, { size: 4 }), unitOf('b', measured)]);
    expect(measured).toEqual(['a', 'b', 'a']);
  });

  it.each([
    ['another commit', { environment: { ...DESCRIPTION.environment, commit: 'def' } }],
    ['changes to it', { environment: { ...DESCRIPTION.environment, changes: '123' } }],
    ['another machine', { environment: { ...DESCRIPTION.environment, cores: 4 } }],
    ['another scale', { scale: 'full' as const }],
    ['other suites', { suites: ['example', 'other'] }],
  ])('does not mix its figures with those of %s', async (_, change) => {
    const measured: string[] = [];
    await run([unitOf('a', measured)]);
    const other = await run([unitOf('a', measured)], { ...DESCRIPTION, ...change });
    expect(measured).toEqual(['a', 'a']);
    expect(other.journal.resumed).toBe(0);
  });

  it('starts anew after one that came to its end', async () => {
    const measured: string[] = [];
    const { journal } = await run([unitOf('a', measured)]);
    await journal.end();
    await run([unitOf('a', measured)]);
    expect(measured).toEqual(['a', 'a']);
  });

  it('takes no foreign line for a measurement', async () => {
    const measured: string[] = [];
    await run([unitOf('a', measured)]);
    await appendFile(file, `${JSON.stringify({ id: 'b', samples: 'none' })}\n`);
    await run([unitOf('a', measured), unitOf('b', measured)]);
    expect(measured).toEqual(['a', 'b']);
  });

  it('names a unit that fails and goes on with the others', async () => {
    const measured: string[] = [];
    const broken: Unit = {
      ...unitOf('b', measured),
      measure: () => Promise.reject(new Error('no such file')),
    };
    const units = [unitOf('a', measured), broken, unitOf('c', measured)];
    const { failures, measurements, journal } = await run(units);
    expect(failures).toEqual([{ what: 'b', why: 'it failed: no such file' }]);
    expect(measurements.map(({ id }) => id)).toEqual(['a', 'c']);
    expect(unitsLeft(units, journal)).toEqual([broken]);
    expect(measuredOf(units, journal)).toEqual(measurements);
  });

  it('refuses two units of one name', async () => {
    const suite: Suite = {
      name: 'example',
      description: '',
      plan: async () => ({ units: [unitOf('a', []), unitOf('a', [])], omissions: [] }),
      highlights: () => [],
      report: () => [],
    };
    await expect(planSuites([suite], 'quick')).rejects.toThrow('two units are called a');
  });
});

describe('the time left', () => {
  it('takes up the pace of the units before', () => {
    const units = [1, 2, 7].map((expectedSeconds) => ({ ...unitOf('a', []), expectedSeconds }));
    const left = new TimeLeft(units);
    expect(left.seconds).toBe(10);
    left.done(units[0]!, 2);
    expect(left.seconds).toBe(18);
    left.done(units[1]!, 1);
    expect(left.seconds).toBe(7);
    left.done(units[2]!, 7);
    expect(left.seconds).toBe(0);
  });

  it.each([
    [0.2, '1 s'],
    [59.5, '60 s'],
    [61, '1 min'],
    [3900, '1 h 5 min'],
  ])('%d seconds read %s', (seconds, text) => expect(formatDuration(seconds)).toBe(text));
});

describe('the report', () => {
  it('gives every suite its own measurements, and names what was left out and on what it ran', async () => {
    const seen: (readonly Measurement[])[] = [];
    const suite: Suite = {
      name: 'example',
      description: '',
      plan: async () => ({ units: [], omissions: [] }),
      highlights: (measurements) => measurements.map(({ id }) => `${id} is fast`),
      report: (measurements) => {
        seen.push(measurements);
        return [{ title: 'Example', blocks: [] }];
      },
    };
    const measured: string[] = [];
    const { measurements } = await run([unitOf('example/a', measured), unitOf('other/a', measured)]);
    const environment = await describeEnvironment();
    const report = benchReport(
      {
        format: 'eigenveil-bench/1',
        description: { ...DESCRIPTION, environment },
        finishedAt: '2026-01-02T03:04:05.000Z',
        measurements,
        omissions: [{ what: 'german', why: 'it is not there' }],
      },
      [suite],
    );
    expect(seen).toEqual([[measurements[0]]]);
    expect(report.sections.map(({ title }) => title)).toEqual([
      'At a glance',
      'Example',
      'Not measured',
      'Machine and versions',
    ]);
    const text = JSON.stringify(report);
    expect(text).toContain('example/a is fast');
    expect(text).not.toContain('other/a is fast');
    expect(text).toContain('german: it is not there');
    expect(text).toContain(environment.node);
    expect(environment.packages['paillier-bigint']).toMatch(/^\d+\.\d+\.\d+$/);
    expect(environment.commit).toMatch(/^([0-9a-f]{40}|unknown)$/);
  });
});
