/** Checks the JSON of a task before it is sent, by the schema and the checks of the data user's service. */
import { CodedError } from '@eigenveil/platform';
import { ProposalFile, type TaskProposal } from '@eigenveil/task/schema';
import { checkComputable } from '@eigenveil/two-party/plan';
import { explainIssue } from '@eigenveil/wire/explain';
import { draftWords } from '../draft/draft-words.ts';
import { type Place, pathOf, placeIn } from './json-place.ts';

/** The service takes no more bytes than this. */
export const LARGEST_BYTES = 256 * 1024;

export interface Fault {
  readonly words: string;
  /** The place of the fault; null where the text is not JSON. */
  readonly place: Place | null;
}

export type CheckedProposal =
  | { readonly kind: 'empty' }
  | { readonly kind: 'faulty'; readonly faults: readonly Fault[] }
  | { readonly kind: 'good'; readonly proposal: TaskProposal };

/** @param now by the clock of the service */
export function checkProposal(text: string, now: Date): CheckedProposal {
  if (text.trim() === '') return { kind: 'empty' };
  if (new TextEncoder().encode(text).length > LARGEST_BYTES)
    return faulty({ words: `expected at most ${LARGEST_BYTES} bytes`, place: null });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return faulty({ words: `This is no JSON: ${(error as Error).message}`, place: null });
  }
  const parsed = ProposalFile.safeParse(value);
  if (!parsed.success)
    return faulty(
      ...parsed.error.issues.map((issue) => ({
        words: explainIssue(issue, 'the task'),
        place: placeIn(text, issue.path),
      })),
    );
  const faults = faultsOf(parsed.data, now).map((words) => ({
    words,
    place: placeIn(text, pathOf(/^"([^"]+)"/.exec(words)?.[1] ?? '')),
  }));
  return faults.length > 0 ? faulty(...faults) : { kind: 'good', proposal: parsed.data };
}

/** Returns faults that the schema cannot express. Each names its member first. */
function faultsOf(proposal: TaskProposal, now: Date): string[] {
  const faults = new Date(proposal.deadline) <= now ? ['"deadline" expected a time in the future'] : [];
  try {
    checkComputable(proposal);
    return faults;
  } catch (error) {
    const found =
      error instanceof CodedError
        ? error.faults.map(({ words }) => draftWords(words))
        : [(error as Error).message];
    return [...found, ...faults];
  }
}

function faulty(...faults: readonly Fault[]): CheckedProposal {
  return { kind: 'faulty', faults };
}
