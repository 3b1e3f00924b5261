/**
 * Text as the drawing library may be given it. Beneath echarts, zrender keeps the widths of lines of text in an ordinary object by the line
 * itself, so that it takes `__proto__` or `constructor` for a width that it knows, and writes members into Object.prototype.
 */

/** It has no width, and no name of a member begins with it. */
const MARK = '\u2060';

/** The text with a mark before each line that is the name of a member of every object. */
export function drawnText(text: string): string {
  return text
    .split('\n')
    .map((line) => (line in Object.prototype ? `${MARK}${line}` : line))
    .join('\n');
}

/** The drawing of such texts without the marks. */
export const withoutMarks = (svg: string): string => svg.replaceAll(MARK, '');
