/** Pictures of held-out faces that were reduced through the services and led back: for whoever has the data, and never in a report. */
import type { Picture } from '../../instrument/report/document.ts';
import { type Column, type Fitted, PEOPLE, sheetOf } from '../sheets.ts';
import { gramOf, type Matrix, spanOf } from '../span.ts';
import type { SizedSplit } from './arms.ts';
import { componentsOf } from './errors.ts';

/** The dimensions of PCA, beside all that there are. */
const SHOWN_DIMENSIONS = [5, 14];

/** The largest side of faces: a picture of larger ones holds one fewer. */
const LARGEST_SIDE = 60;

type Reduced = Readonly<Record<'pca' | 'dca' | 'raised', { readonly reduced: Matrix }>>;

/** All components of DCA. */
export function servicesSheet(
  { train, test, ...set }: Pick<SizedSplit, 'train' | 'test'> & Fitted['set'],
  { pca, dca, raised }: Reduced,
): Picture {
  const span = spanOf(gramOf(set.rows), train);
  const column = (
    what: string,
    { reduced }: { readonly reduced: Matrix },
    k = reduced[0]!.length,
  ): Column => ({
    title: `${k} components of ${what} through the services`,
    components: componentsOf(span, train, reduced),
    k,
  });
  const faces = { set, span, fitted: train, shown: test.slice(0, set.side > LARGEST_SIDE ? 2 : PEOPLE) };
  return sheetOf(faces, `services-${set.name}-${set.side}`, [
    ...SHOWN_DIMENSIONS.filter((k) => k < pca.reduced[0]!.length).map((k) => column('PCA', pca, k)),
    column('PCA', pca),
    column('DCA on them', dca),
    column('DCA on them with ρ′ > 0', raised),
  ]);
}
