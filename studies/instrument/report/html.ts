/** A report as one HTML page that needs nothing else: no network, no scripts, no files. */

import { chartFigures } from './chart-figures.ts';
import { inlineChart } from './charts.ts';
import type { Block, Cell, Chart, Picture, Report, Table } from './document.ts';
import { escapeXml } from './escape.ts';
import { type Outline, outlineOf } from './outline.ts';
import { pictureSvg } from './pictures.ts';
import { pageStyle } from './style.ts';
import { markdownToHtml } from './text.ts';
import { themeStyle } from './theme.ts';

export async function reportToHtml(report: Report): Promise<string> {
  const drawings = await drawingsOf(report);
  const outline = outlineOf(report);
  const slugs = outline.sections;
  const title = escapeXml(report.title);
  const contents = report.sections.map(
    (section, index) => `<li><a href="#${escapeXml(slugs[index]!)}">${escapeXml(section.title)}</a></li>`,
  );
  const sections = report.sections.map(
    (section, index) =>
      `<section id="${escapeXml(slugs[index]!)}" aria-labelledby="${escapeXml(slugs[index]!)}-heading">
<h2 id="${escapeXml(slugs[index]!)}-heading">${escapeXml(section.title)}</h2>
${section.blocks.map((content) => block(content, outline, drawings)).join('\n')}
</section>`,
  );
  // Should something slip in all the same, the policy keeps it from running or loading.
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${themeStyle()}
${pageStyle}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<div class="introduction">
${report.introduction.map(markdownToHtml).join('')}</div>
</header>
<nav aria-label="Contents">
<h2>Contents</h2>
<ol>
${contents.join('\n')}
</ol>
</nav>
<main>
${sections.join('\n')}
</main>
</body>
</html>
`;
}

/** Each chart in both of its forms. */
type Drawings = ReadonlyMap<Chart, string>;

async function drawingsOf({ sections }: Report): Promise<Drawings> {
  const charts = sections.flatMap(({ blocks }) => blocks.filter((block) => block.kind === 'chart'));
  const drawings = new Map<Chart, string>();
  for (const chart of charts)
    drawings.set(chart, `${await inlineChart(chart, 'wide')}${await inlineChart(chart, 'narrow')}`);
  return drawings;
}

function block(content: Block, outline: Outline, drawings: Drawings): string {
  if (content.kind === 'heading')
    return `<h3 id="${escapeXml(outline.headingAt(content.name))}">${escapeXml(content.title)}</h3>`;
  if (content.kind === 'text') return `<div class="text">${markdownToHtml(content.text)}</div>`;
  if (content.kind === 'table') return table(content, outline);
  return content.kind === 'picture' ? picture(content) : chart(content, outline, drawings.get(content)!);
}

function picture(content: Picture): string {
  return `<figure class="chart" id="picture-${content.name}">
<div class="drawing">${pictureSvg(content)}</div>
<figcaption>${escapeXml(content.caption)}</figcaption>
</figure>`;
}

function chart(content: Chart, outline: Outline, drawing: string): string {
  const caption = escapeXml(content.caption);
  const figures = chartFigures(content);
  return `<figure class="chart" id="chart-${content.name}">
<div class="drawing">${drawing}</div>
<figcaption>${caption}</figcaption>
<details><summary>Figures of this chart</summary>
${table(figures, outline)}
</details>
</figure>`;
}

function table({ caption, columns, rows }: Table, outline: Outline): string {
  const look = (index: number): string => {
    const { align, wraps } = columns[index] ?? {};
    const names = [...(align === 'right' ? ['right'] : []), ...(wraps ? ['wraps'] : [])];
    return names.length === 0 ? '' : ` class="${names.join(' ')}"`;
  };
  const head = columns.map(({ title }, index) => `<th scope="col"${look(index)}>${escapeXml(title)}</th>`);
  const body = rows.map((cells) => {
    const [first, ...rest] = cells.map((content) => cell(content, outline));
    const others = rest.map((content, index) => `<td${look(index + 1)}>${content}</td>`);
    return `<tr><th scope="row"${look(0)}>${first ?? ''}</th>${others.join('')}</tr>`;
  });
  const short = rows.every(([first]) => lengthOf(first ?? '') <= 30) ? ' class="short"' : '';
  // Reached by the keyboard, as it may have to be scrolled.
  return `<div class="table" role="region" tabindex="0" aria-label="${escapeXml(caption)}"><table${short}>
<caption><span>${escapeXml(caption)}</span></caption>
<thead><tr>${head.join('')}</tr></thead>
<tbody>
${body.join('\n')}
</tbody>
</table></div>`;
}

function cell(content: Cell, outline: Outline): string {
  if (typeof content === 'string') return escapeXml(content);
  return content
    .map(({ text, tone, to }) => {
      const inner =
        to === undefined
          ? escapeXml(text)
          : `<a href="#${escapeXml(outline.headingAt(to))}">${escapeXml(text)}</a>`;
      return `<span class="mark${tone === undefined ? '' : ` tone-${tone}`}">${inner}</span>`;
    })
    .join('');
}

const lengthOf = (content: Cell): number =>
  typeof content === 'string' ? content.length : Math.max(0, ...content.map(({ text }) => text.length));
