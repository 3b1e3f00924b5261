/** PCA of thousands of features by a sketch: owner, both servers, and the variance that is lost. */
import { LIMITS, TwoPartyName } from '@eigenveil/methods';
import { PaillierPool } from '@eigenveil/paillier';
import { CodedError } from '@eigenveil/platform';
import { STUDY_CODES } from '../../instrument/codes.ts';
import { only } from '../../instrument/figure.ts';
import { setting, someOf, wholeNumber, wholeNumbers } from '../../instrument/settings.ts';
import { defineStudy } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { fileOfCase } from '../own-rows.ts';
import { setsThere } from '../planned-sets.ts';
import { KEY_BITS, measureSketch, type SketchCase, type SketchMeasured } from './measure.ts';
import { featuresOf, SKETCH_SETS } from './sets.ts';

const FEATURES = [...new Set(SKETCH_SETS.map(featuresOf))].sort((a, b) => a - b);

const DATA_SETS = setting({
  name: 'sets',
  says: 'only these data sets',
  parse: someOf(SKETCH_SETS),
  quick: ['wide1024'],
  full: SKETCH_SETS,
});
const OF_FEATURES = setting({
  name: 'features',
  says: 'only sets of these numbers of features',
  parse: someOf(FEATURES, Number),
  quick: FEATURES,
  full: FEATURES,
});
const COLUMNS = setting({
  name: 'columns',
  says: 'columns of the sketch, l',
  parse: wholeNumbers,
  quick: [20],
  full: [60],
});
const COMPONENTS = setting({
  name: 'components',
  says: 'k, at most l − 2',
  parse: wholeNumber(1, LIMITS.sketchColumns - 2),
  quick: 5,
  full: 20,
});
const TWO_PARTY = setting<SketchCase['twoParty']>({
  name: 'two-party',
  says: 'the protocol that is asked for',
  parse: (name) => someOf(TwoPartyName.options)(name)[0]!,
  quick: 'rotated',
  full: 'rotated',
});

const SECONDS = { unit: 's' } as const;
const BYTES = { unit: 'bytes' } as const;
const PERCENT = { percent: true, digits: 2, unit: '%' } as const;

export const sketches = defineStudy<SketchCase & Tidy>({
  id: 'speed/sketches',
  isApart: true,
  settings: [DATA_SETS, OF_FEATURES, COLUMNS, COMPONENTS, TWO_PARTY],
  plan: async ({ settings, own }) => {
    const names = settings
      .of(DATA_SETS)
      .filter((dataset) => settings.of(OF_FEATURES).includes(featuresOf(dataset)));
    const { sets, omissions } = await setsThere(names.map((dataset) => ({ dataset })));
    const twoParty = settings.of(TWO_PARTY);
    const widest = Math.max(...settings.of(COLUMNS));
    if (own !== undefined && own.columns.length <= widest)
      throw new CodedError(
        STUDY_CODES.ERR_STUDY_DATA,
        `expected more columns beside the label than the sketch has, ${widest} by "--columns"; got ${own.columns.length}`,
      );
    return {
      cases: (own === undefined ? sets : [{ dataset: own.name }]).flatMap(({ dataset }) =>
        settings
          .of(COLUMNS)
          .map((columns) => ({ dataset, columns, components: settings.of(COMPONENTS), twoParty })),
      ),
      omissions: own === undefined ? omissions : [],
    };
  },
  titleOf: ({ dataset, columns }) => `${dataset} by ${columns} columns`,
  expectedSeconds: ({ dataset }) => 10 + (featuresOf(dataset) || 100) / 20,
  async measure(chosen, { own, note }): Promise<Tidy[]> {
    const file = await fileOfCase(chosen.dataset, own);
    const paillier = new PaillierPool({ threads: 0 });
    try {
      const { publicKey } = await paillier.generateKeyPair({ bits: KEY_BITS, scheme: 'djn' });
      return [recordOf(await measureSketch(chosen, file, { publicKey, note }))];
    } finally {
      await paillier.close();
    }
  },
  columns: {
    dataset: { title: 'set', values: { yale16: 'yale16 (256 features)', wide1024: 'made up (1,024)' } },
    columns: { title: 'l' },
    components: { title: 'k' },
    features: { title: 'd' },
  },
  tables: {
    costs: {
      caption: 'What an owner takes, what both servers take, and what is lost',
      rows: ['dataset', 'rows', 'features', 'columns', 'components'],
      cells: {
        'owner, CPU': only('ownerSeconds', SECONDS),
        'an owner holds': only('ownerPeakMemoryBytes', BYTES),
        'and sends': only('ownerBytes', BYTES),
        'two-party': only('twoPartySeconds', SECONDS),
        'between the servers': only('twoPartyBytes', BYTES),
        'CSP holds': only('cspMemory', BYTES),
        'data user holds': only('dataUserMemory', BYTES),
        lost: only('varianceLost', PERCENT),
        clear: only('varianceLostClear', PERCENT),
      },
    },
    held: {
      caption: 'The same without what depends on how busy the machine was',
      rows: ['dataset'],
      cells: {
        'an owner holds': only('ownerPeakMemoryBytes', BYTES),
        'and sends': only('ownerBytes', BYTES),
        'between the servers': only('twoPartyBytes', BYTES),
        'CSP holds': only('cspMemory', BYTES),
        'data user holds': only('dataUserMemory', BYTES),
        lost: only('varianceLost', PERCENT),
        clear: only('varianceLostClear', PERCENT),
      },
    },
    refusals: {
      caption: 'Protocols that refuse sketches: there accuracy is of `simulated`, which is NOT private',
      where: ({ refused }) => refused !== undefined,
      rows: ['dataset', 'columns', 'twoParty', 'refused'],
    },
  },
  words: new URL('sketches.md', import.meta.url),
  json: (records, run) => ({ run, rows: records.map(measuredOf) }),
});

/** A sketch that a protocol refuses has no figures. */
export function recordOf(measured: SketchMeasured): Tidy {
  const { twoPartySeconds, twoPartyBytes, csp, dataUser, refused, ...plain } = measured;
  return {
    ...plain,
    ...(twoPartySeconds !== null && { twoPartySeconds }),
    ...(twoPartyBytes !== null && { twoPartyBytes }),
    ...(csp && { cspMemory: csp.peakMemoryBytes, cspCpu: csp.cpuSeconds }),
    ...(dataUser && { dataUserMemory: dataUser.peakMemoryBytes, dataUserCpu: dataUser.cpuSeconds }),
    ...(refused !== null && { refused }),
  };
}

/** The form that `--json` has always printed of a sketch. */
function measuredOf(record: Tidy): object {
  const { cspMemory, cspCpu, dataUserMemory, dataUserCpu, ...plain } = record;
  const used = (peakMemoryBytes: unknown, cpuSeconds: unknown) =>
    cpuSeconds === undefined ? null : { peakMemoryBytes, cpuSeconds };
  return {
    ...{ twoPartySeconds: null, twoPartyBytes: null, refused: null },
    ...plain,
    csp: used(cspMemory, cspCpu),
    dataUser: used(dataUserMemory, dataUserCpu),
  };
}
