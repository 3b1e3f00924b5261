/** Errors of reconstruction where PCA and DCA are fitted to all rows, in their order, as the book's listing 9.4 does. */
import { generator, seedOf } from '@eigenveil/testbed/random';
import { only } from '../instrument/figure.ts';
import { defineStudy, type Fact } from '../instrument/study.ts';
import { dcaComponents, pcaComponents } from './components.ts';
import { BOOK_DIMENSIONS, KINDS } from './dimensions.ts';
import { FACE_SETS, type FaceSetName, loadFaces, loadSets, madeUpOf } from './faces.ts';
import { reconstructionErrors } from './reconstruction.ts';
import { beyondSpan, spanOf } from './span.ts';
import { dimensionsOf, gramOfSet, RIDGES, rounded, toldOf } from './trials.ts';

const GREYS = { digits: 0, grouped: true } as const;

const yale = (method: string, k: number): Fact => ({
  where: { set: 'yale', method, k },
  figure: only('uncentred', GREYS),
});

export const allRows = defineStudy({
  id: 'faces/all-rows',
  plan: async ({ own }) => {
    const sets = (await loadSets(FACE_SETS, own)).map(({ set }) => set);
    const cases = sets.map((set) => ({
      set: set.name,
      dimensions: dimensionsOf(set, BOOK_DIMENSIONS).join(' '),
      ...RIDGES,
      kind: set.kind,
    }));
    return { cases, omissions: madeUpOf(sets, 'all rows') };
  },
  titleOf: ({ set }) => `${set}, fitted to all rows`,
  expectedSeconds: () => 5,
  async measure({ set: name, dimensions, ridge, signalRidge }, { own }) {
    const set = await loadFaces(name as FaceSetName, own);
    const [gram, train] = [gramOfSet(set), [...set.rows.keys()]];
    const span = spanOf(gram, train);
    const next = generator(seedOf(`faces ${set.name}, all rows`));
    const beyond = beyondSpan(gram, span, [], set.rows[0]!.length, next);
    const counts = dimensions.split(' ').map(Number);
    const methods = {
      pca: pcaComponents(span),
      dca: dcaComponents(span, train, toldOf(set), { ridge, signalRidge }),
    };
    return Object.entries(methods).flatMap(([method, components]) =>
      reconstructionErrors(gram, { span, beyond, components }, { train, test: [] }, counts).map(
        ({ uncentred, centred }, i) => ({
          method,
          k: counts[i]!,
          uncentred: rounded(uncentred),
          centred: rounded(centred),
        }),
      ),
    );
  },
  columns: {
    kind: { values: KINDS },
    method: { values: { pca: 'PCA', dca: 'DCA' } },
    k: { title: 'components' },
  },
  tables: {
    listing: {
      caption: '{set}{kind}: mean error in grey levels over components, as listing 9.4, not centred',
      each: ['set', 'kind'],
      rows: ['method'],
      across: { column: 'k', cell: only('uncentred', GREYS) },
    },
    centred: {
      caption: '{set}{kind}: the same, centred',
      each: ['set', 'kind'],
      rows: ['method'],
      across: { column: 'k', cell: only('centred', GREYS) },
    },
  },
  facts: Object.fromEntries(
    ['pca', 'dca'].flatMap((method) => [5, 14, 160].map((k) => [`${method}${k}`, yale(method, k)] as const)),
  ),
  holds: {
    falls: (fact) =>
      fact('pca160') < fact('pca14') && fact('pca14') < fact('pca5') && fact('dca160') < fact('dca5') / 5,
  },
  words: new URL('all-rows.md', import.meta.url),
});
