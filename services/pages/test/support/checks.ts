/** A little of what pages check with zod, to be bundled by a test. */
import { z } from 'zod';

const Person = z.strictObject({ age: z.number().int().max(150), mail: z.email().optional() });

export const said: readonly string[] = [
  { age: '7' },
  { age: 151 },
  { age: 1, mail: 'no' },
  { age: 1, more: 1 },
].map((value) => z.prettifyError(Person.safeParse(value).error!));
