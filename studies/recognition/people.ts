/** People to be recognised: those of the bundled and given data sets, or those of the user's own rows. */
import { CodedError } from '@eigenveil/platform';
import { type People, peopleOf } from '@eigenveil/testbed/recognition/people';
import { STUDY_CODES } from '../instrument/codes.ts';
import type { OwnData } from '../instrument/own-data.ts';
import type { Asked, Omission } from '../instrument/study.ts';
import { readLaboratoryFile } from '../privacy/data.ts';

export * from '@eigenveil/testbed/recognition/people';

export const KEYS = 'meu_keystroke';
export const WALK = 'wisdm_walk_user';

/** A quick run takes the one that is bundled. */
const DATA_SETS = { full: [KEYS, WALK], quick: [WALK] };

/** Loaded once: what is learnt from people is kept by them. */
const loaded = new Map<string, People>();

/** The people of a data set, see peopleOf. Undefined where the file is neither bundled nor in EIGENVEIL_DATA. */
export async function loadPeople(dataset: string): Promise<People | undefined> {
  const known = loaded.get(dataset);
  if (known !== undefined) return known;
  const found = await readLaboratoryFile(dataset);
  if (found === undefined) return undefined;
  const people = peopleOf(dataset, found.columns, found.lines);
  loaded.set(dataset, people);
  return people;
}

/** Attackers learn from three quarters of the people, in three parts; cohorts take other people's templates. */
const LEAST_PEOPLE = 8;
/** Five rows in a tenth of them: thresholds over five windows are set from that, where gaps are left. */
const LEAST_ROWS = 50;

const owned = new WeakMap<OwnData, People>();

/**
 * The classes of the user's own rows are people, and rows stand in the order of time.
 * @throws ERR_STUDY_DATA where people or rows are too few
 */
function ownPeople(own: OwnData): People {
  const known = owned.get(own);
  if (known !== undefined) return known;
  const { name, columns, rows, labels, classes } = own;
  const lines = rows.map((row, i) => [...row.map(String), classes[labels[i]!]!]);
  const people = peopleOf(name, [...columns, ''], lines);
  const fewest = Math.min(...people.people.map((person) => person.rows.length));
  if (people.people.length < LEAST_PEOPLE || fewest < LEAST_ROWS)
    throw new CodedError(
      STUDY_CODES.ERR_STUDY_DATA,
      `recognition expected "--label" to name the person of each row, at least ${LEAST_PEOPLE} people, and at least ${LEAST_ROWS} different rows of each in the order of time; got ${people.people.length} people, and ${fewest} rows of one`,
    );
  owned.set(own, people);
  return people;
}

/** The people of a case. */
export async function peopleIn(dataset: string, own: OwnData | undefined): Promise<People> {
  const people = own === undefined ? await loadPeople(dataset) : ownPeople(own);
  if (people === undefined) throw new Error(`the data set ${dataset} has gone`);
  return people;
}

/** The people of a run, and those whom it leaves out. `what` names in omissions what is measured. */
export async function peopleOfRun(
  { scale, own }: Asked,
  what: string,
): Promise<{ readonly sets: readonly People[]; readonly omissions: readonly Omission[] }> {
  if (own !== undefined) return { sets: [ownPeople(own)], omissions: [] };
  const sets: People[] = [];
  const omissions: Omission[] = [];
  for (const dataset of DATA_SETS.full) {
    const isTaken = DATA_SETS[scale].includes(dataset);
    const people = isTaken ? await loadPeople(dataset) : undefined;
    if (people !== undefined) sets.push(people);
    else
      omissions.push({
        what: `${what}, ${dataset}`,
        why: isTaken ? 'it is not in the folder EIGENVEIL_DATA' : 'left to the full run',
      });
  }
  return { sets, omissions };
}
