/** Builds the console and the owner's page; `npm ci` does it, and whoever changes them. */
import { buildPages } from '@eigenveil/pages/build';

await buildPages();
