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

// Of an em, in a wide sans-serif such as Verdana or DejaVu: most fonts need less.
const widths = [
  [/[ijlI.,:;'|!]/, 0.34],
  [/[ftr()[\]\s/-]/, 0.42],
  [/[mwMW%]/, 0.98],
  [/[A-Z]/, 0.72],
] as const;
const commonWidth = 0.645;

export function textWidth(text: string, size: number): number {
  return Math.max(...text.split('\n').map(lineWidth)) * size;
}

function lineWidth(line: string): number {
  return [...line].reduce(
    (sum, letter) => sum + (widths.find(([some]) => some.test(letter))?.[1] ?? commonWidth),
    0,
  );
}

export function textHeight(text: string, size: number): number {
  return text.split('\n').length * size * lineHeight;
}

/** Breaks between words, and within a word only where it alone is too long: there after a mark such as _ if it can. */
export function wrap(text: string, width: number, size: number): string {
  const lines: string[] = [];
  // A space that does not break, as between a figure and its unit, is none here.
  for (const word of text.split(/[ \t\n]+/)) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(`${last} ${word}`, size) <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
      continue;
    }
    let rest = word;
    for (let head = fitting(rest, width, size); head !== rest; head = fitting(rest, width, size)) {
      lines.push(head);
      rest = rest.slice(head.length);
    }
    lines.push(rest);
  }
  return lines.join('\n');
}

/** As much of a word's beginning as fits, at least a letter. */
function fitting(word: string, width: number, size: number): string {
  const letters = [...word];
  let count = letters.length;
  while (count > 1 && textWidth(letters.slice(0, count).join(''), size) > width) count--;
  if (count === letters.length) return word;
  const mark = letters.slice(0, count).findLastIndex((letter) => /[_/.-]/.test(letter));
  return letters.slice(0, mark > 0 ? mark + 1 : count).join('');
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
