/**
 * The owner's policy as a form: it describes every member in words, and reads a filled form as a policy of
 * the command line's schema.
 */
import { OwnerPolicy } from '@eigenveil/data-owner/portable';
import type { TwoPartyName } from '@eigenveil/methods';
import { faultsOf } from '@eigenveil/wire/explain';
import type { z } from 'zod';
import { capital } from '../common/format.ts';
import { DRAWERS, NEIGHBOURS } from '../common/task-words.ts';

export type Member = keyof OwnerPolicy;

/** The kinds of fields. A number that may be absent is left empty. */
export type MemberField = {
  readonly name: Member;
  readonly label: string;
  readonly hint: string;
} & (
  | { readonly kind: 'number' | 'check' }
  | {
      readonly kind: 'choice' | 'several';
      readonly options: readonly (readonly [value: string, words: string])[];
    }
  /** A member that is an object with names of the owner's choice. */
  | { readonly kind: 'names'; readonly headings: readonly [name: string, value: string] }
  /** A member that is an object of numbers. */
  | { readonly kind: 'numbers'; readonly parts: readonly (readonly [name: string, words: string])[] }
);

const PROTOCOLS: Readonly<Record<TwoPartyName, string>> = {
  garbled: 'garbled: tells the data user the result and nothing beyond',
  rotated: 'rotated: faster; also tells all eigenvalues, the number of rows, and more (each task says what)',
  linear: 'linear: tells the data user sums with the noise of both servers, under the ε and δ of the task',
  simulated:
    'simulated: NOT private, shows everybody’s sums to the data user; for tests with made-up rows alone',
};

export const MEMBERS: readonly { readonly title: string; readonly fields: readonly MemberField[] }[] = [
  {
    title: 'Among whom, and how it is computed',
    fields: [
      {
        name: 'minimumOwners',
        kind: 'number',
        label: 'Owners at least',
        hint: 'Your sums are only ever opened together with those of this number of owners. Owners who work with the data user do not hide you: ask for more.',
      },
      {
        name: 'minimumKeyBits',
        kind: 'number',
        label: 'Shortest Paillier key, in bits',
        hint: 'Your encrypted sums lie at the data user. 3072 bits are for many years, 2048 for some; shorter keys are for tests alone.',
      },
      {
        name: 'twoParty',
        kind: 'several',
        label: 'Two-party protocols that you trust',
        hint: 'How data user and CSP compute the result without one of them seeing the sums.',
        options: Object.entries(PROTOCOLS),
      },
      {
        name: 'maximumComponents',
        kind: 'number',
        label: 'Components at most',
        hint: 'More components tell more. Empty: any number.',
      },
      {
        name: 'maximumLinks',
        kind: 'number',
        label: 'Tasks of a chain at most',
        hint: 'In a chain your rows are first reduced by earlier results, which the data user has chosen; each task of it is an answer of its own over the same rows. 1: no task that stands on another.',
      },
    ],
  },
  {
    title: 'What the result may tell',
    fields: [
      {
        name: 'allowSpectrum',
        kind: 'check',
        label: 'All eigenvalues may be revealed',
        hint: 'Not only those of the components. Tasks by rotated always do.',
      },
      {
        name: 'allowVariances',
        kind: 'check',
        label: 'The variance of each feature may be revealed',
        hint: 'A PCA of the correlation matrix tells it.',
      },
      {
        name: 'allowFullRank',
        kind: 'check',
        label: 'The whole scatter matrix may be revealed',
        hint: 'With all components and their eigenvalues anybody can compute it. So may who gets an exact result, where values are whole numbers.',
      },
      {
        name: 'minimumClassRows',
        kind: 'number',
        label: 'Reveal class counts only if each of my classes has at least … rows',
        hint: 'Where no other owner has rows of a class, the number is yours. Empty: such tasks are refused.',
      },
    ],
  },
  {
    title: 'Differential privacy',
    fields: [
      {
        name: 'allowWithoutDifferentialPrivacy',
        kind: 'check',
        label: 'Tasks without differential privacy are acceptable',
        hint: 'Then nothing bounds what the result tells about one row. As soon as something is filled in below, such tasks are refused whatever stands here.',
      },
      {
        name: 'maximumEpsilon',
        kind: 'number',
        label: 'Largest ε',
        hint: 'About 1 is usual; less is safer. Empty: any.',
      },
      {
        name: 'maximumDelta',
        kind: 'number',
        label: 'Largest δ',
        hint: 'Far below one in the number of rows, such as 0.000001. Empty: any.',
      },
      {
        name: 'neighbours',
        kind: 'choice',
        label: 'What must stay hidden',
        hint: 'Between which data the result must differ little.',
        options: [['', 'either of both'], ...Object.entries(NEIGHBOURS)],
      },
      {
        name: 'noise',
        kind: 'choice',
        label: 'Who must add the noise',
        hint: 'Noise of the CSP alone protects against everybody but the CSP, so it is taken only where it is named.',
        options: [
          ['', 'both servers, or the owners'],
          ['servers', DRAWERS.servers],
          ['owners', DRAWERS.owners],
          ['csp', `${DRAWERS.csp}, or ${DRAWERS.servers}`],
        ],
      },
      {
        name: 'colludingOwners',
        kind: 'number',
        label: 'Owners who may work against you',
        hint: 'Where owners add the noise, this number of them may reveal theirs, or add none. Empty: as the task says.',
      },
    ],
  },
  {
    title: 'All tasks together',
    fields: [
      {
        name: 'totalEpsilon',
        kind: 'number',
        label: 'Largest ε of all tasks together',
        hint: 'What one data set may spend in all, about the relation above, or which row is there where none is chosen. Empty: any, and it is only counted.',
      },
      {
        name: 'totalDelta',
        kind: 'number',
        label: 'Largest δ of all tasks together',
        hint: 'It belongs to the ε above.',
      },
      {
        name: 'answers',
        kind: 'numbers',
        label: 'What one data set may give',
        hint: 'Results over the same rows can be compared with each other. A task takes the part of a whole that it is made for: one of two, where it is made for two results over the same rows; an exact one takes a whole. A whole belongs to rows: rows that you add do not renew it, and another name is for rows none of which was used.',
        parts: [
          ['rotated', 'Results by rotated without differential privacy, at most'],
          ['wholes', 'Wholes of all tasks together, at most'],
        ],
      },
    ],
  },
  {
    title: 'If a task says that values are finer than yours',
    fields: [
      {
        name: 'ownFloor',
        kind: 'check',
        label: 'Noise is added to your sums, before they are encrypted, where your values are coarser',
        hint: 'Else such a task is too precise for your rows, and takes more of the whole. Nobody else is told of the noise, and you are told how much it is.',
      },
      {
        name: 'grains',
        kind: 'names',
        label: 'How far apart your values lie',
        hint: 'By columns, such as 1 for smoker or 0.1 for weight; “cell” is for measured values. What you do not name is found in your rows, where there are at least 60.',
        headings: ['Column', 'Distance of its values, or “cell”'],
      },
    ],
  },
  {
    title: 'Tasks that renew each other',
    fields: [
      {
        name: 'series',
        kind: 'numbers',
        label: 'A series of tasks over nearly the same rows',
        hint: 'What has changed in your rows between two of its results follows from both, as far as these tell anything. Empty: a task that renews another is refused. Nothing is contributed while you are away: come here for each task.',
        parts: [
          ['most', 'Tasks of a series at most, the first one counted'],
          ['shortestIntervalHours', 'Hours between two of your contributions at least'],
          ['totalEpsilon', 'Largest ε of a series; then each of its tasks needs differential privacy'],
        ],
      },
    ],
  },
];

const FIELDS = MEMBERS.flatMap(({ fields }) => fields);

/** The rule for the distance of a column's values, in words. */
export const GRAIN_RULE = 'expected a number above 0, or “cell”';

/** The labels of members. */
export const LABELS: ReadonlyMap<PropertyKey, string> = new Map(
  FIELDS.map(({ name, label }) => [name, label]),
);

/** The words of options, by the name of the member and the value with a point between. */
export const OPTIONS: ReadonlyMap<string, string> = new Map(
  FIELDS.flatMap((field) =>
    field.kind === 'choice' || field.kind === 'several'
      ? field.options.map(([value, words]): [string, string] => [`${field.name}.${value}`, words])
      : [],
  ),
);

/** The words for parts of members, by the names of both with a point between. */
export const PARTS: ReadonlyMap<string, string> = new Map(
  FIELDS.flatMap((field) =>
    field.kind === 'numbers'
      ? field.parts.map(([part, words]): [string, string] => [`${field.name}.${part}`, words])
      : [],
  ),
);

/** The content of the form, by member. */
export type PolicyDraft = Readonly<Record<Member, string | boolean | readonly string[]>>;

export function draftOf(policy: OwnerPolicy): PolicyDraft {
  const entries = FIELDS.map((field) => {
    const { name, kind } = field;
    const value = policy[name];
    if (kind === 'number' || kind === 'choice') return [name, String(value ?? '')];
    if (kind === 'names') return [name, Object.entries(value ?? {}).flatMap((pair) => pair.map(String))];
    return [name, kind === 'numbers' ? partsOf(field, value) : value];
  });
  return Object.fromEntries(entries) as PolicyDraft;
}

type Numbers = Extract<MemberField, { readonly kind: 'numbers' }>;

/** Returns a text for each part, in their order. */
function partsOf({ parts }: Numbers, value: unknown): string[] {
  const numbers = (value ?? {}) as Readonly<Record<string, number | undefined>>;
  return parts.map(([part]) => String(numbers[part] ?? ''));
}

/** Returns the member, if any part of it is filled in. */
function wholeOf({ name, parts }: Numbers, texts: readonly string[]): [Member, unknown][] {
  const filled = parts.flatMap(([part], i): [string, number][] =>
    texts[i]!.trim() === '' ? [] : [[part, Number(texts[i])]],
  );
  return filled.length === 0 ? [] : [[name, Object.fromEntries(filled)]];
}

/** Returns the pairs of name and value that are filled in, of texts in which each name is followed by its value. */
function pairsOf(texts: readonly string[]): [name: string, value: string, place: number][] {
  return texts.flatMap((name, place): [string, string, number][] => {
    const value = texts[place + 1]?.trim() ?? '';
    return place % 2 === 1 || (name === '' && value === '') ? [] : [[name, value, place]];
  });
}

/** A fault of a member, or of one of its texts by their place. */
export interface PolicyFault {
  readonly member: Member;
  readonly place: number | null;
  readonly label: string;
  readonly words: string;
}

/** Returns the id of a member's control, or of that for one of its texts. */
export const controlOf = (member: Member, place: number | null = null): string =>
  `policy-${member}${place === null ? '' : `-${place}`}`;

/** Returns the policy, or all faults in the order of the fields. */
export function policyOf(
  draft: PolicyDraft,
): { readonly policy: OwnerPolicy } | { readonly faults: readonly PolicyFault[] } {
  const entries = FIELDS.flatMap((field): [Member, unknown][] => {
    const { name, kind } = field;
    const value = draft[name];
    if (kind === 'numbers') return wholeOf(field, value as readonly string[]);
    if (kind === 'names') return [[name, namesOf(value as readonly string[])]];
    if (kind === 'check' || kind === 'several') return [[name, value]];
    if (typeof value !== 'string' || value.trim() === '') return [];
    return [[name, kind === 'number' ? Number(value) : value]];
  });
  const policy = OwnerPolicy.safeParse(Object.fromEntries(entries));
  if (policy.success) return { policy: policy.data };
  const found = faultsOf(policy.error);
  return {
    faults: FIELDS.flatMap((field) =>
      found
        .filter(({ path }) => path[0] === field.name)
        .map(({ path, words }) => faultOf(field, draft[field.name], path[1], String(words))),
    ),
  };
}

const namesOf = (texts: readonly string[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    pairsOf(texts).map(([name, value]) => [name, value === 'cell' ? value : Number(value || Number.NaN)]),
  );

/** @param part the name of the part of the member that is wrong, if it has parts */
function faultOf(
  field: MemberField,
  value: PolicyDraft[Member],
  part: PropertyKey | undefined,
  words: string,
): PolicyFault {
  const { name: member, label } = field;
  const isNumeric = field.kind === 'number' || field.kind === 'numbers';
  const fault = (place: number | null, of: string, text: string, told = words) => ({
    member,
    place,
    label: of,
    words: isNumeric && Number.isNaN(Number(text)) ? noNumber(text) : capital(told),
  });
  if (field.kind === 'numbers' && Array.isArray(value)) {
    // Without the parts that it needs, a member is wrong as a whole: then its first empty part is.
    const named = field.parts.findIndex(([name]) => name === part);
    const place = Math.max(0, named);
    const text = value[place]!;
    return fault(
      place,
      field.parts[place]![1],
      text,
      text.trim() === '' ? 'expected a number, or all of these empty' : words,
    );
  }
  if (field.kind === 'names' && Array.isArray(value)) {
    const pair = pairsOf(value).find(([name]) => name === part);
    const place = pair === undefined ? 0 : pair[2] + 1;
    return fault(place, `${label}, ${String(part)}`, '', GRAIN_RULE);
  }
  return fault(null, label, String(value));
}

/** Says of a text that is no number what to write: many people write one half as 0,5. */
export const noNumber = (text: string): string =>
  /^\s*\d+,\d+\s*$/.test(text)
    ? `Expected a number with a point: ${text.trim().replace(',', '.')}`
    : 'Expected a number';

/** Returns what is wrong with each member, in words. */
export function wordsByMember(error: z.ZodError): ReadonlyMap<PropertyKey, string> {
  return new Map(faultsOf(error).map(({ path: [name = ''], words }) => [name, capital(String(words))]));
}

/** Sets of rules to begin with, each with what it is for. */
export const PRESETS: Readonly<
  Record<'strict' | 'usual', { readonly title: string; readonly words: string; readonly policy: OwnerPolicy }>
> = {
  usual: {
    title: 'Usual',
    words:
      'What a new owner begins with: results by garbled circuits, without all eigenvalues, and your rows given as a whole once.',
    policy: OwnerPolicy.parse({}),
  },
  strict: {
    title: 'Strict',
    words:
      'Only results under differential privacy, among at least five owners; ε at most 1 for each and 3 in all.',
    policy: OwnerPolicy.parse({
      minimumOwners: 5,
      allowWithoutDifferentialPrivacy: false,
      maximumEpsilon: 1,
      maximumDelta: 1e-6,
      totalEpsilon: 3,
    }),
  },
};
