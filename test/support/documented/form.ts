/** The smallest form of a documented command, or why it cannot run here. */
import type { DocumentSite } from './site.ts';

export interface Runnable {
  /** Of the whole command, in its canonical form. */
  readonly of: RegExp;
  readonly run: (site: DocumentSite, command: string) => Promise<unknown>;
}

export type Form = Runnable | { readonly of: RegExp; readonly elsewhere: string };
