/** A report as one HTML page that needs nothing else: no network, no scripts, no files. */

import { chartFigures } from './chart-figures.ts';
import { escapeXml, inlineChart } from './charts.ts';
import type { Block, Chart, Report, Table } from './document.ts';
import { pageStyle } from './style.ts';
import { anchors, markdownToHtml } from './text.ts';
import { themeStyle } from './theme.ts';

export function reportToHtml(report: Report): string {
  const slugs = anchors([report.title, ...report.sections.map(({ title }) => title)]).slice(1);
  const title = escapeXml(report.title);
  const contents = report.sections.map(
    (section, index) => `<li><a href="#${escapeXml(slugs[index]!)}">${escapeXml(section.title)}</a></li>`,
  );
  const sections = report.sections.map(
    (section, index) =>
      `<section id="${escapeXml(slugs[index]!)}" aria-labelledby="${escapeXml(slugs[index]!)}-heading">
<h2 id="${escapeXml(slugs[index]!)}-heading">${escapeXml(section.title)}</h2>
${section.blocks.map(block).join('\n')}
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

function block(content: Block): string {
  if (content.kind === 'text') return `<div class="text">${markdownToHtml(content.text)}</div>`;
  if (content.kind === 'table') return table(content);
  return chart(content);
}

function chart(content: Chart): string {
  const caption = escapeXml(content.caption);
  const figures = chartFigures(content);
  return `<figure class="chart" id="chart-${content.name}">
<div class="drawing">${inlineChart(content, 'wide')}${inlineChart(content, 'narrow')}</div>
<figcaption>${caption}</figcaption>
<details><summary>Figures of this chart</summary>
${table(figures)}
</details>
</figure>`;
}

function table({ caption, columns, rows }: Table): string {
  const align = (index: number): string => (columns[index]?.align === 'right' ? ' class="right"' : '');
  const head = columns.map(({ title }, index) => `<th scope="col"${align(index)}>${escapeXml(title)}</th>`);
  const body = rows.map((cells) => {
    const [first, ...rest] = cells.map(escapeXml);
    const others = rest.map((cell, index) => `<td${align(index + 1)}>${cell}</td>`);
    return `<tr><th scope="row"${align(0)}>${first ?? ''}</th>${others.join('')}</tr>`;
  });
  const short = rows.every(([first]) => (first ?? '').length <= 30) ? ' class="short"' : '';
  // Reached by the keyboard, as it may have to be scrolled.
  return `<div class="table" role="region" tabindex="0" aria-label="${escapeXml(caption)}"><table${short}>
<caption><span>${escapeXml(caption)}</span></caption>
<thead><tr>${head.join('')}</tr></thead>
<tbody>
${body.join('\n')}
</tbody>
</table></div>`;
}
