/** Axes, their titles and legends as options of echarts, which is told every place and every label. */
import { drawnText } from './drawn-text.ts';
import type { Legend } from './layout.ts';
import { legendSymbolWidth, lineHeight } from './layout.ts';
import type { Scale } from './scale.ts';
import { fontFamily } from './theme.ts';

export function textStyle(size: number, colour: string): object {
  return { color: colour, fontSize: size, fontFamily, fontWeight: 'normal', lineHeight: size * lineHeight };
}

export interface AxisLook {
  readonly line: boolean;
  readonly grid: boolean;
  readonly inverse?: boolean;
}

export function axisOption(scale: Scale, size: number, look: AxisLook): object {
  const values = scale.ticks.map(({ position }) => position);
  const labels = new Map(scale.ticks.map(({ position, label }) => [position, drawnText(label)]));
  return {
    type: 'value',
    min: 0,
    max: 1,
    inverse: look.inverse ?? false,
    axisLine: { show: look.line, onZero: false, lineStyle: { color: 'var(--muted)', width: 1 } },
    axisTick: { show: false, customValues: values },
    splitLine: {
      show: look.grid,
      customValues: values,
      showMinLine: true,
      showMaxLine: true,
      lineStyle: { color: 'var(--grid)', width: 1 },
    },
    axisLabel: {
      ...textStyle(size, 'var(--muted)'),
      customValues: values,
      formatter: (value: number) => labels.get(value) ?? '',
      hideOverlap: false,
      showMinLabel: true,
      showMaxLabel: true,
      margin: 8,
    },
  };
}

export function titleOption(
  text: string,
  size: number,
  place: { readonly left: number; readonly top: number; readonly textAlign?: 'center' },
): object {
  return {
    text: drawnText(text),
    padding: 0,
    textStyle: { ...textStyle(size, 'var(--ink)'), fontWeight: 'bold' },
    ...place,
  };
}

/** One component for each item: so its place is ours, and not the guess of echarts at the width of text. */
export function legendOption({ items }: Legend, size: number, symbolHeight: number): readonly object[] {
  return items.map(({ name, text, x, y }) => ({
    data: [name],
    formatter: () => drawnText(text),
    left: x,
    top: y,
    padding: 0,
    itemWidth: legendSymbolWidth,
    itemHeight: symbolHeight,
    selectedMode: false,
    textStyle: textStyle(size, 'var(--ink)'),
  }));
}
