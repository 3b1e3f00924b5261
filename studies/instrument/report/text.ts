/** The Markdown of reports, in which HTML is text: what comes out of data must not become markup. */
import { Marked, type Token } from 'marked';
import { escapeXml } from './escape.ts';

// Addresses that a reader may follow; the rest, such as javascript:, stays text.
const followed = /^(?:https?:\/\/|mailto:|#|[\w./-]+(?:[#?]|$))/i;

const marked = new Marked({
  gfm: true,
  // Neither blocks nor tags of HTML are known, so they are text and get escaped.
  tokenizer: { html: () => undefined, tag: () => undefined },
  renderer: {
    link({ href, title, tokens }) {
      const text = this.parser.parseInline(tokens);
      if (!followed.test(href)) return text;
      return `<a href="${escapeXml(href)}"${title ? ` title="${escapeXml(title)}"` : ''}>${text}</a>`;
    },
    // A report asks for nothing from elsewhere.
    image({ text }) {
      return escapeXml(text);
    },
  },
});

export function markdownToHtml(text: string): string {
  return marked.parse(text, { async: false });
}

/** Markdown that shows HTML as text, in whatever reads it. */
export function safeMarkdown(text: string): string {
  return holdsHtml(text) ? text.replace(/<(?=[a-z/!?])/gi, '&lt;') : text;
}

function holdsHtml(text: string): boolean {
  const plain = new Marked({ gfm: true });
  let found = false;
  plain.walkTokens(plain.lexer(text), (token: Token) => {
    if (token.type === 'html') found = true;
  });
  return found;
}

/** Returns what a reader of the Markdown sees, without its marks: for places that take plain text. */
export function textOf(markdown: string): string {
  const plain = new Marked({ gfm: true });
  const parts: string[] = [];
  plain.walkTokens(plain.lexer(markdown), (token: Token) => {
    if (!('tokens' in token) && 'text' in token && token.type !== 'table') parts.push(token.text);
  });
  return parts.join('').replace(/\s+/g, ' ').trim();
}

/** Plain text as Markdown that shows just that text. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\\`*[\]<>|~$]/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replace(/&(?=#?\w+;)/g, '\\&')
    .replace(/^(\d*)([#+.)-])(?=\s)/, '$1\\$2');
}

/** The anchor that GitHub, too, gives to a heading. */
export function anchors(titles: readonly string[]): readonly string[] {
  const taken = new Map<string, number>();
  return titles.map((title) => {
    const slug = title
      .toLowerCase()
      .trim()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    const times = taken.get(slug) ?? 0;
    taken.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  });
}
