/** The studies of recognition on a user's own rows, and whether the kept report bears their conclusions out. */
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { reportToMarkdown } from '../../instrument/report/markdown.ts';
import { packed, recordsOf, StudyResults } from '../../instrument/results.ts';
import { measured, planRun } from '../../instrument/run.ts';
import { Settings } from '../../instrument/settings.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { nameOf, reportOf } from '../../instrument/told.ts';
import { recognition as group } from '../../recognition/index.ts';
import { ownRows } from './made-up.ts';

const kept = async () =>
  StudyResults.parse(
    JSON.parse(
      await readFile(new URL('../../../docs/authentication-study/report.json', import.meta.url), 'utf8'),
    ),
  );

describe('a quick run on own rows', () => {
  const own = ownRows({ people: 9, rows: 50, apart: 0.7 });
  const asked = { scale: 'quick', settings: new Settings('quick'), own } as const;
  const found = new Map<string, readonly Tidy[]>();
  let markdown: string;
  beforeAll(async () => {
    const { jobs, omissions } = await planRun(group.studies, asked);
    const cases = [];
    for (const { study, id, parameters } of jobs) {
      const records = await measured({ study, parameters }, { own, note: () => undefined });
      found.set(nameOf(study), [...(found.get(nameOf(study)) ?? []), ...records]);
      const of = { study: study.id, id, parameters, startedAt: '2026-01-01T00:00:00Z', seconds: 1 };
      cases.push({ ...of, ...packed(records) });
    }
    const description = { ...(await kept()).description, scale: 'quick' as const, chosen: { data: 'own' } };
    const { report } = await reportOf(group, {
      ...{ format: 'eigenveil-study/1', description, finishedAt: '2026-01-01T00:00:00Z', facts: {} },
      ...{ cases, omissions: [...omissions] },
    });
    markdown = reportToMarkdown(report);
  });
  const rate = (study: string, where: Tidy, column = 'eer') => {
    const all = found.get(study)!;
    const is = (record: Tidy) => Object.entries(where).every(([key, value]) => record[key] === value);
    return all.find((record) => is(record) && record[column] !== undefined)![column];
  };

  it('knows people, in every frame that impostors share alike, and templates that do not learn are those of the service', () => {
    const dca = rate('arms', { arm: 'dca', windows: 1 });
    expect(dca).toBeLessThan(40);
    expect(rate('arms', { arm: 'lda', windows: 1 })).toBe(dca);
    expect(rate('frames', { impostors: 'with the victim’s frame', windows: 1 })).toBe(dca);
    expect(rate('frames', { impostors: 'with their own frame', windows: 1 })).not.toBe(dca);
    expect(rate('time', { arm: 'dca', order: 'by time', windows: 1 })).toBe(dca);
    expect(rate('time', { arm: 'dca', order: 'with gaps', windows: 1 })).not.toBe(dca);
    expect(rate('learning', { rule: 'never' }, 'perSample')).toBe(
      rate('arms', { arm: 'dca-service', windows: 1 }),
    );
    expect(rate('learning', { rule: 'never' }, 'usersLearnt')).toBe(0);
    expect(rate('learning', { rule: '5 windows, share 0.1' }, 'usersLearnt')).toBeGreaterThan(0);
  });

  it('takes ranges for the noise, and noise costs accuracy', () => {
    const noise = (epsilon: number | string) =>
      rate('noise', { method: 'dca', epsilon, windows: 1 }) as number;
    expect(noise(1)).toBeGreaterThan(noise('∞'));
  });

  it('gets features back by the frame and by k windows, and a template by as many scores as unknowns', () => {
    const windows = (attack: string) => rate('reconstruction', { attack }, 'windows') as number;
    expect(windows('frame known')).toBeGreaterThan(0.2);
    expect(windows('frame taken for none')).toBeLessThan(windows('frame known') - 0.1);
    expect(rate('reconstruction', { method: 'pca', k: 5 }, 'windows')).toBeGreaterThan(0.95);
    expect(rate('scores', { enough: 'yes' }, 'recovered')).toBe(1);
    expect(rate('scores', { enough: 'no' }, 'recovered')).toBe(0);
    expect(rate('counts', { counted: 'the same rows', minimum: 1 }, 'found')).toBeCloseTo(1 / 9, 12);
    expect(rate('renewal', {}, 'before')).toBeLessThan(rate('renewal', {}, 'after') as number);
    expect(rate('linkage', { frames: 'none' }, 'auc')).toBeGreaterThan(0.7);
  });

  it('is told without goals and conclusions of other data, and says that no column names sessions', () => {
    expect(markdown).toContain('| own |');
    expect(
      markdown.match(/NaN|undefined|Infinity|\| goal is|misses its goals|on keystrokes|on walking/g),
    ).toBeNull();
    expect(markdown).toContain('learning, sessions: no column names them');
    expect(markdown).toContain('encrypted: left to the full run');
  });
});

it('own rows of few people, or with few rows of one, are refused with what is needed', async () => {
  for (const own of [ownRows({ people: 7, rows: 50 }), ownRows({ people: 8, rows: 49 })])
    for (const study of group.studies.filter(({ id }) => !id.endsWith('encrypted')))
      await expect(async () =>
        study.plan({ scale: 'quick', settings: new Settings('quick'), own }),
      ).rejects.toMatchObject({ code: 'ERR_STUDY_DATA' });
});

it('the kept report is of a full run, and bears all conclusions out; one that differs is found', async () => {
  const results = await kept();
  expect(results.description.scale).toBe('full');
  expect((await reportOf(group, results)).contradictions).toEqual([]);
  const altered = (study: string, alter: (record: Tidy) => Tidy) => ({
    ...results,
    cases: results.cases.map((one) => {
      if (one.study !== `recognition/${study}`) return one;
      return { ...one, ...packed(recordsOf({ ...one, parameters: {} }).map(alter)) };
    }),
  });
  const contradictionsIn = async (...of: Parameters<typeof altered>) =>
    (await reportOf(group, altered(...of))).contradictions;
  expect(
    await contradictionsIn('forgery', (record) =>
      record.attack === 'windows of zeros' ? { ...record, allowed: 0.5 } : record,
    ),
  ).toContainEqual(expect.stringContaining('no stream of zeros stayed'));
  expect(
    await contradictionsIn('arms', (record) => ('eer' in record ? { ...record, eer: 1 } : record)),
  ).toContainEqual(expect.stringContaining('misses its goals'));
  expect(await contradictionsIn('learning', (record) => ({ ...record, fmr: 6 }))).toContainEqual(
    expect.stringContaining('Learning is a trade'),
  );
});
