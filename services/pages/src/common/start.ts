/** Runs at the start of each page: only the empty text may become HTML. */

// The library of charts empties its element in this way. Any other text as HTML is an error.
globalThis.trustedTypes?.createPolicy('default', { createHTML: (text) => (text === '' ? text : null) });
