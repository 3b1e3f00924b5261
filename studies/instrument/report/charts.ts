/** Charts as SVG whose colours are CSS variables, so that one drawing follows light and dark. */
import { CodedError } from '@eigenveil/platform';
import * as echarts from 'echarts';
import { barOption } from './bars.ts';
import { REPORT_CODES } from './codes.ts';
import type { Chart } from './document.ts';
import { withoutMarks } from './drawn-text.ts';
import { lineOption } from './lines.ts';
import { barFillDefinitions, seriesCount, themeStyle } from './theme.ts';

export type Form = 'wide' | 'narrow';

const frames = {
  wide: { width: 800, size: 13 },
  // As wide as a small phone leaves it, so that letters keep their size there.
  narrow: { width: 330, size: 12 },
} as const;

interface Drawn {
  readonly width: number;
  readonly height: number;
  readonly content: string;
}

/** By chart: the wide form stands on the page and in a file of its own, and drawing is what a report's time goes into. */
const drawnWide = new WeakMap<Chart, Drawn>();

/** To be put into an HTML page that defines the theme's variables. */
export function inlineChart(chart: Chart, form: Form): string {
  const { width, height, content } = form === 'wide' ? wide(chart) : draw(chart, form);
  return `<svg class="${form}" viewBox="0 0 ${width} ${height}" ${opening(chart, form)}${content}</svg>`;
}

/** A file of its own, with the theme and a background. */
export function standaloneChart(chart: Chart): string {
  const { width, height, content } = wide(chart);
  const margin = 20;
  const box = `${-margin} ${-margin} ${width + 2 * margin} ${height + 2 * margin}`;
  const background = `<rect x="${-margin}" y="${-margin}" width="100%" height="100%" rx="10" fill="var(--surface)"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width + 2 * margin}" height="${height + 2 * margin}" viewBox="${box}" ${opening(chart, 'wide')}<style>${themeStyle()}</style>${background}${content}</svg>\n`;
}

function opening(chart: Chart, form: Form): string {
  const id = `${chart.name}-${form}-title`;
  return `role="img" aria-labelledby="${id}"><title id="${id}">${escapeXml(chart.caption)}</title>`;
}

function wide(chart: Chart): Drawn {
  const drawn = drawnWide.get(chart) ?? draw(chart, 'wide');
  drawnWide.set(chart, drawn);
  return drawn;
}

function draw(chart: Chart, form: Form): Drawn {
  const names = chart.drawing.kind === 'lines' ? chart.drawing.lines : chart.drawing.bars;
  const twice = names.find(({ name }, index) => names.findIndex((other) => other.name === name) !== index);
  if (twice)
    throw new CodedError(
      REPORT_CODES.ERR_REPORT,
      `chart "${chart.name}": expected names of series to differ, got "${twice.name}" twice`,
    );
  const prefix = `${chart.name}-${form}`;
  const frame = { ...frames[form], name: chart.name, prefix };
  const { width, height, option } =
    chart.drawing.kind === 'lines' ? lineOption(chart.drawing, frame) : barOption(chart.drawing, frame);
  const drawn = echarts.init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    drawn.setOption({ animation: false, ...option });
    const fills =
      chart.drawing.kind === 'bars'
        ? barFillDefinitions(Math.min(chart.drawing.bars.length, seriesCount), prefix)
        : '';
    return { width, height, content: fills + cleaned(withoutMarks(drawn.renderToSVGString()), prefix) };
  } finally {
    // Without it the timers of echarts keep the process alive.
    drawn.dispose();
  }
}

/** The drawing alone: without the root, the styles and the marks for scripts, and with ids of this chart. */
function cleaned(svg: string, prefix: string): string {
  return svg
    .replace(/^<svg[^>]*>\s*<rect[^>]*><\/rect>/, '')
    .replace(/<\/svg>\s*$/, '')
    .replace(/<style\s*>[\s\S]*?<\/style>/g, '')
    .replace(/ (?:class|ecmeta_\w+|pointer-events)="[^"]*"/g, '')
    .replace(/\bzr\d+-(c\d+)\b/g, `${prefix}-$1`)
    .replace(/ +>/g, '>')
    .replace(/\n+/g, '\n');
}

export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
