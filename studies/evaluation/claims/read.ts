/** The claims of the documents: an id in brackets names the text before it. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ClaimId } from '../experiment.ts';
import type { ClaimResult } from '../result.ts';
import { CLAIM_DOCUMENTS } from './documents.ts';

export type Claim = Pick<ClaimResult, 'id' | 'document' | 'heading' | 'text'>;

const ROOT = new URL('../../../', import.meta.url);

/** An id that is no link to a claim elsewhere, nor the example that explains what such a bracket is. */
const ID = /(?<!such as )\[([SP]-[1-9]\d*)\](?!\()/g;
/** Where a new claim can begin: an item of a list, a line of a table. */
const ITEM = /^\s*(?:- |\d+\. |\|)/;
const ROW = /^\s*\|/;
const FENCE = /^\s*```/;

/**
 * Reads the claims in the order of the documents.
 * @throws Error when two claims have one id, or an id stands behind nothing
 */
export async function readClaims(): Promise<Claim[]> {
  const claims: Claim[] = [];
  for (const document of CLAIM_DOCUMENTS) {
    const text = await readFile(fileURLToPath(new URL(document, ROOT)), 'utf8');
    claims.push(...claimsOf(document, text));
  }
  const ids = claims.map(({ id }) => id);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined) throw new Error(`two claims are called ${twice}`);
  return claims;
}

export function claimsOf(document: Claim['document'], markdown: string): Claim[] {
  let heading = '';
  let lead = '';
  return blocksOf(markdown).flatMap((block): Claim[] => {
    const title = /^#+ (.*)/.exec(block)?.[1];
    if (title !== undefined) heading = title;
    else if (!ITEM.test(block)) lead = block.replace(ID, '').trim();
    let from = 0;
    return [...block.matchAll(ID)].map((match): Claim => {
      const text = wordsOf(block.slice(from, match.index));
      from = match.index + match[0].length;
      if (text === '') throw new Error(`${document}: ${match[0]} expected a claim before it`);
      // "learns …" is of whom the line before the list names.
      const isList = ITEM.test(block) && !ROW.test(block);
      const whole = isList && /^[a-z]/.test(text) ? `${lead} ${text}` : text;
      return { id: match[1] as ClaimId, document, heading, text: whole };
    });
  });
}

/** Paragraphs, headings, items of lists and lines of tables, each in one line; no code. */
function blocksOf(markdown: string): string[] {
  const blocks: string[] = [];
  let open = false;
  let fenced = false;
  for (const line of markdown.split('\n')) {
    if (FENCE.test(line)) fenced = !fenced;
    if (fenced || line.trim() === '' || FENCE.test(line)) open = false;
    else if (open && !ITEM.test(line)) blocks.push(`${blocks.pop()} ${line.trim()}`);
    else {
      blocks.push(line.trim());
      open = !/^#+ /.test(line);
    }
  }
  return blocks;
}

/** Returns a text without the marks of lists and of tables. */
function wordsOf(text: string): string {
  return text
    .replace(/^\s*(?:- |\d+\. )/, '')
    .split('|')
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '')
    .join(' · ')
    .trim();
}
