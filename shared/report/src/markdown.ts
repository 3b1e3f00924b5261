/** A report as Markdown, with its charts as files beside it. */
import type { Block, Chart, Report, Table } from './document.ts';
import { anchors, escapeMarkdown, safeMarkdown } from './text.ts';

export function reportToMarkdown(report: Report): string {
  const slugs = anchors([report.title, ...report.sections.map(({ title }) => title)]).slice(1);
  const contents = report.sections.map(
    ({ title }, index) => `- [${escapeMarkdown(title)}](#${slugs[index]})`,
  );
  const sections = report.sections.flatMap(({ title, blocks }) => [
    `## ${escapeMarkdown(title)}`,
    ...blocks.map(block),
  ]);
  const parts = [
    `# ${escapeMarkdown(report.title)}`,
    ...report.introduction.map(safeMarkdown),
    contents.join('\n'),
    ...sections,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

export function chartPath(chart: Chart): string {
  return `charts/${chart.name}.svg`;
}

function block(content: Block): string {
  if (content.kind === 'text') return safeMarkdown(content.text.trim());
  if (content.kind === 'table') return table(content);
  const caption = escapeMarkdown(content.caption);
  return `![${caption}](${chartPath(content)})\n\n*${caption}*`;
}

function table({ caption, columns, rows }: Table): string {
  const row = (cells: readonly string[]): string => `| ${cells.map(escapeMarkdown).join(' | ')} |`;
  const marks = columns.map(({ align }) => (align === 'right' ? '---:' : ':---'));
  return [
    `**${escapeMarkdown(caption)}**\n`,
    row(columns.map(({ title }) => title)),
    `| ${marks.join(' | ')} |`,
    ...rows.map(row),
  ].join('\n');
}
