/** The sizes of tasks that the pages of costs list, docs/costs.md and docs/rotated-costs.md, and what their columns have in common. */
import type { MethodParameters } from '@eigenveil/methods';
import type { StatisticsTask } from '@eigenveil/task';

export interface Shape {
  readonly method: MethodParameters;
  readonly d: number;
  /** Classes of each labelling. */
  readonly classes: readonly number[];
  readonly components: number;
  /** Columns of a sketch. */
  readonly columns?: number;
  readonly note?: string;
}

export const OWNERS = 10;
export const SAMPLES = 1000;

export function taskOf({
  method,
  d,
  classes,
  columns,
}: Pick<Shape, 'method' | 'd' | 'classes' | 'columns'>): StatisticsTask {
  return {
    method,
    features: Array.from({ length: d }, (_, i) => ({ name: `f${i}`, min: -1, max: 1 })),
    labellings: classes.map((size, l) => ({
      column: `label${l}`,
      classes: Array.from({ length: size }, (_, k) => `${k}`),
    })),
    ...(columns !== undefined && { sketch: { columns } }),
    fractionBits: 14,
    maximumOwners: OWNERS,
    maximumSamplesPerOwner: SAMPLES,
    keyBits: 2048,
    statisticalSecurityBits: 40,
  };
}

/** A line of a page's table: the shape, its costs, and the note. */
export function lineOf(
  { method, d, classes, components, columns, note }: Shape,
  costs: readonly string[],
): string {
  const scale = method.kind === 'pca' && method.scale ? ', correlation' : '';
  const sketch = columns === undefined ? '' : `, sketch of ${columns} columns`;
  const name = `${method.kind}${scale}${sketch}`;
  return `| ${[name, d, classes.join(' and ') || '–', components, ...costs, note ?? ''].join(' | ')} |`;
}

export function bytes(value: number): string {
  return value >= 1e9 ? `${(value / 1e9).toPrecision(3)} GB` : `${(value / 1e6).toPrecision(3)} MB`;
}
