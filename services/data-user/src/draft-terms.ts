/** What messages about drafts name that surfaces call differently: options of the command line, and what to do where there is none. */
import { term, type Words } from '@eigenveil/platform';

export type DraftTerm =
  | 'draftIgnore'
  | 'draftLabels'
  | 'draftMissing'
  | 'draftNameless'
  | 'draftSeparator'
  | 'draftTrim'
  | 'draftUnits'
  | 'draftWayOut';

/** Words with options in them. */
export const draftTerm = (name: DraftTerm, text: string, value?: string): Words => term(name, text, value);
