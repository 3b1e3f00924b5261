/** JSON Schema as our schemas use it (version 2020-12), so that tests can ask what an editor would say. An unknown keyword is an error. */

type Json = Readonly<Record<string, unknown>>;
type Rule = (expected: never, value: unknown, schema: Json) => boolean;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const unlessNumber = (value: unknown, holds: (value: number) => boolean) =>
  typeof value !== 'number' || holds(value);
const unlessText = (value: unknown, holds: (value: string) => boolean) =>
  typeof value !== 'string' || holds(value);
const unlessList = (value: unknown, holds: (value: readonly unknown[]) => boolean) =>
  !Array.isArray(value) || holds(value);

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
};

const always: Rule = () => true;
const RULES: Readonly<Record<string, Rule>> = {
  ...{ $schema: always, title: always, description: always, default: always, format: always },
  type: (names: string | readonly string[], value) => [names].flat().some((name) => TYPES[name]!(value)),
  const: (only: unknown, value) => value === only,
  enum: (names: readonly unknown[], value) => names.includes(value),
  minimum: (least: number, value) => unlessNumber(value, (it) => it >= least),
  exclusiveMinimum: (least: number, value) => unlessNumber(value, (it) => it > least),
  maximum: (most: number, value) => unlessNumber(value, (it) => it <= most),
  multipleOf: (step: number, value) => unlessNumber(value, (it) => it % step === 0),
  minLength: (least: number, value) => unlessText(value, (it) => [...it].length >= least),
  maxLength: (most: number, value) => unlessText(value, (it) => [...it].length <= most),
  pattern: (pattern: string, value) => unlessText(value, (it) => new RegExp(pattern, 'u').test(it)),
  minItems: (least: number, value) => unlessList(value, (it) => it.length >= least),
  maxItems: (most: number, value) => unlessList(value, (it) => it.length <= most),
  items: (schema: Json, value) => unlessList(value, (it) => it.every((item) => fits(schema, item))),
  prefixItems: (schemas: readonly Json[], value) =>
    unlessList(value, (it) => schemas.every((schema, i) => i >= it.length || fits(schema, it[i]))),
  oneOf: (schemas: readonly Json[], value) => schemas.filter((it) => fits(it, value)).length === 1,
  anyOf: (schemas: readonly Json[], value) => schemas.some((it) => fits(it, value)),
  properties: (members: Readonly<Record<string, Json>>, value) =>
    !isObject(value) || Object.entries(value).every(([key, it]) => !members[key] || fits(members[key], it)),
  required: (names: readonly string[], value) => !isObject(value) || names.every((name) => name in value),
  additionalProperties: (others: false | Json, value, { properties = {} }) =>
    !isObject(value) ||
    Object.entries(value).every(
      ([key, it]) => key in (properties as Json) || (others !== false && fits(others, it)),
    ),
  propertyNames: (schema: Json, value) =>
    !isObject(value) || Object.keys(value).every((key) => fits(schema, key)),
};

/** @throws TypeError for a keyword that is not known here */
export function fits(schema: object, value: unknown): boolean {
  return Object.entries(schema).every(([keyword, expected]) => {
    const rule = RULES[keyword];
    if (rule === undefined) throw new TypeError(`the keyword ${keyword} is not known`);
    return rule(expected as never, value, schema as Json);
  });
}
