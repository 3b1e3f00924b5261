/** Says of a member that a file has and its schema does not know which one was probably meant. */
import { z } from 'zod';

/** The error with other messages for unknown members. Names are the user's own, and may be repeated. */
export function withSuggestions(error: z.ZodError, schema: z.ZodType): z.ZodError {
  return new z.ZodError(
    error.issues.map((issue) => {
      if (issue.code !== 'unrecognized_keys') return issue;
      const known = namesAt(schema, issue.path);
      return { ...issue, message: issue.keys.map((key) => describe(key, known)).join('; ') };
    }),
  );
}

function describe(key: string, known: readonly string[]): string {
  const [nearest] = known
    .map((name) => ({ name, distance: distance(key.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(2, name.length / 4))
    .sort((a, b) => a.distance - b.distance);
  const unknown = `${JSON.stringify(key)} is not known`;
  return nearest === undefined
    ? `${unknown}; known are ${known.join(', ')}`
    : `${unknown}: did you mean ${JSON.stringify(nearest.name)}?`;
}

/** The members that an object at this place may have; of a union those of all its kinds. */
function namesAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  return [...new Set(shapesAt(schema, path).flatMap(Object.keys))];
}

function shapesAt(schema: unknown, path: readonly PropertyKey[]): Readonly<Record<string, unknown>>[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return shapesAt(schema.unwrap(), path);
  if (schema instanceof z.ZodPipe) return shapesAt(schema.in, path);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => shapesAt(option, path));
  const [step, ...rest] = path;
  if (schema instanceof z.ZodArray && typeof step === 'number') return shapesAt(schema.element, rest);
  if (!(schema instanceof z.ZodObject)) return [];
  return step === undefined ? [schema.shape] : shapesAt(schema.shape[String(step)], rest);
}

/** How many letters must be put in, taken out or changed (Levenshtein); two that are swapped count as two. */
function distance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (const [i, letter] of [...a].entries()) {
    const row = [i + 1];
    for (const [j, other] of [...b].entries())
      row.push(Math.min(above[j]! + (letter === other ? 0 : 1), above[j + 1]! + 1, row[j]! + 1));
    above = row;
  }
  return above.at(-1)!;
}
