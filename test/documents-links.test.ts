/** Every link of the documents arrives: the file is there, the heading too, and the page that its words name. */
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { anchors } from '@eigenveil/studies/instrument/report/text';
import { expect, test } from 'vitest';
import { documents, ROOT, read } from './support/documented/list.ts';

const withoutCode = (markdown: string) =>
  markdown.replaceAll(/^\s*```[\s\S]*?^\s*```/gm, '').replaceAll(/`[^`]*`/g, (code) => code.slice(1, -1));

const headingsOf = (markdown: string): readonly string[] =>
  anchors(Array.from(withoutCode(markdown).matchAll(/^#+ (.*)$/gm), ([, title]) => title!));

function lost(document: string): string[] {
  const links = [...withoutCode(read(document)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [path, anchor] = link.split('#');
      const file = path === '' ? document : normalize(join(dirname(document), path!));
      if (!existsSync(join(ROOT, file))) return true;
      return anchor !== undefined && file.endsWith('.md') && !headingsOf(read(file)).includes(anchor);
    })
    .map((link) => `${document}: ${link}`);
}

/** Links whose words are the name of one document, with or without its folder, and which open another one. */
const misnamed = (document: string): string[] =>
  [...withoutCode(read(document)).matchAll(/\[([\w./-]+\.md)\]\(([^)\s#]*)[^)\s]*\)/g)]
    .filter(([, name, path]) => {
      const opened = path === '' ? document : normalize(join(dirname(document), path!));
      return !`/${opened}`.endsWith(`/${name!.replace(/^(\.{1,2}\/)+/, '')}`);
    })
    .map(([link]) => `${document}: ${link}`);

test('a link leads to a file that is there, and to a heading that it has', () => {
  // The words of studies have places for links, which their reports fill in.
  const checked = documents().filter((name) => !/^(studies|services\/pages\/bench)\//.test(name));
  expect(checked).toEqual(expect.arrayContaining(['SECURITY.md', 'docs/security/releases.md']));
  expect(checked.flatMap(lost)).toEqual([]);
});

test('a link whose words are the name of a document opens that document', () => {
  expect(documents().flatMap(misnamed)).toEqual([]);
});
