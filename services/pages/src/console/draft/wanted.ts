/** The wishes that the form of a draft holds: how they begin for a method, what is wrong with them, and their draft. */
import {
  asksForBookRidge,
  type DraftBasis,
  describeBookRidge,
  draftRanged,
  draftRefining,
  type ReadSampleRows,
  type Sample,
  withBookRidge,
  withoutBookRidge,
} from '@eigenveil/data-user/draft';
import { type Flags, flagNaming, flagsSchema, METHODS, type MethodName } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { TaskId } from '@eigenveil/task/ids';
import { DifferentialPrivacy, TaskProposal } from '@eigenveil/task/schema';
import { isTransient } from '@eigenveil/wire/errors';
import { faultsOf as faultsOfSchema } from '@eigenveil/wire/explain';
import type { z } from 'zod';
import { capital } from '../../common/format.ts';
import type { Path } from '../create/places.ts';
import {
  type Choice,
  choiceOf,
  firstDraft,
  LEVELS,
  probableRoles,
  type Role,
  targetFlag,
  usualComponents,
} from './first-draft.ts';
import type { FormFault } from './form-faults.ts';
import { type Json, type Member, memberOf, numberOrText } from './members.ts';

export interface Wanted {
  readonly method: MethodName;
  /** One role for each column. */
  readonly roles: readonly Role[];
  /** Values of the method's own flags, without the column that is predicted. */
  readonly flags: { readonly [name: string]: Json };
  /** Empty means as many as usual, as far as the task allows them. */
  readonly components: string;
  readonly owners: string;
  /** Empty means one that computes the method. */
  readonly twoParty: '' | 'garbled' | 'rotated';
  /** Empty means no differential privacy. */
  readonly epsilon: string;
  /** The range of all features; empty means that of each column in the sample. */
  readonly least: string;
  readonly largest: string;
  /** The id of a histogram that ranges are taken from; empty means none. */
  readonly rangesFrom: string;
}

/** The wishes that no method decides. */
type Undecided = Omit<Wanted, 'method' | 'roles' | 'flags'>;

const OWNERS = '10';
/** Proposed where a method needs one. */
const EPSILON = '1';

const UNDECIDED: Undecided = {
  components: '',
  owners: OWNERS,
  twoParty: '',
  epsilon: '',
  least: '',
  largest: '',
  rangesFrom: '',
};

/** Returns the wishes for a method: what is probable, and of the wishes before what no method decides. */
export function wantedFor(sample: Sample, method: MethodName, before: Undecided = UNDECIDED): Wanted {
  const { isLinear } = METHODS[method];
  return {
    ...before,
    method,
    roles: probableRoles(sample, method),
    flags: usualFlags(method),
    epsilon: isLinear && before.epsilon.trim() === '' ? EPSILON : before.epsilon,
  };
}

const flagsOf = (method: MethodName): Flags => METHODS[method].draft.flags;

/** Returns the method's flags as members of a form, except the one that names a column. */
export function flagMembers(method: MethodName): Member[] {
  return Object.entries(flagsOf(method)).flatMap(([name, { schema, description, names }]) =>
    names === 'target' ? [] : [{ ...memberOf(name, schema), says: `${capital(description)}.` }],
  );
}

/** Returns the values that the method's flags have where nobody gives others. */
function usualFlags(method: MethodName): Wanted['flags'] {
  return Object.fromEntries(
    Object.entries(flagsOf(method)).flatMap(([name, { default: usual }]) =>
      usual === undefined ? [] : [[name, usual as Json]],
    ),
  );
}

/** Returns whether the method takes ranges from a histogram: those that count values make them. */
export const takesRanges = (method: MethodName): boolean => !('countsValues' in METHODS[method].draft);

/**
 * Returns the most components to propose: for a method of labels one less than the number of classes in the
 * sample.
 */
export function probableComponents({ columns }: Sample, { roles, method }: Wanted): number {
  const features = roles.filter((role) => role === 'feature').length;
  if (METHODS[method].labellings === 0) return usualComponents(features);
  const classes = columns[roles.indexOf('first')]?.labels?.length ?? 2;
  return Math.max(1, Math.min(features, classes - 1));
}

/**
 * Returns all that is wrong with the wishes; members of Wanted are the paths.
 * @param failed how the last draft has failed: a result that cannot be taken is wrong for as long as it is named
 */
export function faultsOf(sample: Sample, wanted: Wanted, failed: unknown = null): readonly FormFault[] {
  const { method, roles, flags, components, owners, epsilon, least, largest, rangesFrom } = wanted;
  const { isLinear, draft } = METHODS[method];
  const { hasComponents, takesEpsilon } = draft;
  const { shape } = TaskProposal;
  const choice = choiceOf(sample, roles, method);
  const isRanged = least.trim() !== '' || largest.trim() !== '';
  return [
    ...(typeof choice === 'string' ? [{ path: ['roles'], words: choice }] : []),
    ...faultsOfFlags(method, flags),
    ...(hasComponents && components.trim() !== ''
      ? faultsAt(['components'], shape.components.min(1), components)
      : []),
    ...faultsAt(['owners'], shape.maximumOwners, owners),
    ...(takesEpsilon && isLinear && epsilon.trim() === ''
      ? [{ path: ['epsilon'], words: 'This method needs an ε: its sums are released with noise alone.' }]
      : []),
    ...(takesEpsilon && epsilon.trim() !== ''
      ? faultsAt(['epsilon'], DifferentialPrivacy.shape.epsilon, epsilon)
      : []),
    ...(isRanged ? faultsOfRange(least, largest) : []),
    ...(takesRanges(method) ? faultsOfTask(['rangesFrom'], rangesFrom) : []),
    ...(takesRanges(method) &&
    rangesFrom.trim() !== '' &&
    (isRanged || refinedBy(method, flags) !== undefined)
      ? [{ path: ['rangesFrom'], words: 'Give one of these: a range, a histogram, or a result to refine.' }]
      : []),
    ...(failed instanceof NamedResultFault &&
    [rangesFrom, refinedBy(method, flags)?.value].includes(failed.id)
      ? [{ path: failed.path, words: `${capital(failed.message)}.` }]
      : []),
  ];
}

function faultsOfFlags(method: MethodName, flags: Wanted['flags']): FormFault[] {
  const target = targetFlag(method);
  const given = target === undefined ? flags : { ...flags, [target]: 'any' };
  const { error } = flagsSchema(method).safeParse(given);
  const refined = refinedBy(method, flags);
  return [
    ...(error === undefined ? [] : faultsOfSchema(error)).map(({ path, words }) => ({
      path: ['flags', ...path],
      words: `${capital(String(words))}.`,
    })),
    ...(refined === undefined ? [] : faultsOfTask(['flags', refined.flag], refined.value)),
  ];
}

/** Returns the flag that names an earlier result, and its text; undefined where it is left empty. */
function refinedBy(method: MethodName, flags: Wanted['flags']) {
  const named = flagNaming('result', method, flags);
  return named === undefined || named.value.trim() === '' ? undefined : named;
}

function faultsOfRange(least: string, largest: string): FormFault[] {
  const [from, to] = [least, largest].map((text) => numberOrText(text));
  return [
    ...(typeof from === 'number' ? [] : [{ path: ['least'], words: 'Expected a number.' }]),
    ...(typeof to === 'number' ? [] : [{ path: ['largest'], words: 'Expected a number.' }]),
    ...(typeof from === 'number' && typeof to === 'number' && from >= to
      ? [{ path: ['largest'], words: `Expected more than ${from}.` }]
      : []),
  ];
}

function faultsOfTask(path: Path, id: string): FormFault[] {
  return id.trim() === '' || TaskId.safeParse(id.trim()).success
    ? []
    : [{ path, words: 'Expected the id of a task: 22 letters, digits, - and _.' }];
}

function faultsAt(path: Path, schema: z.ZodType, text: string): FormFault[] {
  const { error } = schema.safeParse(numberOrText(text));
  return error === undefined
    ? []
    : faultsOfSchema(error).map(({ words }) => ({ path, words: `${capital(String(words))}.` }));
}

/** An earlier result that a field names cannot be taken. */
export class NamedResultFault extends Error {
  readonly path: Path;
  /** The id as it was written. */
  readonly id: string;

  constructor(path: Path, id: string, cause: CodedError) {
    super(cause.message, { cause });
    this.path = path;
    this.id = id;
  }
}

/**
 * Fetches the result that a field names.
 * @throws NamedResultFault if there is none to take; others where another attempt may do
 */
async function namedResult(sources: Sources, path: Path, id: string): Promise<DraftBasis> {
  try {
    return await sources.result(TaskId.parse(id.trim()));
  } catch (error) {
    if (!(error instanceof CodedError) || isTransient(error)) throw error;
    throw new NamedResultFault(path, id, error);
  }
}

/** The sources of all that a draft needs and the form does not have. */
export interface Sources {
  /** Reads the sample once more. */
  readonly read: ReadSampleRows;
  /** Reads the sample's columns once more, for a range that was given. */
  readonly sampleIn: (range: readonly [min: number, max: number]) => Promise<Sample>;
  /** Fetches the result of a task that is done, and checks it. */
  readonly result: (taskId: TaskId) => Promise<DraftBasis>;
}

export interface DraftWanted {
  /** The proposal, with consent to its ranges. */
  readonly proposal: TaskProposal;
  /** Words on what the draft has taken from elsewhere. */
  readonly notes: readonly string[];
}

/**
 * Returns the proposal.
 * @throws RangeError for columns that the method does not take; NamedResultFault; ERR_CLIPPED; as `firstDraft`, as the sources
 */
export async function draftWanted(sample: Sample, wanted: Wanted, sources: Sources): Promise<DraftWanted> {
  const { method, roles, components, owners, twoParty, epsilon, least, largest, rangesFrom } = wanted;
  const choice = choiceOf(sample, roles, method);
  if (typeof choice === 'string') throw new RangeError(choice);
  const { hasComponents, takesEpsilon } = METHODS[method].draft;
  const range = least.trim() === '' ? undefined : ([Number(least), Number(largest)] as const);
  const flags = flagsWith(choice, wanted.flags);
  const named = refinedBy(method, flags);
  const refined = named && (await namedResult(sources, ['flags', named.flag], named.value));
  const counts =
    takesRanges(method) && rangesFrom.trim() !== ''
      ? await namedResult(sources, ['rangesFrom'], rangesFrom)
      : undefined;
  const notes: string[] = [];
  const first = await firstDraft(
    range === undefined ? sample : await sources.sampleIn(range),
    {
      ...choice,
      range,
      flags: { ...withoutBookRidge(flags), ...(named && { [named.flag]: refined?.digest }) },
    },
    {
      components: !hasComponents ? 0 : components.trim() === '' ? undefined : Number(components),
      mostComponents: probableComponents(sample, wanted),
      owners: Number(owners),
      twoParty: twoParty === '' ? undefined : twoParty,
      epsilon: !takesEpsilon || epsilon.trim() === '' ? undefined : Number(epsilon),
    },
    (draft) => {
      if (refined !== undefined) return draftRefining(refined, draft);
      if (counts === undefined) return draft;
      const ranged = draftRanged(counts, draft, LEVELS);
      notes.splice(0, notes.length, ...ranged.notes);
      return ranged.draft;
    },
  );
  if (!asksForBookRidge(flags)) return { proposal: first, notes };
  const proposal = await withBookRidge(sources.read, first);
  return { proposal, notes: [...notes, ...describeBookRidge(proposal)] };
}

/** Returns the flags with the column that is predicted. */
function flagsWith({ method, target }: Choice, flags: Wanted['flags']): Wanted['flags'] {
  const flag = targetFlag(method);
  return flag === undefined || target === undefined ? flags : { ...flags, [flag]: target };
}
