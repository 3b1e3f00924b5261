/** Charts as SVG whose colours are CSS variables, so that one drawing follows light and dark. */
import * as vega from 'vega';
import { compile } from 'vega-lite';
import type { Chart } from './document.ts';
import { drawn, withoutKeys } from './drawn.ts';
import { escapeXml } from './escape.ts';
import { figure, type UnitName } from './figures.ts';
import { barFillDefinitions, seriesCount, themeStyle } from './theme.ts';

type Form = 'wide' | 'narrow';

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

vega.expressionFunction('figure', (value: number, unit: string, digits: number) =>
  figure(value, unit === '' ? undefined : (unit as UnitName), digits),
);

/** By chart: the wide form stands on the page and in a file of its own, and drawing is what a report's time goes into. */
const drawnWide = new WeakMap<Chart, Promise<Drawn>>();

/** A chart that is put into an HTML page which defines the theme's variables. */
export async function inlineChart(chart: Chart, form: Form): Promise<string> {
  const { width, height, content } = await (form === 'wide' ? wide(chart) : draw(chart, form));
  return `<svg class="${form}" viewBox="0 0 ${width} ${height}" ${opening(chart, form)}${content}</svg>`;
}

/** A file of its own, with the theme and a background. */
export async function standaloneChart(chart: Chart): Promise<string> {
  const { width, height, content } = await wide(chart);
  const margin = 20;
  const box = `${-margin} ${-margin} ${width + 2 * margin} ${height + 2 * margin}`;
  const background = `<rect x="${-margin}" y="${-margin}" width="100%" height="100%" rx="10" fill="var(--surface)"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width + 2 * margin}" height="${height + 2 * margin}" viewBox="${box}" ${opening(chart, 'wide')}<style>${themeStyle()}</style>${background}${content}</svg>\n`;
}

function opening(chart: Chart, form: Form): string {
  const id = `${chart.name}-${form}-title`;
  return `role="img" aria-labelledby="${id}"><title id="${id}">${escapeXml(chart.caption)}</title>`;
}

function wide(chart: Chart): Promise<Drawn> {
  const found = drawnWide.get(chart) ?? draw(chart, 'wide');
  drawnWide.set(chart, found);
  return found;
}

async function draw(chart: Chart, form: Form): Promise<Drawn> {
  const prefix = `${chart.name}-${form}`;
  const { spec } = compile(drawn(chart, { ...frames[form], prefix }), { logger: vega.logger(vega.Error) });
  const view = new vega.View(vega.parse(spec), { renderer: 'none', logLevel: vega.Error });
  try {
    const svg = await view.toSVG();
    const [, width, height] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg)!;
    const { drawing } = chart;
    const fills =
      drawing.kind === 'bars' ? barFillDefinitions(Math.min(drawing.bars.length, seriesCount), prefix) : '';
    return { width: Number(width), height: Number(height), content: fills + cleaned(svg, prefix) };
  } finally {
    view.finalize();
  }
}

/** The drawing alone: without the root and what is there for scripts, and with ids of this chart. */
function cleaned(svg: string, prefix: string): string {
  return (
    withoutKeys(svg)
      .replace(/^<svg[^>]*>/, '')
      .replace(/<\/svg>\s*$/, '')
      // Labels for which there is no room.
      .replace(/<text [^>]*opacity="0"[^>]*>[^<]*<\/text>/g, '')
      .replace(/ (?:class|pointer-events|aria-[a-z]+|role)="[^"]*"/g, '')
      .replace(/\b(clip|gradient)_?(\d+)\b/g, `${prefix}-$1$2`)
  );
}
