/** What each page does before anything else: nothing is compiled from text, and nothing but nothing is HTML. */
import { z } from 'zod';

// zod would try to compile functions, which the Content-Security-Policy forbids and would report.
z.config({ jitless: true });

// The library of charts empties its element so. Any other text as HTML is an error.
globalThis.trustedTypes?.createPolicy('default', { createHTML: (text) => (text === '' ? text : null) });
