/** What a chart is drawn for, and what a drawing is. */
import type { EChartsCoreOption } from 'echarts';

/** An option for echarts and the size that it was laid out for. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly option: EChartsCoreOption;
}

/** What a layout is made for; `prefix` is unique on the page. */
export interface Frame {
  readonly name: string;
  readonly width: number;
  readonly size: number;
  readonly prefix: string;
}
