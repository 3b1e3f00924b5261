/** People whom the projection was learnt from: all arms, with intervals, by components, with gaps, through frames, and until locks. */
import { setImmediate } from 'node:timers/promises';
import { equalErrorRates } from '@eigenveil/testbed/recognition/error-rates';
import type { People } from '../people.ts';
import { ARMS, chooseAll, type Family, headlineArm, rawArms, runsOf, SERVICE_ARM } from './arms.ts';
import type { Chosen } from './choice.ts';
import { type Facts, percent, putInterval } from './facts.ts';
import { framedScores } from './frames.ts';
import { ENGINES, lockFigures } from './locks.ts';
import { type Final, finalOf, finalWithGaps } from './protocol.ts';
import { ratesOf } from './rates.ts';
import { drawsOf, intervalOf, pairedInterval, resampledRates } from './resampling.ts';
import type { Grid, Setting } from './settings.ts';

export type Ranked = ReadonlyMap<string, readonly Chosen[]>;

export const rankAll = (people: People, grid: Grid, note?: (text: string) => void): Promise<Ranked> =>
  chooseAll(people, grid, note);

export const settingOf = (ranked: Ranked, name: string): Setting => ranked.get(name)![0]!.setting;

export function settingText({
  method,
  logUnit,
  components,
  ridge,
  whitened,
  score,
  own,
  everyone,
  cohort,
  service,
}: Setting): string {
  return [
    `log unit ${logUnit}`,
    `k = ${components}`,
    ...(ridge > 0 ? [method === 'manhattan' ? `${100 * ridge} % pooled deviations` : `ρ = ${ridge}`] : []),
    ...(whitened ? ['whitened'] : []),
    ...(method === 'manhattan' ? [] : [score]),
    ...(service ? ['score of the service'] : [`own ${own}`]),
    ...(everyone > 0 ? [`everyone ${everyone}`] : []),
    ...(cohort ? [`cohort of ${cohort.nearest}, weight ${cohort.weight}`] : []),
  ].join(', ');
}

/** What validation chose, and the error rates that it had there. */
export function choiceFacts(ranked: Ranked): Facts {
  const facts: Facts = {};
  for (const { name } of ARMS) {
    const [chosen] = ranked.get(name)!;
    if (chosen === undefined) throw new Error(`the grid has no setting for ${name}`);
    facts[`${name}/setting`] = settingText(chosen.setting);
    facts[`${name}/components`] = chosen.setting.components;
    facts[`${name}/chosen/perSample`] = percent(chosen.perSample);
    facts[`${name}/chosen/overFive`] = percent(chosen.overFive);
  }
  return facts;
}

/** Every arm on the test rows, with the settings that validation chose. */
export async function seenFacts(
  people: People,
  ranked: Ranked,
  resamples: number,
  note: (text: string) => void = () => undefined,
): Promise<Facts> {
  const facts: Facts = {};
  const final = finalOf(people);
  const draws = drawsOf(people.people.length, resamples, `bootstrap of ${people.dataset}`);
  const names = people.people.map(({ name }) => name);
  const resampled = new Map<string, { perSample: number[]; overFive: number[] }>();
  for (const { name } of ARMS) {
    note(name);
    await setImmediate(); // so that an interruption is heard
    const runs = runsOf(settingOf(ranked, name), final);
    const rates = ratesOf(runs);
    Object.assign(facts, {
      [`${name}/perSample`]: percent(rates.perSample),
      [`${name}/overFive`]: percent(rates.overFive),
      [`${name}/overTen`]: percent(rates.overTen),
      [`${name}/perUser`]: percent(rates.perUser),
      [`${name}/before`]: percent(rates.before),
      [`${name}/fmr`]: percent(rates.atThreshold.fmr),
      [`${name}/fnmr`]: percent(rates.atThreshold.fnmr),
      [`${name}/fmrOverFive`]: percent(rates.atThresholdOverFive.fmr),
      [`${name}/fnmrOverFive`]: percent(rates.atThresholdOverFive.fnmr),
    });
    for (const { fmr, fnmr } of rates.det) facts[`${name}/det/${percent(fmr)}`] = percent(fnmr);
    const own = {
      perSample: resampledRates(runs.test, 1, names, draws),
      overFive: resampledRates(runs.test, 5, names, draws),
    };
    resampled.set(name, own);
    putInterval(facts, `${name}/perSample`, intervalOf(own.perSample));
    putInterval(facts, `${name}/overFive`, intervalOf(own.overFive));
  }
  for (const { name, family } of ARMS) lessRaw(facts, name, family, resampled);
  return facts;
}

/** Against the raw arm of the same family that did better in the test. */
function lessRaw(
  facts: Facts,
  name: string,
  family: Family,
  resampled: ReadonlyMap<string, { perSample: number[]; overFive: number[] }>,
): void {
  for (const what of ['perSample', 'overFive'] as const) {
    const rate = (arm: string) => facts[`${arm}/${what}`] as number;
    const best = rawArms(family).reduce((a, b) => (rate(b) < rate(a) ? b : a));
    const key = `${name}/${what}/lessRaw`;
    facts[key] = Number((rate(name) - rate(best)).toFixed(4));
    putInterval(facts, key, pairedInterval(resampled.get(name)![what], resampled.get(best)![what]));
  }
}

/** Test EER of the best setting that validation has for each number of components. */
export function componentFacts(people: People, ranked: Ranked, families: readonly Family[]): Facts {
  const facts: Facts = {};
  const final = finalOf(people);
  const arms = ARMS.filter(
    ({ method, family, scores }) =>
      families.includes(family) && (method === 'pca' || method === 'dca') && scores === undefined,
  );
  for (const { name, method, family } of arms) {
    const sizes = new Set(ranked.get(name)!.map(({ setting }) => setting.components));
    for (const components of [...sizes].sort((a, b) => a - b)) {
      const { setting } = ranked.get(name)!.find((it) => it.setting.components === components)!;
      putRates(facts, `k/${method}/${family}/${components}`, testRates(setting, final));
    }
  }
  return facts;
}

/** With gaps, and without on the same rows. */
export function gapFacts(people: People, ranked: Ranked): Facts {
  const facts: Facts = {};
  const gaps = finalWithGaps(people);
  for (const name of ['manhattan', headlineArm('frames')]) {
    putRates(facts, `gap/${name}`, testRates(settingOf(ranked, name), gaps));
    putRates(facts, `all/${name}`, testRates(settingOf(ranked, name), finalOf(people)));
  }
  return facts;
}

export function frameFacts(people: People, ranked: Ranked): Facts {
  const facts: Facts = {};
  const setting = settingOf(ranked, headlineArm('frames'));
  const final = finalOf(people);
  putRates(facts, 'frame/victim', equalErrorRates(framedScores(setting, final, 'with the victim’s frame')));
  putRates(facts, 'frame/own', equalErrorRates(framedScores(setting, final, 'with their own frame')));
  return facts;
}

export function lockFacts(people: People, ranked: Ranked): Facts {
  const facts: Facts = {};
  const { thresholds, test } = runsOf(settingOf(ranked, SERVICE_ARM), finalOf(people));
  for (const engine of ENGINES) {
    const figures = lockFigures(engine, thresholds[0]!, test[0]!);
    const at = `lock/${engine}`;
    for (const what of ['impostorsSteppedUp', 'impostorsLocked', 'usersSteppedUp', 'usersLocked'] as const)
      facts[`${at}/${what}`] = percent(figures[what]);
    for (const what of ['windowsToStepUp', 'windowsToLock'] as const)
      if (figures[what] < Infinity) facts[`${at}/${what}`] = figures[what];
    facts[`${at}/windows`] = figures.windows;
  }
  return facts;
}

function testRates(setting: Setting, final: Final) {
  const { perSample, overFive } = ratesOf(runsOf(setting, final));
  return { perSample, overFive };
}

function putRates(
  facts: Facts,
  name: string,
  { perSample, overFive }: { readonly perSample: number; readonly overFive: number },
): void {
  facts[`${name}/perSample`] = percent(perSample);
  facts[`${name}/overFive`] = percent(overFive);
}
