/** The studies `key-length` and `published`: what they plan, and what they make of records. */
import { draftTask } from '@eigenveil/data-user';
import { describe, expect, it } from 'vitest';
import { dataFile } from '../../speed/decompositions.ts';
import { keyLength } from '../../speed/key-length.ts';
import { PUBLISHED_EFFICIENCY, PUBLISHED_F1 } from '../../speed/published.ts';
import { published } from '../../speed/published-tables.ts';
import { ROLE_COLUMNS } from '../../speed/roles.ts';
import { planOf, printed } from './printed.ts';

/** As if the literal roles took `milliseconds` once, twice and three times, and Eigenveil's `share` of it. */
const timed = (milliseconds: number, share: number) =>
  [1, 2, 3].map((repetition) => ({
    ...Object.fromEntries(
      ROLE_COLUMNS.map((column) => [
        column,
        repetition * milliseconds * (column.endsWith('/literal') ? 1 : share),
      ]),
    ),
    ...{ repetition, literalCiphertexts: 73, literalCiphertextsTimed: 12, literalContributionBytes: 18_688 },
    ...{ eigenveilCiphertexts: 5, eigenveilContributionBytes: 1280 },
  }));

describe('key-length', () => {
  const grown = (power: number, share = 0.1) =>
    [1024, 2048, 4096].flatMap((keyBits) =>
      timed(1, 1).map((one) => ({
        ...one,
        ...{ method: 'pca', features: 34, keyBits },
        ...Object.fromEntries(
          ROLE_COLUMNS.map((column) => {
            const literal = column.endsWith('/literal');
            const growth = (keyBits / 1024) ** (literal ? 3 : power);
            return [column, one.repetition * growth * (literal ? 1 : share)];
          }),
        ),
      })),
    );

  it('tells medians with quartiles, ratios within repetitions and the exponent of growth', async () => {
    const { text, facts, contradictions } = await printed(keyLength, grown(2));
    expect(text).toContain(
      '| owner, standard encryption | 1024 | 2.00 ms (1.50–2.50) | 200 µs (150–250) | 10.0× |',
    );
    expect(text).toContain('| CSP | 4096 | 128 ms (96.0–160) | 3.20 ms (2.40–4.00) | 40.0× |');
    expect(text).toContain('| 1024 | 73 | 18.7 kB | 5 | 1.28 kB | 14.6× |');
    expect(text).toContain('| CSP: literal | 3.00 (3.00 to 3.00) |');
    expect(text).toContain('| CSP: Eigenveil | 2.00 (2.00 to 2.00) |');
    expect(facts.get('ownerDjn')!.text).toBe('20');
    expect(contradictions).toEqual([]);
  });

  it('contradicts itself where Eigenveil is slower, or grows as fast', async () => {
    expect((await printed(keyLength, grown(2, 1))).contradictions).toEqual([
      expect.stringContaining('is faster than the literal protocol'),
    ]);
    expect((await printed(keyLength, grown(3))).contradictions).toEqual([
      expect.stringContaining('grow more slowly'),
    ]);
  });

  it('leaves long keys to full runs, and says so', async () => {
    const [quick, full] = [await planOf(keyLength, 'quick'), await planOf(keyLength, 'full')];
    expect(full.cases.map(({ keyBits }) => keyBits)).toEqual([1024, 2048, 3072, 4096]);
    expect(quick.cases.map(({ keyBits }) => keyBits)).toEqual([1024, 2048]);
    expect([quick.omissions!.length, full.omissions!.length]).toEqual([1, 0]);
  });
});

describe('published', () => {
  it('has the same data sets in all tables, with the features and classes of the files here', {
    tags: ['long'],
  }, async () => {
    const names = PUBLISHED_EFFICIENCY.pca.map(({ dataset }) => dataset);
    expect(PUBLISHED_EFFICIENCY.dca.map(({ dataset }) => dataset)).toEqual(names);
    expect(PUBLISHED_F1.map(({ dataset }) => dataset)).toEqual(names);
    let found = 0;
    for (const { dataset, features, classes } of [...PUBLISHED_EFFICIENCY.pca, ...PUBLISHED_EFFICIENCY.dca]) {
      const file = await dataFile(dataset);
      if (file === undefined) continue;
      const draft = await draftTask(file, { method: 'dca', labels: ['label'], ignore: [] });
      expect([dataset, draft.features.length, draft.labellings[0]!.classes.length]).toEqual([
        dataset,
        features,
        classes,
      ]);
      found += 1;
    }
    // pima, ionosphere and the synthetic set are there in any case.
    expect(found).toBeGreaterThanOrEqual(6);
  });

  it('plans every row of both tables or says why not', async () => {
    for (const scale of ['quick', 'full'] as const) {
      const { cases, omissions } = await planOf(published, scale);
      expect(cases.length + omissions!.length).toBe(12);
    }
  });

  it('stands beside what was published, in its units', async () => {
    const records = timed(1000, 0.1).map((record) => ({
      ...record,
      ...{ method: 'dca', dataset: 'ionosphere', features: 34, rowsOfOwner: 36, 'owner/summing': 20 },
    }));
    const { text, sections, contradictions } = await printed(published, records);
    expect(text).toContain(
      '| Ionosphere | 34 | owner, DJN encryption | 11.2 s | 2.00 s (1.50–2.50) | 200 ms (150–250) | 10.0× |',
    );
    expect(text).toContain('| Ionosphere | 34 | data user, per owner | 29 ms |');
    expect(text).toContain('| Ionosphere | 36 | 20.0 ms | 73 | 12 | 18.7 kB | 5 | 1.28 kB | 14.6× |');
    const [chart] = sections.flatMap(({ blocks }) => blocks.filter((block) => block.kind === 'chart'));
    expect(chart?.drawing).toMatchObject({
      lines: [{ name: 'published, on another machine', points: [{ x: 34, y: 11_200 }] }, {}, {}, {}],
    });
    expect(contradictions).toEqual([]);
    const slower = records.map((record) => ({ ...record, 'csp/eigenveil': 1e6 }));
    expect((await printed(published, slower)).contradictions).toHaveLength(1);
  });
});
