/** What each page does before anything else: nothing but nothing is HTML. */

// The library of charts empties its element so. Any other text as HTML is an error.
globalThis.trustedTypes?.createPolicy('default', { createHTML: (text) => (text === '' ? text : null) });
