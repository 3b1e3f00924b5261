/** The colours of charts, taken from the style sheet, so that they follow light and dark. */

export interface ChartTheme {
  readonly text: string;
  readonly quiet: string;
  readonly line: string;
  readonly ground: string;
  readonly raised: string;
  readonly good: string;
  readonly bad: string;
  readonly warn: string;
  /** The colours of series, one after the other. Their contrast to the ground is at least 3:1. */
  readonly series: readonly string[];
}

const SERIES = 8;

/** Reads the style sheet's variables for this element, as colours that need no style sheet. */
export function readTheme(element: HTMLElement): ChartTheme {
  const probe = document.createElement('span');
  element.append(probe);
  const colour = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const theme = {
    text: colour('text'),
    quiet: colour('quiet'),
    line: colour('line'),
    ground: colour('ground'),
    raised: colour('raised'),
    good: colour('good'),
    bad: colour('bad'),
    warn: colour('warn'),
    series: Array.from({ length: SERIES }, (_, i) => colour(`series-${i + 1}`)),
  };
  probe.remove();
  return theme;
}
