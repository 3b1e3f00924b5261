/** Many features in few words: runs whose names count up, as a file of a proposal may hold them. */
import type { Feature } from '@eigenveil/methods';

/**
 * A feature, or with `count` that number of features of one range, whose names have numbers from `from` on in
 * place of #.
 */
export interface FeatureRun extends Feature {
  readonly count?: number;
  readonly from?: number;
}

/** Shorter runs are listed feature by feature. */
const SHORTEST_RUN = 4;
/** A number that is written as counting writes it, the last one in the name. */
const NUMBERED = /^([^#]*?)(0|[1-9]\d{0,6})([^#\d]*)$/;

interface Open {
  readonly run: FeatureRun;
  readonly features: Feature[];
  readonly prefix: string;
  readonly suffix: string;
  readonly from: number;
}

/**
 * Returns the features with runs of four and more in one entry each, which ProposalFile reads back as these
 * very features.
 * @example
 * import { featureRuns } from '@eigenveil/task';
 *
 * const features = [0, 1, 2, 3].map((i) => ({ name: `pixel_${i}`, min: 0, max: 255 }));
 * featureRuns(features); // → [{ name: 'pixel_#', min: 0, max: 255, count: 4 }]
 */
export function featureRuns(features: readonly Feature[]): FeatureRun[] {
  const runs: FeatureRun[] = [];
  let open: Open | undefined;
  const close = () => {
    if (open === undefined) return;
    const { features: own, prefix, suffix, from } = open;
    if (own.length < SHORTEST_RUN) runs.push(...own);
    else
      runs.push({
        ...own[0]!,
        name: `${prefix}#${suffix}`,
        count: own.length,
        ...(from > 0 && { from }),
      });
    open = undefined;
  };
  for (const feature of features) {
    if (open !== undefined && follows(open, feature)) {
      open.features.push(feature);
      continue;
    }
    close();
    const [, prefix, number, suffix] = NUMBERED.exec(feature.name) ?? [];
    if (number === undefined) runs.push(feature);
    else open = { run: feature, features: [feature], prefix: prefix!, suffix: suffix!, from: Number(number) };
  }
  close();
  return runs;
}

function follows(
  { run, features, prefix, suffix, from }: Open,
  { name, min, max, twoValued, grain, logarithmic, histogram }: Feature,
): boolean {
  return (
    name === `${prefix}${from + features.length}${suffix}` &&
    min === run.min &&
    max === run.max &&
    twoValued === run.twoValued &&
    grain === run.grain &&
    logarithmic === run.logarithmic &&
    histogram === run.histogram
  );
}
