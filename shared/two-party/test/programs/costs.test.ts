/** docs/costs.md: what the programs cost by method and size, counted anew; `vitest run costs -u` writes it. */
import type { MethodParameters } from '@eigenveil/methods';
import type { Program } from '@eigenveil/task';
import { describe, expect, it } from 'vitest';
import { CountingGates, CountingSession } from '../../src/garbling/index.ts';
import { runProgram } from '../../src/programs/index.ts';
import { bytes, lineOf, OWNERS, SAMPLES, type Shape, taskOf } from '../shapes.ts';

const PCA: MethodParameters = { kind: 'pca' };
const CORRELATION: MethodParameters = { kind: 'pca', scale: 'correlation' };
const DCA: MethodParameters = { kind: 'dca', form: 'standard', ridge: 1, signalRidge: 0 };
const RIDGED: MethodParameters = { ...DCA, signalRidge: 0.25 };
const LDA: MethodParameters = { kind: 'lda', ridge: 1 };
const MDR: MethodParameters = { kind: 'mdr', ridge: 1 };
const RIDGE: MethodParameters = { kind: 'ridge', ridge: 1 };
const PCR: MethodParameters = { kind: 'pcr', ridge: 1 };

const SHAPES: readonly Shape[] = [
  { method: PCA, d: 8, classes: [], components: 7, note: 'pima' },
  { method: PCA, d: 10, classes: [], components: 8, note: 'breast cancer with id' },
  { method: PCA, d: 14, classes: [], components: 8, note: 'australian' },
  { method: PCA, d: 24, classes: [], components: 15, note: 'german' },
  { method: PCA, d: 34, classes: [], components: 15, note: 'ionosphere' },
  { method: PCA, d: 50, classes: [], components: 15 },
  { method: PCA, d: 100, classes: [], components: 15, note: 'the largest that is supported' },
  { method: CORRELATION, d: 8, classes: [], components: 4, note: 'pima' },
  { method: CORRELATION, d: 34, classes: [], components: 15, note: 'ionosphere' },
  { method: CORRELATION, d: 50, classes: [], components: 15 },
  { method: DCA, d: 8, classes: [2], components: 1, note: 'pima' },
  { method: DCA, d: 24, classes: [2], components: 1, note: 'german' },
  { method: DCA, d: 34, classes: [2], components: 1, note: 'ionosphere' },
  { method: DCA, d: 50, classes: [3], components: 2 },
  { method: DCA, d: 71, classes: [56], components: 55, note: 'MEU-Mobile keystrokes' },
  { method: DCA, d: 100, classes: [2], components: 1 },
  { method: RIDGED, d: 34, classes: [2], components: 15, note: 'full problem, for ρ′ ≠ 0' },
  { method: LDA, d: 34, classes: [2], components: 1, note: 'ionosphere' },
  { method: MDR, d: 34, classes: [2, 2], components: 1, note: 'ionosphere' },
  { method: RIDGE, d: 9, classes: [], components: 0 },
  { method: RIDGE, d: 34, classes: [], components: 0 },
  { method: RIDGE, d: 100, classes: [], components: 0, note: 'the largest that is supported' },
  { method: PCR, d: 10, classes: [], components: 3 },
  { method: PCR, d: 10, classes: [], components: 5 },
  { method: PCR, d: 30, classes: [], components: 3 },
  { method: PCR, d: 30, classes: [], components: 5 },
  { method: PCR, d: 100, classes: [], components: 15, note: 'the largest that is supported' },
];

const LABEL_BYTES = 16;
/** A row of the extension; the label that it stands for is computed and not sent. */
const TRANSFER_BYTES = 16;

async function row(shape: Shape): Promise<string> {
  const { method, d, classes, components } = shape;
  const program: Program = {
    method,
    featureCount: d,
    classCounts: classes,
    components,
    fractionBits: 14,
    outputs: [],
    minimumOwners: 2,
    allowFullRank: false,
    twoValued: 0,
  };
  const session = new CountingSession(new CountingGates());
  await runProgram(session, taskOf(shape), program, {});
  const { gates, garblerBits, evaluatorBits } = session;
  return lineOf(shape, [
    gates.andGates.toLocaleString('en-US'),
    gates.batches.toLocaleString('en-US'),
    bytes(gates.tableBytes + garblerBits * LABEL_BYTES),
    bytes(evaluatorBits * TRANSFER_BYTES),
  ]);
}

describe('costs', () => {
  it('are those of docs/costs.md', { tags: ['long'], timeout: 300_000 }, async () => {
    const rows: string[] = [];
    for (const shape of SHAPES) rows.push(await row(shape));
    await expect(`# What a garbled computation costs

Counted by running each program on a context that computes nothing, for ${OWNERS} owners with up to ${SAMPLES} rows each and 14 fraction
bits, without declared outputs and without a floor, which adds [up to 30 %](precision.md#programs-of-tasks-with-a-floor). A test counts again and compares with this page, which \`npx vitest run costs -u\` writes;
\`task draft\` and \`task create\` count those of a task, for an estimate of its costs. Gates depend on the
method, d features, the classes of each labelling, k components, and, for the first steps alone, on the lengths of the statistics.

- AND gates: what garbler and evaluator hash; all others are free. A batch is a set of gates that are hashed together.
- Garbler to evaluator: a table of 32 bytes per gate and a label of 16 bytes per bit of the garbler's shares; hash keys add 16 bytes per 4,096
  gates, messages a few more.
- Evaluator to garbler: 16 bytes per bit of the evaluator's shares, for oblivious transfer, and 2.1 KB (not in the table) for each block of 49,152 bits, for its check. The 128 base
  transfers add 8 KB to the other direction.

| method | d | classes | k | AND gates | batches | garbler to evaluator | evaluator to garbler | |
|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}
`).toMatchFileSnapshot('../../../../docs/costs.md');
  });
});
