/** Terms in messages about drafts: options of the command line, in whose place other surfaces say what to do. */
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
