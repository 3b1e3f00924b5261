/** Searches views for what must not be in them, and says how likely chance alone would have put there what was found. */

import { finderOf } from '@eigenveil/testbed/leaks';
import { type Interval, shareOf } from '../../recognition/intervals.ts';
import type { Draws } from '../draws.ts';
import type { SecretForm, Secrets } from './secrets.ts';
import { contentsOf, type Party, type View } from './view.ts';

/** The search for one kind of secret. */
export interface Search {
  readonly kind: Secrets['kind'];
  readonly of: Secrets['of'];
  /** Secrets, those that have no form of their own included. */
  readonly count: number;
  /** Secrets with a form that can be told from chance. */
  readonly sought: number;
  /** Secrets that were found. */
  readonly found: readonly string[];
  /** A find by chance of forms as long as the longest found has at most this probability; 1 when nothing was found. */
  readonly chance: number;
}

/** The secrets that a party must not see: `simulated` alone shows the pooled statistics to the data user. */
export function forbiddenTo(party: Party, secrets: readonly Secrets[]): Secrets[] {
  return secrets.filter(({ kind, of }) => {
    const isResult = kind === 'result';
    if (party === 'data user') return !isResult;
    if (party.startsWith('owner ')) return !isResult && of !== party;
    return true;
  });
}

/** Where a view is searched: everything in it but what the party has as input and output. */
export function searchedOf(view: View): Buffer[] {
  return contentsOf({ ...view, inputs: [], outputs: [] });
}

/** One result for each of the secrets. */
export function searchIn(contents: readonly Buffer[], secrets: readonly Secrets[]): Search[] {
  const all = secrets.flatMap(({ forms }) => forms);
  const found = new Set(finderOf(all)(contents));
  return secrets.map(({ kind, of, count, forms }) => {
    const hits = forms.filter((form) => found.has(form));
    return {
      ...{ kind, of, count },
      sought: distinct(forms).length,
      found: distinct(hits),
      chance: chanceOf(hits, all, contents),
    };
  });
}

const distinct = (forms: readonly SecretForm[]) => [...new Set(forms.map(({ secret }) => secret))];

/** Letters that a form is written with, and how many there are. */
const ALPHABETS = [
  { name: /decimal|number \d+$/, letters: 10, isLetter: (byte: number) => byte >= 48 && byte <= 57 },
  {
    name: /hexadecimal/,
    letters: 16,
    isLetter: (byte: number) => /[0-9a-fA-F]/.test(String.fromCharCode(byte)),
  },
  // Separators stand where they do in any list of numbers.
  { name: /text/, letters: 10, isLetter: (byte: number) => /[0-9.,;\t" -]/.test(String.fromCharCode(byte)) },
] as const;

interface Odds {
  readonly alphabet: (typeof ALPHABETS)[number] | undefined;
  /** Bits that agree when the form turns up by chance. */
  readonly bits: number;
}

function oddsOf({ name, bytes }: SecretForm): Odds {
  const alphabet = ALPHABETS.find((it) => it.name.test(name));
  if (alphabet === undefined) return { alphabet, bits: 8 * bytes.length };
  const digits = bytes.filter((byte) => byte >= 48 && byte <= 57).length;
  const letters = alphabet.letters === 16 ? bytes.length : digits;
  return { alphabet, bits: letters * Math.log2(alphabet.letters) };
}

/**
 * The union bound over all forms that are as long as the longest that was found, and all places where one could stand. It leans on letters
 * that are even and independent, as in ciphertexts and tokens; for digits only places within digits count.
 */
function chanceOf(
  hits: readonly SecretForm[],
  all: readonly SecretForm[],
  contents: readonly Buffer[],
): number {
  if (hits.length === 0) return 1;
  const longest = hits.map(oddsOf).reduce((a, b) => (b.bits > a.bits ? b : a));
  const alike = all.map(oddsOf).filter(({ bits }) => bits >= longest.bits).length;
  const places = contents.reduce((sum, bytes) => sum + placesIn(bytes, longest.alphabet), 0);
  return Math.min(1, alike * places * 2 ** -longest.bits);
}

function placesIn(bytes: Buffer, alphabet: Odds['alphabet']): number {
  // The bytes that base64 stands for are searched, too: at most as much again.
  if (alphabet === undefined) return 2 * bytes.length;
  let places = 0;
  for (const byte of bytes) if (alphabet.isLetter(byte)) places += 1;
  return places;
}

/** Places for planted forms, so that the power of the search is measured where it was used. */
const SURROUNDINGS_BYTES = 512;

/**
 * The share of forms that the search finds, with its interval, when each is planted alone into the contents at a place that is drawn.
 * @param planted how a form is written there; as it is, to measure the power
 */
export function finds(
  contents: readonly Buffer[],
  forms: readonly SecretForm[],
  draws: Draws,
  planted: (form: SecretForm) => Buffer = ({ bytes }) => bytes,
): Interval {
  const find = finderOf(forms);
  const long = contents.filter(({ length }) => length >= SURROUNDINGS_BYTES);
  const hits = forms.filter((form) => {
    const around = long[draws.below(long.length)]!;
    const start = draws.below(around.length - SURROUNDINGS_BYTES + 1);
    const place = start + draws.below(SURROUNDINGS_BYTES);
    const bytes = Buffer.concat([
      around.subarray(start, place),
      planted(form),
      around.subarray(place, start + SURROUNDINGS_BYTES),
    ]);
    return find([bytes]).some(({ secret }) => secret === form.secret);
  });
  return shareOf(hits.length, forms.length);
}
