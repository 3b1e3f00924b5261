/** The report of a benchmark run: what it ran on, every suite's sections, and what was left out. */

import { z } from 'zod';
import type { Environment } from './environment.ts';
import { RecordedMeasurement, RunDescription } from './journal.ts';
import type { Report, Section } from './report/document.ts';
import type { Omission, Suite } from './unit.ts';

/** report.json: every raw sample, and all that is needed to write the report again. */
export const BenchDataSchema = z.strictObject({
  format: z.literal('eigenveil-bench/1'),
  description: RunDescription,
  finishedAt: z.iso.datetime(),
  measurements: z.array(RecordedMeasurement).readonly(),
  omissions: z.array(z.strictObject({ what: z.string(), why: z.string() })).readonly(),
});
export type BenchData = z.infer<typeof BenchDataSchema>;

export function benchReport(data: BenchData, suites: readonly Suite[]): Report {
  return reportOf(data, suites, {
    title: 'Eigenveil: benchmark report',
    introduction: [
      'Times depend on the machine and on what else it does; ratios come from contestants that took turns within one run and carry over better.',
      'A figure is the median of its repetitions after a warm-up, with quartiles in brackets where they are given. `report.json` has every sample. Only published figures were typed in; each names its source.',
    ],
  });
}

/** The sections of the suites, then what was left out and what it ran on. */
export function reportOf(
  data: BenchData,
  suites: readonly Suite[],
  { title, introduction }: Pick<Report, 'title' | 'introduction'>,
): Report {
  const { description, measurements, omissions } = data;
  const ran = suites
    .filter(({ name }) => description.suites.includes(name))
    .map((suite) => ({ suite, own: measurements.filter(({ id }) => id.startsWith(`${suite.name}/`)) }));
  const highlights = ran.flatMap(({ suite, own }) => suite.highlights(own));
  const sections = ran.flatMap(({ suite, own }) => suite.report(own));
  const run = `A ${description.scale} run, finished ${data.finishedAt.slice(0, 16).replace('T', ' ')} UTC.`;
  return {
    title,
    introduction: [run, ...introduction],
    sections: [
      ...atAGlance(highlights),
      ...sections,
      omitted(omissions),
      environmentSection(description.environment),
    ],
  };
}

function atAGlance(highlights: readonly string[]): Section[] {
  if (highlights.length === 0) return [];
  const text = highlights.map((highlight) => `- ${highlight}`).join('\n');
  return [{ title: 'At a glance', blocks: [{ kind: 'text', text }] }];
}

function omitted(omissions: readonly Omission[]): Section {
  const text =
    omissions.length === 0
      ? 'Everything that was planned was measured.'
      : omissions.map(({ what, why }) => `- ${what}: ${why}`).join('\n');
  return { title: 'Not measured', blocks: [{ kind: 'text', text }] };
}

function environmentSection(environment: Environment): Section {
  const { commit, changes, processor, cores, memoryBytes, system, node, openssl, packages } = environment;
  const rows = [
    ['commit', changes === null ? commit : `${commit}, with changes (${changes})`],
    ['processor', `${processor}, ${cores} cores`],
    ['memory', `${(memoryBytes / 2 ** 30).toFixed(1)} GiB`],
    ['system', system],
    ['Node.js', `${node}, OpenSSL ${openssl}`],
    ...Object.entries(packages),
  ];
  return {
    title: 'Machine and versions',
    blocks: [
      {
        kind: 'table',
        caption: 'What this was measured on and with',
        columns: [
          { title: 'what', align: 'left' },
          { title: 'which', align: 'left' },
        ],
        rows,
      },
    ],
  };
}
