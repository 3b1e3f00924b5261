/**
 * The owner's ledger: what each task has cost each of its data sets, entry by entry. Each entry is bound to
 * the one before it, and the CSP counts the last one, so that an old copy of the ledger is noticed. Nothing
 * is ever removed from it.
 */
import { CodedError, randomBytes, toBase64url } from '@eigenveil/platform';
import { DifferentialPrivacy, TaskId } from '@eigenveil/task';
import { CODES, type Counted, Digest, digestJson, NO_ENTRY } from '@eigenveil/wire';
import { z } from 'zod';
import { DatasetName } from './dataset.ts';
import { Part } from './parts.ts';

const { epsilon, delta, neighbours, noise } = DifferentialPrivacy.shape;

/**
 * The amounts that were spent on a data set and that no other entry has. They replace what the owner said
 * before.
 */
export const Elsewhere = z.strictObject({
  epsilon: z.number().min(0),
  delta: z.number().min(0).lt(1),
  /** The relation that epsilon and delta are about. */
  neighbours,
  /** The number of answers by `rotated` without differential privacy. */
  rotated: z.int().min(0),
  /** The sum of the parts of a whole. */
  part: Part,
});
export type Elsewhere = z.infer<typeof Elsewhere>;

const place = {
  taskId: TaskId,
  by: z.enum(['rotated', 'others']),
  /**
   * Tasks of one group count once where they count as answers by `rotated`: the group is a task's own id, or
   * that of the first of its series.
   */
  group: TaskId,
  /** The part of a whole that the task takes of the rows. */
  part: Part,
};

const LedgerEvent = z.discriminatedUnion('kind', [
  /** A task under differential privacy. */
  z.strictObject({ kind: z.literal('guarantee'), ...place, epsilon, delta, neighbours, noise }),
  /** A task without differential privacy. */
  z.strictObject({ kind: z.literal('answer'), ...place }),
  Elsewhere.extend({
    kind: z.literal('set'),
    /** True if `counter` and `previous` follow what the CSP had counted, in place of the entry before. */
    isAdopted: z.boolean(),
  }),
]);
export type LedgerEvent = z.infer<typeof LedgerEvent>;

export const LedgerEntry = z.strictObject({
  /** The number of the entry: 1, 2, 3, …; after an adoption it continues from the CSP's. */
  counter: z.int().min(1),
  /** The digest of the entry before. */
  previous: Digest,
  /** A random value, so that the digest tells nothing about the entry. */
  salt: Digest,
  time: z.iso.datetime(),
  dataset: DatasetName,
  event: LedgerEvent,
});
export type LedgerEntry = z.infer<typeof LedgerEntry>;

const digestOf = (entry: LedgerEntry): Digest => digestJson('budget entry', entry);

/** Returns what the CSP must count when it has this entry. */
export const countedBy = (entry: LedgerEntry): Counted => ({
  counter: entry.counter,
  digest: digestOf(entry),
});

/** The count of an owner that has no entry. */
const NOTHING: Counted = { counter: 0, digest: NO_ENTRY };

const after = (entry: LedgerEntry | undefined): Counted => (entry === undefined ? NOTHING : countedBy(entry));

/** Makes an entry that follows the last one, or what the CSP has counted where that is adopted. */
export function nextEntry(
  ledger: readonly LedgerEntry[],
  dataset: string,
  event: LedgerEvent,
  adopted?: Counted,
): LedgerEntry {
  const { counter, digest } = adopted ?? after(ledger.at(-1));
  return {
    counter: counter + 1,
    previous: digest,
    salt: Digest.parse(toBase64url(randomBytes(32))),
    time: new Date().toISOString(),
    dataset,
    event,
  };
}

/**
 * Returns the number of entries up to the one that the CSP has counted: 0 before the first, undefined where
 * the ledger does not have it. Entries before an adoption are no longer the CSP's.
 */
export function placeOf(ledger: readonly LedgerEntry[], { counter, digest }: Counted): number | undefined {
  const start = Math.max(0, ledger.findLastIndex(isAdoption));
  const first = ledger[start];
  const { previous, counter: number } = first ?? { previous: NO_ENTRY, counter: 1 };
  if (digest === previous && counter === number - 1) return start;
  for (let i = ledger.length - 1; i >= start; i--)
    if (ledger[i]!.counter === counter) return digestOf(ledger[i]!) === digest ? i + 1 : undefined;
  return undefined;
}

export const isAdoption = ({ event }: LedgerEntry): boolean => event.kind === 'set' && event.isAdopted;

/**
 * Returns the same entries, if each follows the one before it.
 * @throws ERR_BUDGET_RESTORED where only some of them were put back
 */
export function checkedLedger(ledger: readonly LedgerEntry[]): readonly LedgerEntry[] {
  for (const [i, entry] of ledger.entries()) {
    const { counter, digest } = after(ledger[i - 1]);
    if (isAdoption(entry) || (entry.counter === counter + 1 && entry.previous === digest)) continue;
    throw new CodedError(
      CODES.ERR_BUDGET_RESTORED,
      `entry ${i + 1} of the ledger does not follow the one before it: only a part of the home was put back; put back all of it`,
    );
  }
  return ledger;
}
