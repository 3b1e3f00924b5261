/** Room that text takes in charts, estimated on the safe side: which font will be at hand nobody knows. */

export interface Legend {
  readonly items: readonly {
    readonly name: string;
    readonly text: string;
    readonly x: number;
    readonly y: number;
  }[];
  readonly height: number;
}

export const lineHeight = 1.3;
export const legendSymbolWidth = 28;

// A wide sans-serif such as Verdana or DejaVu needs 0.6 em for the average letter.
const letterWidth = 0.62;

export function textWidth(text: string, size: number): number {
  return Math.max(...text.split('\n').map((line) => [...line].length)) * size * letterWidth;
}

export function textHeight(text: string, size: number): number {
  return text.split('\n').length * size * lineHeight;
}

/** Breaks between words, and within a word only where it alone is too long. */
export function wrap(text: string, width: number, size: number): string {
  const letters = Math.max(1, Math.floor(width / (size * letterWidth)));
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && [...last, ' ', ...word].length <= letters) {
      lines[lines.length - 1] = `${last} ${word}`;
      continue;
    }
    const rest = [...word];
    while (rest.length > letters) lines.push(rest.splice(0, letters).join(''));
    lines.push(rest.join(''));
  }
  return lines.join('\n');
}

/** Row by row, each as full as it goes. */
export function legendOf(names: readonly string[], width: number, size: number): Legend {
  const gap = 18;
  const before = legendSymbolWidth + 6;
  const texts = names.map((name) => wrap(name, width - before, size));
  const widths = texts.map((text) => before + textWidth(text, size) + gap);
  const items: Legend['items'][number][] = [];
  let [x, y, rowHeight] = [0, 0, 0];
  for (const [index, text] of texts.entries()) {
    if (x > 0 && x + widths[index]! - gap > width) [x, y, rowHeight] = [0, y + rowHeight, 0];
    items.push({ name: names[index]!, text, x, y });
    x += widths[index]!;
    rowHeight = Math.max(rowHeight, textHeight(text, size) + 4);
  }
  return { items, height: y + rowHeight };
}
