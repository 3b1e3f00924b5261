/** Every link within the documents arrives: at a file that is there, and at a heading that it has. */
import { existsSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { documents, ROOT, read } from './support/documented/list.ts';

const LINK = /\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]+))?\)/g;

/** Returns a document without what is code, where brackets are no link. */
const proseOf = (markdown: string) =>
  markdown.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`]*`/g, '``');

/** Returns the anchors of a document's headings, as GitHub makes them. */
function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading] of markdown.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#{1,6} (.+)$/gm)) {
    const text = heading!.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = text.replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '').replaceAll(' ', '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

test('every link of a document arrives at a file, and at a heading that it has', () => {
  const lost: string[] = [];
  let count = 0;
  // Programs write the reports, and have tests of their own.
  for (const document of documents().filter((name) => !name.endsWith('/report.md')))
    for (const [link, path, anchor] of proseOf(read(document)).matchAll(LINK)) {
      count += 1;
      const target = path === '' ? document : normalize(join(dirname(document), decodeURI(path!)));
      const isThere = existsSync(join(ROOT, target));
      const isFound =
        isThere &&
        (anchor === undefined ||
          (statSync(join(ROOT, target)).isFile() && anchorsOf(read(target)).has(decodeURI(anchor))));
      if (!isFound) lost.push(`${document}: ${link}`);
    }
  expect(count).toBeGreaterThan(500);
  expect(lost).toEqual([]);
});
