/** Checks the JSON of a task before it is sent, by the schema and the checks of the data user's service. */
import { CodedError } from '@eigenveil/platform';
import { ProposalFile, type TaskProposal } from '@eigenveil/task/schema';
import { checkComputable } from '@eigenveil/two-party/plan';
import { explainIssue, faultsOf } from '@eigenveil/wire/explain';
import { draftWords } from '../draft/draft-words.ts';
import { askedOf, type Json } from '../draft/members.ts';
import { type Path, type Place, pathOf, placeIn } from './places.ts';

/** The service takes no more bytes than this. */
export const LARGEST_BYTES = 256 * 1024;

export interface Fault {
  /** The member, and what is wrong with it. */
  readonly words: string;
  /** The words beside the member, where its name need not be said. */
  readonly beside: string;
  /** The member, from the outside in; empty for the task as a whole. */
  readonly path: Path;
  /** The place of the fault in the text; null where the text is not JSON. */
  readonly place: Place | null;
}

type CheckedProposal =
  | { readonly kind: 'empty' }
  | { readonly kind: 'faulty'; readonly faults: readonly Fault[] }
  | { readonly kind: 'good'; readonly proposal: TaskProposal };

/** @param now by the clock of the service */
export function checkProposal(text: string, now: Date): CheckedProposal {
  if (text.trim() === '') return { kind: 'empty' };
  if (new TextEncoder().encode(text).length > LARGEST_BYTES)
    return ofText(`The task has more than ${LARGEST_BYTES} bytes, which the data user does not take.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return ofText(`This is no JSON: ${(error as Error).message}`);
  }
  const parsed = ProposalFile.safeParse(value);
  const faults = parsed.success
    ? obstaclesTo(parsed.data, { now, written: value as Json })
    : faultsOf(parsed.error).map(({ path, words }, i) => ({
        path,
        words: explainIssue(parsed.error.issues[i]!, 'the task'),
        beside: askedOf(path.at(-1))?.fault ?? draftWords(words),
      }));
  if (faults.length === 0 && parsed.success) return { kind: 'good', proposal: parsed.data };
  return { kind: 'faulty', faults: faults.map((it) => ({ ...it, place: placeIn(text, it.path) })) };
}

function ofText(words: string): CheckedProposal {
  return { kind: 'faulty', faults: [{ words, beside: words, path: [], place: null }] };
}

/**
 * Returns what the schema cannot say: the reasons for which both servers would refuse the task.
 * @param written the task as somebody wrote it, in which places are found
 */
export function obstaclesTo(
  task: TaskProposal,
  { now, written }: { readonly now: Date; readonly written: Json },
): Omit<Fault, 'place'>[] {
  const late =
    new Date(task.deadline) <= now ? [fault(['deadline'], '"deadline" expected a time in the future')] : [];
  try {
    checkComputable(task);
    return late;
  } catch (error) {
    if (!(error instanceof CodedError)) return [fault([], (error as Error).message), ...late];
    const found = error.faults.map(({ path, words }) => {
      const told = draftWords(words);
      return fault(path.length > 0 ? path : pathOf(told, written), told);
    });
    return [...found, ...late];
  }
}

const fault = (path: Path, words: string) => ({ path, words, beside: words });
