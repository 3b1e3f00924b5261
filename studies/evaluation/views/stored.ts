/** The files in the data directories of all parties during a task, and what must not lie there in clear. */
import { SecretKey } from '@eigenveil/paillier';
import type { Task } from '@eigenveil/task';
import { writtenDown } from '@eigenveil/testbed/leaks';
import type { RecordedRun } from './runs.ts';
import type { Searched } from './searching.ts';
import type { SecretForm, Secrets } from './secrets.ts';
import { partOf, type View } from './view.ts';

/** Shorter numbers would turn up by chance. */
const LEAST_BYTES = 8;

/** Every file but those of keys: one search for each party, for its own secrets and what it must not see. */
export function atRest({ csp, dataUser, owners, secrets, task }: RecordedRun): Searched[] {
  const searched = ({ party, files }: View, of: readonly Secrets[]) => ({
    who: `files of ${party}`,
    contents: files.map(({ bytes }) => bytes),
    secrets: of,
  });
  const withoutResult = secrets.filter(({ kind }) => kind !== 'result');
  return [
    searched(csp, [...secrets, sealedOf(csp, task)]),
    // The result is what the data user is for: it keeps it as it is.
    searched(dataUser, [...withoutResult, sealedOf(dataUser, task)]),
    ...owners.map((view) => searched(view, withoutResult)),
  ];
}

/** The secrets that a service keeps sealed: the task's key, shares, blinding values, the seed of an answer. */
function sealedOf({ party, keys, opened }: View, task: Task): Secrets {
  const stored = partOf(keys, 'Paillier secret key');
  const key = stored === undefined ? undefined : SecretKey.fromJSON(JSON.parse(stored.toString()), task);
  const seed = partOf(keys, 'answer seed');
  const numbers = [
    ...(key === undefined ? [] : [named('prime', [key.p, key.q])]),
    ...opened.map(({ name, values }) => named(name, values)),
  ].flat();
  const forms = [
    ...numbers.flatMap(({ secret, value }) => writtenDown(value).map((bytes) => formOf(secret, bytes))),
    ...(seed === undefined ? [] : [formOf('answer seed', seed)]),
  ].filter(({ bytes }) => bytes.length >= LEAST_BYTES);
  return { kind: 'sealed', of: party, count: numbers.length + (seed === undefined ? 0 : 1), forms };
}

const named = (name: string, values: readonly bigint[]) =>
  values.map((value, i) => ({ secret: `${name} ${i}`, value }));

const isDecimal = (bytes: Buffer) => /^-?\d+$/.test(bytes.toString('latin1'));

const formOf = (secret: string, bytes: Buffer): SecretForm => ({
  secret,
  name: `${secret}, ${isDecimal(bytes) ? 'decimal' : 'bytes'}`,
  bytes,
});
