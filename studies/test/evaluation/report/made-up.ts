/** A result with every kind of verdict, its figures made up; an attack and a scene of a user's own have names that would be markup. */
import type {
  CaseResult,
  ClaimResult,
  EvaluationResult,
  ExperimentResult,
  Verdict,
} from '../../../evaluation/result.ts';

export const HOSTILE = '<img src=x onerror="alert(1)"> & [link](javascript:alert(1))';
const OWN_SCENE = `${HOSTILE}.csv`;

const COMMON = { confirmation: null, facts: {}, blocks: [], seconds: 1.5, pBroken: 1 };

export function trials(
  verdict: Verdict,
  success: number,
  control: number,
  changed: Partial<CaseResult & { kind: 'trials' }> = {},
): CaseResult {
  return {
    ...COMMON,
    pHolds: 1,
    kind: 'trials',
    scene: 'pima',
    verdict,
    success,
    interval: [success - 0.04, success + 0.03],
    n: 1200,
    control,
    controlInterval: [control - 0.05, control + 0.05],
    controlUnits: 1100,
    baseline: 0.25,
    excess: (success - control) / (1 - control),
    excessInterval: [(success - control) / (1 - control) - 0.06, (success - control) / (1 - control) + 0.06],
    ...(verdict === 'broken' ? { pBroken: 0.0004 } : verdict === 'holds' ? { pHolds: 0.012 } : {}),
    ...changed,
  };
}

export function tested(verdict: Verdict, changed: Partial<CaseResult & { kind: 'test' }> = {}): CaseResult {
  return {
    ...COMMON,
    kind: 'test',
    scene: 'ionosphere',
    verdict,
    success: 0.02,
    interval: [0, 0.11],
    n: 40,
    p: 0.43,
    detectable: { leak: 'a share of runs with one bit of the sum', size: 0.35 },
    ...(verdict === 'broken' ? { pBroken: 1e-5 } : {}),
    ...changed,
  };
}

export function experiment(changed: Partial<ExperimentResult>): ExperimentResult {
  const cases = changed.cases ?? [trials('holds', 0.3, 0.29)];
  return {
    id: 'made-up',
    title: 'A made-up attack',
    kind: 'attack',
    attacker: 'recipient',
    secret: 'values of rows',
    expectation: 'holds',
    claims: [],
    sees: 'the projection, and all reduced rows',
    knows: 'nothing else.',
    control: 'the same for people who had no part in the task',
    baseline: 'the mean of the public sample',
    unit: 'row',
    verdict: cases[0]?.verdict ?? null,
    omitted: [],
    ...changed,
    cases,
  };
}

const claim = (changed: Pick<ClaimResult, 'id' | 'verdict'> & Partial<ClaimResult>): ClaimResult => ({
  document: 'SECURITY.md',
  heading: 'Threat model',
  text: `never sees a contribution, the **pooled** statistics or [the \`scatter\` matrix](#x) in the clear; ${changed.id}`,
  experiments: [],
  controls: [],
  ...changed,
});

export const POWER = {
  kind: 'chart',
  name: 'power',
  caption: 'Made up: power of the test by size of a planted leak.',
  drawing: {
    kind: 'lines',
    x: { title: 'Share of runs that leak', scale: 'linear' },
    y: { title: 'Power', scale: 'linear' },
    lines: [
      {
        name: 'classifier',
        style: 'solid',
        points: [0, 0.25, 0.5, 1].map((x) => ({ x, y: x, low: x * 0.9, high: x })),
      },
    ],
  },
} as const;

export const EXPERIMENTS: readonly ExperimentResult[] = [
  experiment({
    id: 'views-csp-garbled',
    title: 'A simulated view of the CSP against real ones',
    kind: 'simulation',
    attacker: 'CSP',
    secret: 'pooled statistics',
    unit: 'run',
    claims: ['S-13', 'S-19'],
    cases: [tested('holds', { blocks: [POWER] }), tested('holds', { scene: 'iris', blocks: [POWER] })],
  }),
  experiment({
    id: 'views-planted',
    title: 'The same with a planted bit',
    kind: 'simulation',
    attacker: 'CSP',
    secret: 'pooled statistics',
    expectation: 'control',
    unit: 'run',
    claims: ['S-13'],
    cases: [tested('broken', { success: 0.9, interval: [0.8, 1], p: 0, detectable: null })],
  }),
  experiment({
    id: 'reconstruction-linear',
    title: 'Rows back from reduced rows, by a linear estimator',
    expectation: 'admitted',
    claims: ['P-20'],
    unit: 'person',
    cases: [
      trials('broken', 0.71, 0.3, { facts: { 'mean error': 0.0123456, left: 'one' } }),
      trials('broken', 0.64, 0.31, { scene: 'wisdm', n: 14, facts: { 'mean error': 3.1 } }),
    ],
  }),
  experiment({
    id: 'membership-vectors',
    title: 'Who was in the data, from vectors and eigenvalues',
    secret: 'membership',
    unit: 'person',
    claims: ['S-14', 'P-12'],
    cases: [
      trials('broken', 0.62, 0.5, {
        confirmation: { seed: 'fresh', success: 0.61, n: 1200, p: 0.0002, verdict: 'broken' },
      }),
    ],
  }),
  experiment({
    id: 'collusion-owners',
    title: 'Owners together against another one',
    attacker: 'coalition',
    secret: 'statistics of an owner',
    unit: 'owner',
    claims: ['S-14'],
    cases: [trials('undecided', 0.5, 0.4, { n: 1 })],
    omitted: [{ scene: 'iris', why: 'it has too few owners' }],
  }),
  experiment({
    id: 'differencing',
    title: 'Two tasks that differ in one row',
    attacker: 'data user',
    secret: 'values of rows',
    expectation: 'control',
    cases: [trials('broken', 1, 0.05, { interval: [0.83, 1], baseline: 0 })],
  }),
  experiment({
    id: 'own-linkage',
    title: HOSTILE,
    expectation: 'admitted',
    sees: HOSTILE,
    knows: HOSTILE,
    control: HOSTILE,
    baseline: HOSTILE,
    cases: [
      trials('holds', 0.02, 0.01, {
        scene: OWN_SCENE,
        facts: { [HOSTILE]: HOSTILE },
        blocks: [
          { kind: 'text', text: HOSTILE },
          {
            kind: 'table',
            caption: HOSTILE,
            columns: [{ title: HOSTILE, align: 'left' }],
            rows: [[HOSTILE]],
          },
        ],
      }),
    ],
    omitted: [{ scene: OWN_SCENE, why: HOSTILE }],
  }),
  experiment({ id: 'faces', title: 'Faces', expectation: 'admitted', cases: [], verdict: null }),
];

export const RESULT: EvaluationResult = {
  format: 'eigenveil-evaluation/1',
  run: {
    effort: 'quick',
    seed: 'made-up',
    only: null,
    level: 0.001,
    margin: 0.05,
    scenes: ['pima', 'wisdm', OWN_SCENE].map((name) => ({
      name,
      method: 'pca',
      twoParty: 'rotated',
      features: 34,
      components: 15,
      epsilon: name === 'wisdm' ? 1 : null,
      owners: 8,
      rows: 1307,
      people: 1307,
      outsiderRows: 1306,
      publicRows: 653,
      utilityLabel: 'label',
      privateLabel: name === 'pima' ? 'age' : null,
    })),
    environment: { commit: 'c0ffee', changes: 'abc123', node: 'v26.10.0', processor: 'Some', cores: 2 },
    finishedAt: '2031-01-02T03:04:05.000Z',
    seconds: 83.4,
  },
  experiments: [...EXPERIMENTS],
  claims: [
    claim({ id: 'S-13', verdict: 'holds', experiments: ['views-csp-garbled'], controls: ['views-planted'] }),
    claim({ id: 'S-14', verdict: 'broken', experiments: ['membership-vectors', 'collusion-owners'] }),
    claim({
      id: 'P-20',
      verdict: 'measured',
      document: 'docs/privacy.md',
      experiments: ['reconstruction-linear'],
    }),
    claim({ id: 'S-2', verdict: 'not covered' }),
    claim({ id: 'S-3', verdict: 'not covered', text: `${HOSTILE} ${'and much more '.repeat(30)}` }),
  ],
  controls: [
    { id: 'views-planted', found: true },
    { id: 'differencing', found: true },
  ],
  failures: [{ experiment: 'faces', scene: 'olivetti', why: HOSTILE }],
  missing: [{ experiment: 'faces', scene: 'iris' }],
};
