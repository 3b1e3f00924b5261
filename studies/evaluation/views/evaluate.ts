/** One bundle looked at alone: what it has, and which of the secrets in the bundles beside it can be found in it. */
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readBundle } from './bundle.ts';
import { forbiddenTo, type Search, searchedOf, searchIn } from './search.ts';
import { secretsOf } from './secrets.ts';
import { type Party, partOf, type View } from './view.ts';

/** A number of one kind, and their bytes together. */
interface Contents {
  readonly what: string;
  readonly count: number;
  readonly bytes: number;
}

interface EvaluatedBundle {
  readonly recording: string;
  readonly party: Party;
  readonly taskId: string;
  readonly contents: readonly Contents[];
  /** The searches for what the party must not see, and what was found. */
  readonly searches: readonly Search[];
  /** The reasons why something was not looked for. */
  readonly remarks: readonly string[];
}

/**
 * @param path of a bundle, whose key lies beside it; other bundles of the same recording there say what to look for
 * @throws ERR_VIEW_FORMAT, ERR_VIEW_BROKEN, ERR_KEY_FILE
 */
export async function evaluateBundle(path: string): Promise<EvaluatedBundle> {
  const view = await readBundle(path);
  const { recording, party, taskId } = view;
  const described = { recording, party, taskId, contents: contentsIn(view) };
  if (party === 'network') {
    return {
      ...described,
      searches: [],
      remarks: ['the network sees sizes and times alone: nothing to search'],
    };
  }
  const views = [view, ...(await othersOf(view, dirname(path)))];
  if (!views.some(({ inputs }) => partOf(inputs, 'rows') !== undefined)) {
    const remark =
      'no bundle of an owner of this recording lies beside it: put them there, for they have what is looked for';
    return { ...described, searches: [], remarks: [remark] };
  }
  const secrets = forbiddenTo(party, await secretsOf(views));
  return { ...described, searches: searchIn(searchedOf(view), secrets), remarks: [] };
}

async function othersOf({ recording, party }: View, folder: string): Promise<View[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.view'));
  const views = await Promise.all(names.map((name) => readBundle(join(folder, name))));
  return views.filter((view) => view.recording === recording && view.party !== party);
}

function contentsIn({ inputs, outputs, keys, random, received, files, passages }: View): Contents[] {
  const group = <Item>(items: readonly Item[], what: (item: Item) => string, size: (item: Item) => number) =>
    [...Map.groupBy(items, what)].map(([name, some]) => ({
      what: name,
      count: some.length,
      bytes: some.reduce((sum, item) => sum + size(item), 0),
    }));
  const length = ({ bytes }: { readonly bytes: Buffer }) => bytes.length;
  return [
    ...group(inputs, () => 'inputs', length),
    ...group(outputs, () => 'outputs', length),
    ...group(keys, () => 'keys', length),
    ...group(random, ({ source }) => `draws by ${source}`, length),
    ...group(received, ({ kind, from }) => `${kind}s from ${from}`, length),
    ...group(files, () => 'states of files', length),
    ...group(
      passages,
      ({ from, to }) => `records from ${from} to ${to}`,
      ({ size }) => size,
    ),
  ];
}

/** Describes a bundle for a terminal. */
export function describeBundle({ party, recording, contents, searches, remarks }: EvaluatedBundle): string {
  const found = searches.flatMap((search) => search.found);
  return [
    `view of ${party}, recording ${recording}`,
    ...contents.map(({ what, count, bytes }) => `  ${what}: ${count}, ${bytes} bytes`),
    ...searches.map(
      (search) => `  ${search.kind} of ${search.of}: found ${search.found.length} of ${search.sought} sought`,
    ),
    ...found.slice(0, MOST_SHOWN).map((secret) => `  FOUND: ${secret}`),
    ...remarks.map((remark) => `  ${remark}`),
  ].join('\n');
}

const MOST_SHOWN = 20;
