/** The reference of a task proposal, as a JSON schema for editors and as a page for people: both of the texts that stand beside each member. */
import { ProposalFile } from '@eigenveil/task';
import { z } from 'zod';

/** What is used of JSON Schema, version 2020-12. */
interface Schema {
  readonly $schema?: string;
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

export function proposalSchema(): Schema {
  const { $schema, ...schema } = z.toJSONSchema(ProposalFile, { io: 'input' });
  const title = 'A task proposal of Eigenveil';
  return { $schema, title, ...schema } as Schema;
}

export interface Member {
  /** Such as `features[].min`; `method (pca).scale` where it depends on the kind. */
  readonly name: string;
  readonly meaning: string;
  readonly reveals: string;
  readonly initial: string;
  readonly range: string;
}

/** Every member of a proposal, those of members after them. */
export function membersOf(schema: Schema, prefix = ''): Member[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([key, member]) => {
    const name = `${prefix}${key}`;
    const [meaning = '', reveals = ''] = (member.description ?? '').split(' Reveals: ');
    const initial = required.includes(key) ? 'must be given' : initialOf(member);
    return [{ name, meaning, reveals, initial, range: rangeOf(member) }, ...membersBelow(member, name)];
  });
}

function membersBelow(schema: Schema, name: string): Member[] {
  if (schema.items !== undefined) return membersOf(schema.items, `${name}[].`);
  if (schema.oneOf !== undefined)
    return schema.oneOf.flatMap((kind) => membersOf(kind, `${name} (${kind.properties!.kind!.const}).`));
  const member = (schema.anyOf ?? [schema]).find(({ properties }) => properties !== undefined);
  return member === undefined ? [] : membersOf(member, `${name}.`);
}

function initialOf({ default: initial }: Schema): string {
  return initial === undefined ? 'left out' : `\`${JSON.stringify(initial)}\``;
}

function rangeOf(schema: Schema): string {
  const { type, const: only, enum: names, items, oneOf, anyOf, format } = schema;
  if (only !== undefined) return `\`${JSON.stringify(only)}\``;
  if (names !== undefined) return names.map((it) => `\`${it}\``).join(', ');
  if (oneOf !== undefined) return oneOf.map((kind) => `\`${kind.properties!.kind!.const}\``).join(', ');
  if (anyOf !== undefined) return anyOf.map(rangeOf).join(' or ');
  if (items !== undefined) {
    const counts = between(schema.minItems ?? 0, schema.maxItems);
    return items.properties === undefined ? `${counts} of: ${rangeOf(items)}` : `${counts} objects`;
  }
  if (format === 'date-time') return 'a date and time, Z at its end';
  if (type === 'string')
    return schema.maxLength === undefined
      ? 'text'
      : `text of ${between(schema.minLength ?? 0, schema.maxLength)} characters`;
  if (type === 'number' || type === 'integer') return numbersOf(schema);
  if (type === 'boolean') return '`true`, `false`';
  return type === 'object' ? 'an object' : `\`${type}\``;
}

function numbersOf({ type, minimum, exclusiveMinimum, maximum, multipleOf }: Schema): string {
  const kind = type === 'integer' ? 'whole' : 'number';
  const least = exclusiveMinimum === undefined ? minimum : `above ${number(exclusiveMinimum)}`;
  if (least === undefined || maximum === undefined) return `a finite ${kind}`;
  const step = multipleOf === undefined ? '' : `, a multiple of ${multipleOf}`;
  return `${kind}, ${between(least, maximum)}${step}`;
}

function between(least: number | string, most: number | undefined): string {
  const from = typeof least === 'string' ? least : number(least);
  return most === undefined ? `from ${from}` : `${from} to ${number(most)}`;
}

function number(value: number): string {
  return Math.abs(value) >= 1e12 ? value.toExponential().replace('e+', 'e') : value.toLocaleString('en-US');
}

/** docs/tasks.md. */
export function referencePage(): string {
  const rows = membersOf(proposalSchema()).map(
    ({ name, meaning, reveals, initial, range }) =>
      `| \`${name}\` | ${meaning} | ${initial} | ${range} | ${reveals.charAt(0).toUpperCase()}${reveals.slice(1)} |`,
  );
  return `${HEAD}
| member | meaning | default | range | what it reveals |
| ------ | ------- | ------- | ----- | --------------- |
${rows.join('\n')}
`;
}

const HEAD = `# The task proposal

A task proposal is a JSON file. \`eigenveil-user task draft\` writes it from a sample, a person edits
it, and \`eigenveil-user task create\` opens the task. Everything in it becomes public: the CSP, the
data user and every owner see it. The last column says what a member tells of the rows, or lets others
learn of them.

A draft names its JSON schema (\`$schema\`), so that editors complete and check the file:
[proposal.schema.json](../shared/task/proposal.schema.json). The schema cannot say what ties members
to each other, such as components to features. \`task draft\` and \`task create\` check that before they
ask anybody.

## Grains

Scatter matrices of whole numbers are whole numbers, which a result gives away much faster than
measured ones. So both servers add noise under every result that is not \`exact\`, the floor, and
each feature declares by which: its \`grain\`, how far apart its values lie, in its own unit. It is 1
for whole numbers and codes, 0.1 for one decimal; \`"cell"\` for values as fine as they are rounded
to. Where the grid begins does not matter. A task that is not \`exact\` declares all of them.

\`task draft\` finds grains in its sample, in values as they are written: the largest step on which
98 % of rows lie within a 25th of it, where chance would make it so with a probability below 2^−40,
or the smallest gap between a few common values, whichever is larger. Rows at the ends of a range
and up to three frequent values that do not fit, as imputed ones do not, are set aside. Of fewer than
60 rows the last digit that is written counts. Of 65,536 rows or 4,096 different values and more it
looks at a fair sample. \`--grain NAME=STEP\` or \`NAME=cell\` says another one: a larger one is always
safe, and costs accuracy. An older proposal gets grains from a sample; nothing else of it changes:

\`\`\`
npx eigenveil-user task draft regrain older.json --data sample.csv > task.json
\`\`\`

Components of a [chain](chains.md) have the largest grain of the features that they are made of. A
correlation matrix has its floor before features are standardised, so that grains stay in their own
units. Drafts leave out columns that follow from others in every row of the sample, unless
\`--keep\` names them: copies, complements, multiples, sums, and the last one of a one-hot group. By
these the noise would average away. Owners whose files have such columns give \`--ignore\`. A note forecasts what the floor will cost, by noise drawn over
the sample; with \`--json\`, \`$forecast\` has it in numbers, which \`task create\` passes over.

\`releases\` says for how many results over the same rows the floor is made, 2 where nothing is said:
each takes one of that many parts of what an owner gives of its rows, and an exact one takes all of it
([what tasks take](privacy.md#what-tasks-take-of-a-whole)). A series needs as many as it will have
tasks. An owner whose values are coarser than the task says
[adds the noise that is missing](privacy.md#an-owners-own-floor) to its own sums.

## Title

\`title\` names a task for people, and stands beside its id: in lists and on both pages, in what owners
are told, in receipts and results. It is part of what the CSP signs, so that everybody reads the
same; a task without one has the digest that it would have if there were no titles. It is public:
the data user, the CSP and every owner see it. It may tell what the rows are about, or whose they
are; write nothing into it that any of them must not know. A title proves nothing, since two tasks
may have the same: compare ids.

It has 1 to 80 characters (code points), with accents in their composed form (Unicode NFC) and no
blank at either end. Characters that control, hide or turn text, such as line ends, zero-width and
bidirectional ones, are refused. \`task draft --title\` and the console compose accents and remove
blanks at the ends. A task that renews another has its title.

## Members

This page and the schema are written by a test from the texts beside the members
(\`shared/task/src/schema.ts\`): \`npx vitest run task-reference -u\`.
`;
