/** A report as Markdown, with its charts as files beside it. */
import type { Block, Cell, Chart, Picture, Report, Table } from './document.ts';
import { type Outline, outlineOf } from './outline.ts';
import { escapeMarkdown, safeMarkdown } from './text.ts';

export function reportToMarkdown(report: Report): string {
  const outline = outlineOf(report);
  const contents = report.sections.map(
    ({ title }, index) => `- [${escapeMarkdown(title)}](#${outline.sections[index]})`,
  );
  const sections = report.sections.flatMap(({ title, blocks }) => [
    `## ${escapeMarkdown(title)}`,
    ...blocks.map((content) => block(content, outline, report)),
  ]);
  const parts = [
    `# ${escapeMarkdown(report.title)}`,
    ...report.introduction.map(safeMarkdown),
    contents.join('\n'),
    ...sections,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** The tables of a report alone, as somebody at a terminal reads them. */
export function tablesToMarkdown(report: Report): string {
  const outline = outlineOf(report);
  const tables = report.sections.flatMap(({ blocks }) => blocks.filter((one) => one.kind === 'table'));
  return tables.map((one) => block(one, outline, report)).join('\n\n');
}

/** Returns whether a chart stands in a file of its own, which the Markdown shows. */
export function hasFile(chart: Chart | Picture, { isSparing }: Report): boolean {
  return isSparing !== true || chart.kind === 'picture' || chart.isKept === true;
}

export function chartPath(chart: Chart | Picture): string {
  return `charts/${chart.name}.svg`;
}

function block(content: Block, outline: Outline, report: Report): string {
  if (content.kind === 'heading') return `### ${escapeMarkdown(content.title)}`;
  if (content.kind === 'text') return safeMarkdown(content.text.trim());
  if (content.kind === 'table')
    return `**${escapeMarkdown(content.caption)}**\n\n${tableToMarkdown(content, outline.headingAt)}`;
  const caption = escapeMarkdown(content.caption);
  if (!hasFile(content, report)) return `*Chart, drawn in report.html: ${caption}*`;
  return `![${caption}](${chartPath(content)})\n\n*${caption}*`;
}

/** A table without its caption. */
export function tableToMarkdown(
  { columns, rows }: Table,
  headingAt: Outline['headingAt'] = () => '',
): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const marks = columns.map(({ align }) => (align === 'right' ? '---:' : ':---'));
  return [
    row(columns.map(({ title }) => escapeMarkdown(title))),
    `| ${marks.join(' | ')} |`,
    ...rows.map((cells) => row(cells.map((content) => cell(content, headingAt)))),
  ].join('\n');
}

function cell(content: Cell, headingAt: Outline['headingAt']): string {
  if (typeof content === 'string') return escapeMarkdown(content);
  return content
    .map(({ text, to }) => {
      const plain = escapeMarkdown(text);
      return to === undefined ? plain : `[${plain}](#${headingAt(to)})`;
    })
    .join(', ');
}
