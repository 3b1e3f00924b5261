/**
 * The one HTML file of a page: it loads a script and a style sheet, by their digests, and keeps browsers from
 * asking for an icon.
 */

export type Page = 'console' | 'owner';

/** Digests in the form of the attribute `integrity`. */
export interface Digests {
  readonly script: string;
  readonly style: string;
}

const TITLES: Readonly<Record<Page, string>> = {
  console: 'Eigenveil console',
  owner: 'Eigenveil: your contribution',
};

/**
 * The policy of the owner's page stands in the page itself, since the page lies at any host (the console gets
 * its policy from the data user). `connect-src 'self'` is for the worker. Whoever makes the page for a host
 * adds the services there; until then the page reaches none.
 */
const OWNER_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  'worker-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types default eigenveil-worker',
].join('; ');

export function pageHtml(page: Page, { script, style }: Digests): string {
  const policy =
    page === 'owner' ? `\n<meta http-equiv="Content-Security-Policy" content="${OWNER_POLICY}">` : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">${policy}
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>${TITLES[page]}</title>
<link rel="stylesheet" href="main.css" integrity="${style}">
<script type="module" src="main.js" integrity="${script}"></script>
</head>
<body>
<div id="page"><noscript>This page computes in your browser: it needs JavaScript.</noscript></div>
</body>
</html>
`;
}
