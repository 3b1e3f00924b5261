/** The one HTML file of a page: it loads a script and a style sheet, by their digests. */

export type Page = 'console' | 'owner';

const TITLES: Readonly<Record<Page, string>> = {
  console: 'Eigenveil console',
  owner: 'Eigenveil: your contribution',
};

export function pageHtml(page: Page, digests: { readonly script: string; readonly style: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${TITLES[page]}</title>
<link rel="stylesheet" href="main.css" integrity="${digests.style}">
<script type="module" src="main.js" integrity="${digests.script}"></script>
</head>
<body>
<div id="page"><noscript>This page computes in your browser: it needs JavaScript.</noscript></div>
</body>
</html>
`;
}
