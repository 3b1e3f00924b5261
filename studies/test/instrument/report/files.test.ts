/** The files of a report: everything in them, nothing asked from elsewhere, and data never becoming markup. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { marked, type Tokens } from 'marked';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inlineChart, standaloneChart } from '../../../instrument/report/charts.ts';
import type { BarDrawing, Block, Chart, LineDrawing, Report } from '../../../instrument/report/document.ts';
import { reportToHtml } from '../../../instrument/report/html.ts';
import { reportToMarkdown } from '../../../instrument/report/markdown.ts';
import { escapeMarkdown, markdownToHtml, safeMarkdown } from '../../../instrument/report/text.ts';
import { writeReport } from '../../../instrument/report/write.ts';
import { accuracy, growth, hostile, report, traffic, utility } from './support/report.ts';

const charts = [growth, accuracy, utility, traffic];
const line = { name: 'Some', style: 'solid', points: [{ x: 1, y: 1 }] } as const;

function reportOf(...blocks: readonly Block[]): Report {
  return { title: 'Some', introduction: [], sections: [{ title: 'Section', blocks }] };
}

describe('a written report', () => {
  let folder: string;
  const read = (path: string): Promise<string> => readFile(join(folder, path), 'utf8');

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'eigenveil-report-'));
    await writeReport({ folder, report, data: { measured: [1, 2.5] } });
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('consists of these files and leaves no other', async () => {
    expect((await readdir(folder)).sort()).toEqual(['charts', 'report.html', 'report.json', 'report.md']);
    expect((await readdir(join(folder, 'charts'))).sort()).toEqual(
      charts.map(({ name }) => `${name}.svg`).sort(),
    );
  });

  test('keeps the data', async () => {
    expect(JSON.parse(await read('report.json'))).toEqual({ measured: [1, 2.5] });
  });

  test('replaces what an earlier one wrote', { tags: ['long'] }, async () => {
    await writeReport({ folder, report, data: { second: true } });
    expect(JSON.parse(await read('report.json'))).toEqual({ second: true });
    expect(await readdir(folder)).toHaveLength(4);
  });

  test('shows each chart and each table in Markdown', async () => {
    const markdown = await read('report.md');
    for (const { name } of charts) expect(markdown).toContain(`](charts/${name}.svg)`);
    const tables = marked.lexer(markdown).filter((token): token is Tokens.Table => token.type === 'table');
    expect(tables.map((table) => [table.header.length, table.rows.length])).toEqual([
      [2, 2],
      [12, 5],
      [3, 2],
      [1, 3],
    ]);
    expect(markdown).toContain('| Encryption | 2.6 |');
    expect(markdown).toContain('| :--- | ---: |');
    expect(markdown).toContain('- [Accuracy & utility](#accuracy--utility)');
  });

  test('shows each chart and each table in HTML', async () => {
    const html = await read('report.html');
    for (const { name } of charts) expect(html).toContain(`id="chart-${name}"`);
    expect(html.match(/<svg class="wide"/g)).toHaveLength(charts.length);
    expect(html.match(/<svg class="narrow"/g)).toHaveLength(charts.length);
    // A table of its own for the figures of each chart.
    expect(html.match(/<table/g)).toHaveLength(4 + charts.length);
    expect(html).toContain('<tr><th scope="row">Encryption</th><td class="right">2.6</td></tr>');
    expect(html).toContain('<a href="#accuracy--utility">Accuracy &amp; utility</a>');
    expect(html).toContain('<section id="accuracy--utility"');
  });

  test('leads from marks to headings, which follow sections of the same title', async () => {
    const markdown = await read('report.md');
    expect(markdown).toContain('\n### Traffic\n');
    expect(markdown).toContain('| first | [✗ one](#traffic-1), [✓ two](#traffic-1) |');
    expect(markdown).toContain('| second | ? three, ! four, five |');
    const html = await read('report.html');
    expect(html).toContain('<h3 id="traffic-1">Traffic</h3>');
    expect(html).toContain('<span class="mark tone-bad"><a href="#traffic-1">✗ one</a></span>');
    expect(html).toContain('<span class="mark">five</span>');
    expect(html).not.toContain('<li><a href="#traffic-1">');
  });

  test('gives no id twice, and defines all that are referred to', async () => {
    const html = await read('report.html');
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const used = [...html.matchAll(/url\(#([^)]*)\)|aria-labelledby="([^"]*)"|href="#([^"]*)"/g)];
    expect(used.length).toBeGreaterThan(20);
    for (const [, ...one] of used) expect(ids).toContain(one.find((id) => id !== undefined));
  });

  test('asks for nothing from elsewhere and runs nothing', async () => {
    const files = [
      await read('report.html'),
      ...(await Promise.all(charts.map(({ name }) => read(`charts/${name}.svg`)))),
    ];
    for (const file of files) {
      expect(file).not.toMatch(/<(?:script|img|link|iframe|object|image|use|foreignObject)\b/i);
      expect(file).not.toMatch(/ (?:src|srcset|xlink:href|on\w+)=/i);
      expect(file).not.toMatch(/@import|url\((?!#)/i);
    }
  });
});

describe('hostile input', () => {
  test.each([
    ['<script>alert(1)</script>', '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>'],
    ['text <b onclick="x">bold</b>', '<p>text &lt;b onclick=&quot;x&quot;&gt;bold&lt;/b&gt;</p>'],
    ['[link](javascript:alert(1))', '<p>link</p>'],
    ['[link](data:text/html,x)', '<p>link</p>'],
    ['![picture](https://example.org/x.png)', '<p>picture</p>'],
    ['[link](https://example.org/ "t")', '<p><a href="https://example.org/" title="t">link</a></p>'],
    ['[chart](charts/growth.svg)', '<p><a href="charts/growth.svg">chart</a></p>'],
    ['`<i>` and **bold**', '<p><code>&lt;i&gt;</code> and <strong>bold</strong></p>'],
  ])('%s', (markdown, html) => {
    expect(markdownToHtml(markdown).trim()).toBe(html);
  });

  test('stays text in Markdown, for any reader', () => {
    expect(safeMarkdown('<script>x</script>')).toBe('&lt;script>x&lt;/script>');
    expect(safeMarkdown('1 < 2, `a<b>`, <https://example.org>')).toBe('1 < 2, `a<b>`, <https://example.org>');
  });

  test('whatever a cell holds comes back as that text, in HTML and in Markdown', async () => {
    const text = fc
      .array(
        fc.constantFrom(
          '<',
          '>',
          '&',
          '"',
          "'",
          '|',
          '`',
          '*',
          '_',
          '~',
          '[',
          ']',
          '(',
          ')',
          '\\',
          '!',
          '#',
          '1',
          '.',
          '-',
          ' ',
          'a',
          'script',
          '&lt;',
        ),
        {
          minLength: 1,
        },
      )
      .map((parts) => parts.join('').trim().replace(/\s+/g, ' '))
      .filter((joined) => joined !== '');
    await fc.assert(
      fc.asyncProperty(text, async (cell) => {
        const html = await reportToHtml(
          reportOf({ kind: 'table', caption: 'c', columns: [{ title: 'h', align: 'left' }], rows: [[cell]] }),
        );
        expect(plain(/<th scope="row">(.*?)<\/th>/.exec(html)![1]!)).toBe(cell);
        const rendered = marked.parse(`| h |\n| :--- |\n| ${escapeMarkdown(cell)} |`, { async: false });
        expect(plain(/<td align="left">(.*?)<\/td>/.exec(rendered)![1]!)).toBe(cell);
      }),
      { numRuns: 100 },
    );
  });

  test('stays text in the titles of charts', async () => {
    const chart: Chart = { ...utility, caption: hostile };
    expect(await inlineChart(chart, 'wide')).toContain('<title id="utility-wide-title">&lt;script&gt;alert(');
    expect(await standaloneChart(chart)).not.toContain('<script');
  });

  test('stays text in the names of lines and groups', async () => {
    const drawing = utility.drawing as BarDrawing;
    const svg = await standaloneChart({
      ...utility,
      drawing: {
        ...drawing,
        groups: ['<a>', '<b>', '<c>'],
        bars: [{ name: '<script>', values: [{ value: 1 }, undefined, undefined] }],
      },
    });
    expect(svg).toContain('&lt;script&gt;');
    expect(svg).not.toMatch(/<(?:script|a|b|c)>/);
  });

  test('in the names of charts is no member of every object', async () => {
    const members = () => [Object.prototype, Object, Object.prototype.toString].map(Reflect.ownKeys);
    const before = members();
    const names = Object.getOwnPropertyNames(Object.prototype);
    const y = { title: 'constructor', scale: 'linear' } as const;
    const bars = names.map((name) => ({ name, values: names.map(() => ({ value: 1 })) }));
    const drawn = (form: { lying?: true }) =>
      standaloneChart({ ...utility, drawing: { kind: 'bars', groups: names, y, bars, ...form } });
    for (const svg of await Promise.all([drawn({}), drawn({ lying: true })])) {
      for (const name of [...names, y.title]) expect(svg).toContain(`>${name}<`);
      expect(members()).toEqual(before);
    }
  });
});

/** Fails on any tag. */
function plain(html: string): string {
  expect(html).not.toMatch(/<|>/);
  const entities: Record<string, string> = {
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#39;': "'",
    '&amp;': '&',
  };
  return html.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity]!);
}

describe('charts', () => {
  test('name their series, label their axes and write the values of bars', async () => {
    const svg = await standaloneChart(growth);
    for (const text of ['Decryption', 'Key length in bits', '1,024', '10\u00a0ms'])
      expect(svg).toContain(`>${text}<`);
    const bars = await inlineChart(utility, 'wide');
    for (const text of ['77.2', '75.9', '96.1', '91.4', '90.7']) expect(bars).toContain(`>${text}<`);
  });

  test('draw bars as high as their values', async () => {
    const drawing: BarDrawing = {
      kind: 'bars',
      groups: ['a', 'b', 'c'],
      y: { title: 'Value', scale: 'linear' },
      bars: [{ name: 'x', values: [{ value: 10 }, undefined, { value: 40 }] }],
    };
    const svg = await standaloneChart({ kind: 'chart', name: 'heights', caption: 'c', drawing });
    const heights = [...svg.matchAll(/d="M[^"]*?v(-?[\d.]+)h[^"]*" fill="var\(--series-1\)"/g)]
      .map(([, height]) => Math.abs(Number(height)))
      .sort((a, b) => b - a);
    expect(heights[0]! / heights[1]!).toBeCloseTo(4, 1);
  });

  test('lie where they are told to, in less room', async () => {
    const drawing: BarDrawing = {
      ...(utility.drawing as BarDrawing),
      groups: ['one'],
      bars: [{ name: 'x', values: [{ value: 10 }] }],
    };
    const height = async (chart: Chart) =>
      Number(/viewBox="0 0 \d+ (\d+)"/.exec(await inlineChart(chart, 'wide'))![1]);
    const upright = { ...utility, drawing };
    const lying = await height({ ...utility, drawing: { ...drawing, lying: true } });
    expect(lying).toBeLessThan((await height(upright)) / 2);
  });

  test('are the same whatever was drawn before', async () => {
    const first = await standaloneChart(traffic);
    await standaloneChart(growth);
    // Another object, since what was drawn is kept.
    expect(await standaloneChart({ ...traffic })).toBe(first);
  });

  test('mark the points of dashed lines, but not of fits', async () => {
    const marks = async (lines: LineDrawing['lines']): Promise<number> => {
      const drawing: LineDrawing = { ...(growth.drawing as LineDrawing), lines };
      const svg = await inlineChart({ ...growth, drawing }, 'wide');
      return svg.match(/transform="translate\([^"]*\)" d="[^"]*" fill="var\(--series/g)?.length ?? 0;
    };
    const points = [1, 2, 3].map((x) => ({ x, y: x }));
    const dashed = { name: 'Dashed', style: 'dashed', points } as const;
    const alone = await marks([dashed]);
    expect(alone).toBeGreaterThanOrEqual(3);
    expect(await marks([dashed, { ...dashed, name: 'Fit', of: 'Dashed' }])).toBe(alone);
    expect(await marks([dashed, { ...dashed, name: 'Another' }])).toBeGreaterThan(alone + 2);
  });

  test('give a fit the colour of its line', async () => {
    const svg = await inlineChart(growth, 'wide');
    expect(svg).toMatch(/stroke="var\(--series-1\)"[^>]*stroke-dasharray/);
    expect(svg).not.toContain('--series-4');
  });

  test.each<readonly [string, Chart, string]>([
    [
      'zero on a logarithmic axis',
      withPoint({ x: 1, y: 0 }),
      'chart "growth", axis "Time per operation": expected values above 0 for a logarithmic axis, got 0',
    ],
    ['no number', withPoint({ x: 1, y: Number.NaN }), 'expected finite values, got NaN'],
    [
      'two lines of one name',
      { ...growth, drawing: { ...(growth.drawing as LineDrawing), lines: [line, line] } },
      'expected names of series to differ, got "Some" twice',
    ],
    [
      'a fit to no line',
      { ...growth, drawing: { ...(growth.drawing as LineDrawing), lines: [{ ...line, of: 'None' }] } },
      'expected `of` to name a line that is no fit, got "None"',
    ],
    [
      'bars without a group',
      { ...utility, drawing: { ...(utility.drawing as BarDrawing), groups: ['one'] } },
      'expected 1 values, one per group, got 3',
    ],
    [
      'a name that is no file name',
      { ...growth, name: '../../../../shared/report/growth' },
      'expected a name of a-z, 0-9, _ and -, got "../../../../shared/report/growth"',
    ],
  ])('are refused with %s, before anything is written', async (_, chart, message) => {
    const parent = await mkdtemp(join(tmpdir(), 'eigenveil-report-'));
    const folder = join(parent, 'report');
    await expect(writeReport({ folder, report: reportOf(chart), data: {} })).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_REPORT', message: expect.stringContaining(message) }),
    );
    expect(await readdir(parent)).toEqual([]);
    await rm(parent, { recursive: true });
  });

  test.each<readonly [string, readonly Block[], string]>([
    [
      'a mark that leads nowhere',
      [{ kind: 'table', caption: 'c', columns: [], rows: [[[{ text: 'x', to: 'y' }]]] }],
      'expected to lead to a heading of the report, got "y"',
    ],
    [
      'two headings of one name',
      ['a', 'b'].map((title) => ({ kind: 'heading', name: 'same', title })),
      'expected names to differ, got "same" twice',
    ],
  ])('%s is refused', (_, blocks, message) =>
    expect(writeReport({ folder: '/nowhere', report: reportOf(...blocks), data: {} })).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_REPORT', message: expect.stringContaining(message) }),
    ),
  );

  test('are refused twice under one name', () => {
    const twice = reportOf(growth, growth);
    return expect(writeReport({ folder: '/nowhere', report: twice, data: {} })).rejects.toThrow(
      'got "growth" twice',
    );
  });

  test('are drawn with numbers, whatever they show', async () => {
    const value = fc.double({ min: 1e-6, max: 1e12, noNaN: true });
    const names = fc.uniqueArray(fc.stringMatching(/^[a-zA-Z0-9_ ]{1,40}$/), { minLength: 1, maxLength: 10 });
    const scale = fc.constantFrom('linear' as const, 'log' as const);
    const style = fc.constantFrom('solid' as const, 'dashed' as const, 'points' as const);
    const drawing = fc.record({
      names,
      groups: names,
      y: value,
      spread: fc.double({ min: 0, max: 2, noNaN: true }),
      x: scale,
      scale,
      style,
    });
    await fc.assert(
      fc.asyncProperty(drawing, fc.constantFrom('wide' as const, 'narrow' as const), async (made, form) => {
        const at = (i: number, j: number): number => made.y * (1 + i) * 3 ** j;
        const lines: LineDrawing = {
          kind: 'lines',
          x: { title: 'x', scale: made.x },
          y: { title: 'y', scale: made.scale, unit: 'ms' },
          lines: made.names.map((name, i) => ({
            name,
            style: made.style,
            points: made.groups.map((_, j) => ({ x: j + 1, y: at(i, j), low: at(i, j) * (1 - made.spread) })),
          })),
        };
        const bars: BarDrawing = {
          kind: 'bars',
          groups: made.groups,
          y: { title: 'y', scale: made.scale, unit: 'bytes' },
          bars: made.names.map((name, i) => ({
            name,
            values: made.groups.map((_, j) => ({ value: at(i, j), high: at(i, j) * 1.5 })),
          })),
        };
        for (const drawing of [lines, bars]) {
          const svg = await inlineChart({ kind: 'chart', name: 'any', caption: 'c', drawing }, form);
          expect(svg).not.toMatch(/NaN|undefined|Infinity/);
        }
      }),
      { numRuns: 4 },
    );
  });
});

function withPoint(point: { x: number; y: number }): Chart {
  const drawing = growth.drawing as LineDrawing;
  return { ...growth, drawing: { ...drawing, lines: [{ name: 'Some', style: 'solid', points: [point] }] } };
}

test('sections of one title keep apart', async () => {
  const section = { title: 'Same', blocks: [] };
  const twice: Report = { title: 'Same', introduction: [], sections: [section, section] };
  expect(reportToMarkdown(twice)).toContain('- [Same](#same-1)\n- [Same](#same-2)');
  expect(await reportToHtml(twice)).toContain('<section id="same-2"');
});
