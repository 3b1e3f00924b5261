/** The figures that a chart draws as a table, for those who want to read or to hear them. */
import type { Chart, Table } from './document.ts';
import { figure } from './figures.ts';

export function chartFigures({ caption: title, drawing }: Chart): Table {
  const caption = `Figures: ${title}`;
  const { unit } = drawing.y;
  const number = (value: number | undefined): string => (value === undefined ? '' : figure(value, unit, 4));
  const right = (title: string) => ({ title, align: 'right' as const });
  const left = (title: string) => ({ title, align: 'left' as const });
  const ends = [right('Whisker from'), right('to')];
  if (drawing.kind === 'lines')
    return {
      kind: 'table',
      caption,
      columns: [left('Series'), right(drawing.x.title), right(drawing.y.title), ...ends],
      rows: drawing.lines.flatMap(({ name, points }) =>
        points.map(({ x, y, low, high }) => [
          name,
          figure(x, drawing.x.unit, 6),
          number(y),
          number(low),
          number(high),
        ]),
      ),
    };
  return {
    kind: 'table',
    caption,
    columns: [left('Group'), left('Series'), right(drawing.y.title), ...ends],
    rows: drawing.groups.flatMap((group, index) =>
      drawing.bars.map(({ name, values }) => {
        const value = values[index];
        return [group, name, value ? number(value.value) : 'none', number(value?.low), number(value?.high)];
      }),
    ),
  };
}
