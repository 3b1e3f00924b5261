/** Writes a report to a folder: HTML, Markdown, charts, and the data that it was made of. */
import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CodedError } from '@eigenveil/platform';
import { standaloneChart } from './charts.ts';
import { REPORT_CODES } from './codes.ts';
import type { Chart, Picture, Report } from './document.ts';
import { reportToHtml } from './html.ts';
import { chartPath, hasFile, reportToMarkdown } from './markdown.ts';
import { pictureSvg } from './pictures.ts';

interface ReportFiles {
  readonly folder: string;
  readonly report: Report;
  /** Whatever JSON can hold, or its text: goes to `report.json`. */
  readonly data: unknown;
}

/** Each file appears whole or not at all; what cannot be drawn is refused before any is written. */
export async function writeReport({ folder, report, data }: ReportFiles): Promise<void> {
  const charts = chartsOf(report);
  const drawn = charts
    .filter((chart) => hasFile(chart, report))
    .map(async (chart) => {
      const svg = chart.kind === 'chart' ? await standaloneChart(chart) : pictureSvg(chart);
      return [chartPath(chart), svg] as const;
    });
  const files: readonly (readonly [path: string, content: string])[] = [
    ...(await Promise.all(drawn)),
    ['report.json', typeof data === 'string' ? data : `${JSON.stringify(data, null, 2)}\n`],
    ['report.md', reportToMarkdown(report)],
    ['report.html', await reportToHtml(report)],
  ];
  await mkdir(join(folder, 'charts'), { recursive: true });
  for (const [path, content] of files) await writeWhole(join(folder, path), content);
}

function chartsOf({ sections }: Report): readonly (Chart | Picture)[] {
  const charts = sections
    .flatMap(({ blocks }) => blocks)
    .filter((block) => block.kind === 'chart' || block.kind === 'picture');
  const names = new Set<string>();
  for (const { name } of charts) {
    if (!/^[a-z0-9][a-z0-9_-]*$/.test(name))
      throw new CodedError(
        REPORT_CODES.ERR_REPORT,
        `chart: expected a name of a-z, 0-9, _ and -, got ${JSON.stringify(name)}`,
      );
    if (names.has(name))
      throw new CodedError(REPORT_CODES.ERR_REPORT, `chart: expected names to differ, got "${name}" twice`);
    names.add(name);
  }
  return charts;
}

async function writeWhole(path: string, content: string): Promise<void> {
  const temporary = join(dirname(path), `.${randomUUID()}.part`);
  try {
    await writeFile(temporary, content, { flag: 'wx' });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
