/** The documents that `npm run figures` fills in and whose prose `npm run lint` checks, as patterns below the checkout. */
export const DOCUMENTS = ['*.md', 'docs/**/*.md'];
