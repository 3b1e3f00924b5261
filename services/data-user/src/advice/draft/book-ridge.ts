/** Takes ρ and ρ′ of a drafted discriminant from the sample, as the code that accompanies the book of compressive privacy does where none is given. */
import { BOOK_RIDGE, BOOK_RIDGE_SHARE, BOOK_SIGNAL_SHARE } from '@eigenveil/methods';
import { type Link, pencil, symmetricEigen } from '@eigenveil/projection/portable';
import type { TaskProposal } from '@eigenveil/task';
import { programFor } from '../describe/forecast-floor.ts';
import { sumSample } from '../describe/sample.ts';
import type { ReadSampleRows } from './sample.ts';

/** The values of a method's own flags. */
type FlagsGiven = Readonly<Record<string, unknown>>;

/** Returns whether ρ shall come from the sample. */
export const asksForBookRidge = (flags: FlagsGiven): boolean => flags.ridge === BOOK_RIDGE;

/** Returns the flags of the draft that `withBookRidge` completes. */
export const withoutBookRidge = (flags: FlagsGiven): FlagsGiven =>
  asksForBookRidge(flags) ? { ...flags, ridge: undefined } : flags;

/**
 * Returns the same task with ρ = 0.02·λ_max(S_W), to three digits: S_W is the sample's scatter within classes of the
 * first labelling, in the task's units. DCA in the book's form gets ρ′ = 0.1·ρ with it, unless the draft has one.
 * @param basis the links that the task stands on
 * @throws as `sumSample`
 */
export async function withBookRidge(
  read: ReadSampleRows,
  task: TaskProposal,
  basis?: readonly Link[],
): Promise<TaskProposal> {
  // MDR does not sum what S_W needs, and LDA of the same labels does.
  const labellings = task.labellings.slice(0, 1);
  const summed = { ...task, method: { kind: 'lda' as const, ridge: 0 }, labellings, components: 1 };
  const { statistics } = await sumSample(read, summed, basis);
  const { B } = pencil(programFor({ ...summed, exact: true, differentialPrivacy: null }), statistics);
  const ridge = digits(BOOK_RIDGE_SHARE * symmetricEigen(B!).values[0]!);
  const { method } = task;
  const isBooks = method.kind === 'dca' && method.form === 'book' && method.signalRidge === 0;
  const signal = isBooks ? { signalRidge: digits(BOOK_SIGNAL_SHARE * ridge) } : {};
  return { ...task, method: { ...method, ridge, ...signal } as TaskProposal['method'] };
}

const digits = (value: number): number => Number(value.toPrecision(3));

/** Says what ρ was taken from, and what more rows would make of it. */
export function describeBookRidge({ method, maximumOwners }: TaskProposal): string[] {
  const { ridge } = method as { readonly ridge: number };
  return [
    `ρ = ${ridge} is ${BOOK_RIDGE_SHARE} times the largest eigenvalue of the scatter within classes in the sample, which the task makes public to three digits, as it does minima and maxima; it grows with the rows: with one such sample from each owner "ridge": ${digits(ridge * maximumOwners)} is as much`,
  ];
}
