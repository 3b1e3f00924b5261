/** Grey pictures of a report: every pixel in its place, nothing asked from elsewhere. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Picture, Report } from '../../../instrument/report/document.ts';
import { reportToHtml } from '../../../instrument/report/html.ts';
import { pictureSvg } from '../../../instrument/report/pictures.ts';
import { writeReport } from '../../../instrument/report/write.ts';
import { growth, hostile } from './support/report.ts';

const faces: Picture = {
  kind: 'picture',
  name: 'faces',
  caption: hostile,
  width: 3,
  height: 2,
  pixels: [0, 255, 255, 7, 7, 7],
};

const reportOf = (...blocks: Report['sections'][number]['blocks']): Report => ({
  title: 'Some',
  introduction: [],
  sections: [{ title: 'Section', blocks }],
});

/** What the paths paint, pixel by pixel. */
function painted(svg: string, { width, pixels }: Pick<Picture, 'width' | 'pixels'>): (number | undefined)[] {
  const canvas: (number | undefined)[] = pixels.map(() => undefined);
  for (const [, grey, path] of svg.matchAll(/<path fill="rgb\((\d+),\1,\1\)" d="([^"]*)"/g)) {
    for (const [, x, y, length] of path!.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g)) {
      for (let i = 0; i < Number(length); i += 1) {
        const at = Number(y) * width + Number(x) + i;
        expect(canvas[at]).toBeUndefined();
        canvas[at] = Number(grey);
      }
    }
  }
  return canvas;
}

test('every pixel is painted once, in its grey', () => {
  const grey = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(
      fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 })).chain(([width, height]) =>
        fc.tuple(
          fc.constant({ width, height }),
          fc.array(fc.oneof(fc.constant(9), grey), {
            minLength: width * height,
            maxLength: width * height,
          }),
        ),
      ),
      ([sides, pixels]) => {
        const picture = { ...faces, ...sides, pixels };
        expect(painted(pictureSvg(picture), picture)).toEqual(pixels);
      },
    ),
  );
});

test.each([
  [{ width: 2 }],
  [{ height: 0, pixels: [] }],
  [{ width: 1.5, height: 4 }],
  [{ pixels: [0, 1, 2, 3, 4, 256] }],
  [{ pixels: [0, 1, 2, 3, 4, -1] }],
  [{ pixels: [0, 1, 2, 3, 4, 0.5] }],
  [{ width: 300, height: 300, pixels: new Array<number>(90_000).fill(0) }],
])('what is no picture is refused', (change) => {
  expect(() => pictureSvg({ ...faces, ...change })).toThrow(expect.objectContaining({ code: 'ERR_REPORT' }));
});

test('a picture stands in the page and in a file of its own, and loads nothing', async () => {
  const html = await reportToHtml(reportOf(faces));
  expect(html).toContain(pictureSvg(faces));
  expect(html).not.toMatch(/<(?:script|img|image)\b| src=/i);
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-pictures-'));
  try {
    await writeReport({ folder, report: reportOf(growth, faces), data: {} });
    expect((await readdir(join(folder, 'charts'))).sort()).toEqual(['faces.svg', `${growth.name}.svg`]);
    expect(await readFile(join(folder, 'charts/faces.svg'), 'utf8')).toBe(pictureSvg(faces));
    expect(await readFile(join(folder, 'report.md'), 'utf8')).toContain('](charts/faces.svg)');
    const twice = reportOf(growth, { ...faces, name: growth.name });
    await expect(writeReport({ folder, report: twice, data: {} })).rejects.toThrow('twice');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
