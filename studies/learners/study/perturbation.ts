/** Accuracy of logistic regression with noise in its objective, and with noise on its output, at the same ε and on the same splits. */

import { predictableRandomness } from '@eigenveil/testbed/random';
import { count, mean, spread, where } from '../../instrument/figure.ts';
import { inSeries } from '../../instrument/results.ts';
import { defineStudy } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { dataSetsOf, rowsOf } from '../../privacy/data.ts';
import { DECIDED, decidedOf, overDataSets } from '../compared.ts';
import { classOf, objectivePerturbed, outputPerturbed } from '../perturbed-regression.ts';
import { picked, splitOf } from './data.ts';
import { EPSILON_TITLES, STUDY_EPSILONS, told } from './settings.ts';

/** The sets of two classes, and iris, whose last class stands against the others. */
const CLASSIFIED: readonly string[] = ['iris', 'pima', 'breast_cancer', 'australian', 'german', 'ionosphere'];
/** Λ. The first was added after a run with the others, in which regression without noise, too, hardly learnt at the last. */
const LAMBDAS = [0.001, 0.01, 0.1] as const;
const ARMS = { objective: objectivePerturbed, output: outputPerturbed };
const PAIRS = [{ of: 'objective', against: 'output' }];

const accuracyOf = (arm: keyof typeof ARMS, lambda: (typeof LAMBDAS)[number], epsilon: number) => ({
  of: 'overall',
  where: { arm, lambda, epsilon },
  figure: mean('accuracy', { digits: 0 }),
});
const plainAt = (lambda: (typeof LAMBDAS)[number]) => ({
  of: 'overall',
  where: { arm: 'neither', lambda },
  figure: mean('accuracy', { digits: 0 }),
});
const counted = (level: 'case' | 'mean', verdict?: string) => ({
  of: 'decided',
  where: { level },
  figure: verdict === undefined ? count : where({ verdict }, count),
});

export const perturbation = defineStudy({
  id: 'learners/perturbation',
  plan: async (asked) => {
    const { sets, omissions } = await dataSetsOf(asked, {
      what: 'perturbation',
      quickSets: ['iris', 'breast_cancer'],
    });
    const known = asked.own === undefined ? sets.filter(({ name }) => CLASSIFIED.includes(name)) : sets;
    const seeds = asked.scale === 'quick' ? 3 : 20;
    return {
      cases: known.map(({ name: dataset, features, rows }) => ({
        ...{ dataset, rows: rows.length, features, seeds },
        ...{ lambdas: LAMBDAS.join(' '), epsilons: STUDY_EPSILONS.join(' ') },
      })),
      omissions: omissions.filter(({ what }) => CLASSIFIED.some((name) => what.endsWith(` ${name}`))),
    };
  },
  titleOf: ({ dataset }) => `perturbation, ${dataset}`,
  expectedSeconds: ({ seeds, rows, features }) => seeds * (0.05 + 1e-6 * rows * features ** 2),
  async measure({ dataset, seeds }, { own }): Promise<Tidy[]> {
    const records: Tidy[] = [];
    const data = await rowsOf(dataset, own);
    const last = Math.max(...data.labels);
    const labels = data.labels.map((label) => Number(label === last));
    // With a constant, and still in the unit ball.
    const rows = data.rows.map((row) => [...row, 1].map((x) => x / Math.SQRT2));
    for (let seed = 0; seed < seeds; seed += 1) {
      const { train, test } = splitOf(dataset, data.labels, seed, 'class');
      const [learnt, known] = [picked(rows, train), picked(labels, train)];
      const score = (predict: (row: readonly number[]) => number, of: Tidy) => {
        const right = test.filter((row) => predict(rows[row]!) === labels[row]).length;
        records.push({ seed, ...of, accuracy: Number(((100 * right) / test.length).toFixed(4)) });
      };
      for (const lambda of LAMBDAS) {
        for (const [arm, perturbed] of Object.entries(ARMS)) {
          for (const epsilon of STUDY_EPSILONS) {
            const source = predictableRandomness(
              `learners perturbation ${dataset} ${arm} ${lambda} ${epsilon} ${seed}`,
            );
            const f = perturbed(source, learnt, known, { lambda, epsilon });
            score((row) => classOf(f, row), { arm, lambda, epsilon });
          }
        }
        const plain = outputPerturbed(predictableRandomness(''), learnt, known, {
          lambda,
          epsilon: Infinity,
        });
        score((row) => classOf(plain, row), { arm: 'neither', lambda, epsilon: told(Infinity) });
      }
      const often = Number(known.filter((label) => label === 1).length > known.length / 2);
      score(() => often, { arm: 'most frequent class', epsilon: told(Infinity) });
      // Lets an interruption be heard.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return inSeries(records);
  },
  columns: {
    dataset: { title: 'data set' },
    arm: { title: 'noise' },
    lambda: { title: 'Λ' },
    epsilon: { values: EPSILON_TITLES },
  },
  frames: {
    decided: (records) =>
      decidedOf(
        records.filter(({ arm }) => String(arm) in ARMS),
        { by: ['lambda'], scores: ['accuracy'], pairs: PAIRS },
      ),
    overall: (records) => overDataSets(records, ['arm', 'lambda', 'epsilon'], ['accuracy']),
  },
  tables: {
    decided: {
      caption:
        'Noise in the objective less noise on the output, in points of accuracy: the mean over data sets at each ε with its 95 % interval, not corrected, and its corrected verdict; and numbers of cases',
      of: 'decided',
      rows: ['lambda'],
      ...DECIDED,
    },
    accuracy: {
      caption: 'Accuracy in percent, mean ± standard deviation over splits',
      rows: ['dataset', 'lambda', 'arm'],
      across: { column: 'epsilon', cell: spread('accuracy', { digits: 1 }) },
    },
  },
  facts: {
    objectiveAt1: accuracyOf('objective', 0.01, 1),
    outputAt1: accuracyOf('output', 0.01, 1),
    objectiveAt3: accuracyOf('objective', 0.001, 3),
    outputAt3: accuracyOf('output', 0.001, 3),
    objectiveStrongAt3: accuracyOf('objective', 0.1, 3),
    outputStrongAt3: accuracyOf('output', 0.1, 3),
    plainWeak: plainAt(0.001),
    plainStrong: plainAt(0.1),
    ahead: counted('case', 'ahead'),
    behind: counted('case', 'behind'),
    cases: counted('case'),
    meansAhead: counted('mean', 'ahead'),
    meansNotBehind: counted('mean', 'not behind'),
    means: counted('mean'),
  },
  holds: {
    objectiveIsAhead: (fact) =>
      fact('ahead') > 0 &&
      fact('behind') === 0 &&
      fact('objectiveAt3') > fact('outputAt3') + 5 &&
      fact('objectiveAt1') > fact('outputAt1') + 5,
    strengthHides: (fact) =>
      Math.abs(fact('objectiveStrongAt3') - fact('outputStrongAt3')) < 1 &&
      fact('plainStrong') < fact('plainWeak') - 5,
  },
  words: new URL('perturbation.md', import.meta.url),
});
