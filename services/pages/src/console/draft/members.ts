/** The members of a proposal as a form sees them: their kinds and descriptions, by the schema. */
import { z } from 'zod';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** The kinds of members that a form distinguishes. */
export type Kind =
  | { readonly kind: 'yes or no' }
  | { readonly kind: 'number' }
  | { readonly kind: 'text' }
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  | { readonly kind: 'choices'; readonly options: readonly string[] }
  | { readonly kind: 'texts' }
  | { readonly kind: 'object'; readonly members: readonly Member[]; readonly nullable: boolean }
  | { readonly kind: 'objects'; readonly members: readonly Member[] }
  /** One of several objects, which their member `kind` distinguishes. */
  | { readonly kind: 'variants'; readonly variants: ReadonlyMap<string, readonly Member[]> };

export interface Member {
  readonly name: string;
  readonly type: Kind;
  readonly optional: boolean;
  /** The meaning of the member. */
  readonly says: string;
  /** The part of the description that says what the member reveals. */
  readonly reveals: string;
}

/** Returns the members of an object's schema, in its order. */
export function membersOf(schema: z.ZodObject): Member[] {
  return Object.entries(schema.shape).map(([name, inner]) => memberOf(name, inner as z.ZodType));
}

/** Returns a member of this name and schema. */
export function memberOf(name: string, schema: z.ZodType): Member {
  const [says = '', reveals = ''] = descriptionOf(schema).split(' Reveals: ');
  return { name, type: kindOf(schema), optional: schema instanceof z.ZodOptional, says, reveals };
}

/** Returns a schema's description; a wrapper without one has that of the schema within. */
function descriptionOf(schema: z.ZodType): string {
  if (schema.description !== undefined) return schema.description;
  return isWrapper(schema) ? descriptionOf(schema.def.innerType as z.ZodType) : '';
}

function isWrapper(schema: z.ZodType): schema is z.ZodDefault | z.ZodOptional | z.ZodNullable {
  return schema instanceof z.ZodDefault || schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
}

function kindOf(schema: z.ZodType, nullable = false): Kind {
  if (isWrapper(schema))
    return kindOf(schema.def.innerType as z.ZodType, nullable || schema instanceof z.ZodNullable);
  if (schema instanceof z.ZodObject) return { kind: 'object', members: membersOf(schema), nullable };
  if (schema instanceof z.ZodEnum) return { kind: 'choice', options: schema.options.map(String) };
  if (schema instanceof z.ZodDiscriminatedUnion) return variantsOf(schema.options as readonly z.ZodObject[]);
  if (schema instanceof z.ZodArray) return listOf(kindOf(schema.element as z.ZodType));
  // The union is a number, or a word in its place.
  if (schema instanceof z.ZodNumber || schema instanceof z.ZodUnion) return { kind: 'number' };
  if (schema instanceof z.ZodBoolean || schema instanceof z.ZodLiteral) return { kind: 'yes or no' };
  return { kind: 'text' };
}

function listOf(element: Kind): Kind {
  if (element.kind === 'choice') return { kind: 'choices', options: element.options };
  if (element.kind === 'object') return { kind: 'objects', members: element.members };
  return { kind: 'texts' };
}

function variantsOf(options: readonly z.ZodObject[]): Kind {
  const named = options.map(
    (option) =>
      [
        String((option.shape.kind as z.ZodLiteral).value),
        membersOf(option).filter(({ name }) => name !== 'kind'),
      ] as const,
  );
  return { kind: 'variants', variants: new Map(named) };
}

/**
 * Returns the same object with another member, or without the member where `value` is undefined. Other
 * members keep their places.
 */
export function withMember(object: { readonly [name: string]: Json }, name: string, value: Json | undefined) {
  if (value === undefined) {
    const { [name]: _, ...others } = object;
    return others;
  }
  return { ...object, [name]: value };
}

export function isObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a number as somebody types it. Other texts stay as they are, so that the check finds them. */
export function numberOrText(text: string): Json {
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/**
 * The costs of members, for those that have any: in which direction, and whose time or bytes. The forecast of
 * a proposal has the amounts.
 */
const COSTS: ReadonlyMap<string, string> = new Map([
  ['features', 'all sides; sums grow with their square, the computation with their cube.'],
  ['components', 'the computation: each one more adds to it.'],
  ['fractionBits', 'owners’ bytes a little: each bit makes slots two bits wider.'],
  ['maximumOwners', 'owners’ bytes a little: each doubling makes slots a bit wider.'],
  ['maximumSamplesPerOwner', 'owners’ bytes a little: each doubling makes slots a bit wider.'],
  ['keyBits', 'time of owners and both servers; about the same bytes, in fewer, longer numbers.'],
  ['encryption', 'owners’ time: djn is several times faster.'],
  ['statisticalSecurityBits', 'owners’ bytes: each bit makes every slot a bit wider.'],
  ['twoParty', 'seconds and bytes between the servers: see the forecast.'],
  ['outputs', 'hardly anything, but what they reveal.'],
  ['minimumOwners', 'nothing; the task waits until there are that many.'],
  ['differentialPrivacy', 'accuracy: see the forecast of noise.'],
  ['epsilon', 'accuracy: half of it is twice the noise.'],
  ['clippingNorm', 'accuracy: larger means more noise, smaller means rows that are scaled down.'],
]);

export function costOfMember(name: string): string | null {
  return COSTS.get(name) ?? null;
}

/** Words of members that a person is asked to confirm, where the name of the member does not say it. */
const ASKED: ReadonlyMap<string, { readonly label: string; readonly fault: string }> = new Map([
  [
    'dataIndependentRanges',
    {
      label: 'I confirm that ranges and classes do not come from rows',
      fault: 'Tick the box if ranges and classes do not come from rows: the guarantee stands on it.',
    },
  ],
]);

/** Returns the words of a member that a person confirms; undefined for others. */
export const askedOf = (name: PropertyKey | undefined) => ASKED.get(String(name));
