/** Colours, textures and symbols of reports, light and dark; nothing is told by colour alone. */

interface Theme {
  readonly page: string;
  readonly surface: string;
  readonly raised: string;
  readonly ink: string;
  readonly muted: string;
  readonly rule: string;
  readonly grid: string;
  readonly accent: string;
  /** After Okabe and Ito's palette for all kinds of colour vision, with lightness that suits the surface. */
  readonly series: readonly string[];
}

const light: Theme = {
  page: '#f6f7f9',
  surface: '#ffffff',
  raised: '#eef1f5',
  ink: '#1a2230',
  muted: '#566173',
  rule: '#d8dde5',
  grid: '#e6eaf0',
  accent: '#00609c',
  series: ['#0067a5', '#d55e00', '#00936a', '#c05c9e', '#7a5200', '#3d93cf', '#3c4350', '#7d2f8a'],
};

const dark: Theme = {
  page: '#0e1218',
  surface: '#161c25',
  raised: '#1f2733',
  ink: '#e8edf4',
  muted: '#a3afc0',
  rule: '#303a48',
  grid: '#28313e',
  accent: '#7cc4f2',
  series: ['#56b4e9', '#ff8a45', '#1fbf92', '#e58fc4', '#f2cf4a', '#4d8ff2', '#b9c2cc', '#b675e2'],
};

export const seriesCount = light.series.length;

export const fontFamily = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";

const symbols = [
  'circle',
  'square',
  'triangle-up',
  'diamond',
  'triangle-down',
  'cross',
  'triangle-right',
  'triangle-left',
];

const dashes = [
  [7, 4],
  [2, 3],
  [10, 3, 2, 3],
  [14, 5],
];

/** Shifted at each turn of the colours, so that colour and symbol together stay apart. */
export function symbol(index: number): string {
  return symbols[(index + Math.floor(index / seriesCount)) % symbols.length]!;
}

export function dash(index: number): number[] {
  return dashes[index % dashes.length]!;
}

export function themeStyle(): string {
  return `:root{color-scheme:light dark;${variables(light)}}@media (prefers-color-scheme:dark){:root{${variables(dark)}}}@media print{:root{color-scheme:light;${variables(light)}}}`;
}

function variables(theme: Theme): string {
  const { series, ...plain } = theme;
  const names = Object.entries(plain).map(([name, colour]) => `--${name}:${colour}`);
  return [...names, ...series.map((colour, index) => `--series-${index + 1}:${colour}`)].join(';');
}

export function seriesColour(index: number): string {
  return `var(--series-${(index % seriesCount) + 1})`;
}

/** Bars of one series are filled with this; `prefix` keeps ids apart where several charts share a page. */
export function barFill(index: number, prefix: string): string {
  return index % seriesCount === 0
    ? seriesColour(index)
    : `url(#${prefix}-fill-${(index % seriesCount) + 1})`;
}

// Stripes and dots in the colour of the surface.
const textures = [
  '',
  '<path d="M-2 2L2 -2M-2 10L10 -2M6 10L10 6"/>',
  '<circle cx="2" cy="2" r="0.9"/><circle cx="6" cy="6" r="0.9"/>',
  '<path d="M-2 6L2 10M-2 -2L10 10M6 -2L10 2"/>',
  '<path d="M0 2H8M0 6H8"/>',
  '<path d="M2 0V8M6 0V8"/>',
  '<path d="M-2 2L2 -2M-2 10L10 -2M6 10L10 6M-2 6L2 10M-2 -2L10 10M6 -2L10 2"/>',
  '<path d="M0 4H8M4 0V8"/>',
];

export function barFillDefinitions(count: number, prefix: string): string {
  const patterns = textures
    .slice(0, count)
    .map((texture, index) =>
      index === 0
        ? ''
        : `<pattern id="${prefix}-fill-${index + 1}" width="8" height="8" patternUnits="userSpaceOnUse"><rect width="8" height="8" fill="${seriesColour(index)}"/><g stroke="var(--surface)" stroke-width="1.1" stroke-opacity="0.6" fill="${index === 2 ? 'var(--surface)' : 'none'}" fill-opacity="0.75">${texture}</g></pattern>`,
    );
  return `<defs>${patterns.join('')}</defs>`;
}
