/** The program that docs/circuits.md shows: against its formula, garbled against clear, and counted. */

import { readFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { bitsOf, numberFrom, valuesOf } from '../../src/circuits/index.ts';
import { Fixed, pieceByPiece, upperByRows } from '../../src/fixed-point/index.ts';
import { ClearSession, CountingGates, CountingSession, type Session } from '../../src/garbling/index.ts';
import { runGarbled } from '../support/garbled-run.ts';

// begin
/** uᵀ A u, of a symmetric A (upper triangle, row by row) and a vector u of n lanes, with as many fraction bits. */
async function quadraticForm(session: Session, A: Fixed, u: Fixed, n: number): Promise<Fixed> {
  const entries = upperByRows(n);
  const gatesEach = u.bits ** 2 + A.bits * 2 * u.bits;
  // a_ij u_i u_j
  const terms = await pieceByPiece(session, entries.lanes, gatesEach, (piece) => {
    const [ui, uj] = [u.perRow(entries, piece), u.perColumn(entries, piece)];
    const both = ui.timesExactly(uj).at(u.fraction);
    return A.part(piece).timesExactly(both).at(u.fraction);
  });
  // Twice the triangle, and its diagonal once.
  return session.step(() => {
    const twice = terms.sums().doubled();
    return twice.minus(terms.diagonal(entries).sums(), twice.bits + 1);
  });
}
// end

const [BITS, FRACTION] = [14, 10];
const triangle = (n: number) => (n * (n + 1)) / 2;

/** With A from the garbler and u from the evaluator, who learns the result. */
const program = (n: number) => async (session: Session, first?: Uint8Array, second?: Uint8Array) => {
  const own = await session.garblerInput(BITS * triangle(n), first);
  const others = await session.evaluatorInput(BITS * n, second);
  const { A, u } = await session.step((gates) => ({
    A: new Fixed(gates, numberFrom(gates, own, BITS), FRACTION),
    u: new Fixed(gates, numberFrom(gates, others, BITS), FRACTION),
  }));
  const { number } = await quadraticForm(session, A, u, n);
  return session.reveal(number);
};

const entriesOf = (count: number) =>
  fc.array(fc.bigInt(-(2n ** 12n), 2n ** 12n), { minLength: count, maxLength: count });
const given = fc
  .integer({ min: 1, max: 6 })
  .chain((n) => fc.tuple(fc.constant(n), entriesOf(triangle(n)), entriesOf(n)));

it('is the quadratic form, up to what is cut off of each term', async () => {
  await fc.assert(
    fc.asyncProperty(given, async ([n, A, u]) => {
      const bits = await program(n)(new ClearSession(), bitsOf(A, BITS), bitsOf(u, BITS));
      const result = Number(valuesOf(bits!)[0]!) / 2 ** FRACTION;
      const layout = upperByRows(n);
      const unit = (value: bigint) => Number(value) / 2 ** FRACTION;
      let exact = 0;
      for (let i = 0; i < n; i += 1)
        for (let j = 0; j < n; j += 1) exact += unit(A[layout.at(i, j)]!) * unit(u[i]!) * unit(u[j]!);
      // A product of u loses less than a unit, times an entry of at most 4; and then another unit is lost.
      expect(Math.abs(result - exact)).toBeLessThan((5 * n ** 2) / 2 ** FRACTION);
    }),
    { numRuns: 60 },
  );
});

it('gives the evaluator the same garbled', async () => {
  const [n, A, u] = fc.sample(given, { numRuns: 1, seed: 26 })[0]!;
  const [first, second] = [bitsOf(A, BITS), bitsOf(u, BITS)];
  const clear = await program(n)(new ClearSession(), first, second);
  const { bits } = await runGarbled(program(n), first, second);
  expect(bits).toEqual(clear);
});

it('takes so many AND gates', async () => {
  const session = new CountingSession(new CountingGates());
  await program(6)(session);
  expect(session.gates.andGates).toMatchInlineSnapshot(`11653`);
});

it('stands in the documentation as it is here', async () => {
  const [source, text] = await Promise.all(
    [import.meta.filename, new URL('../../../../docs/circuits.md', import.meta.url)].map((file) =>
      readFile(file, 'utf8'),
    ),
  );
  const [, shown] = /\/\/ begin\n([\s\S]*?)\/\/ end\n/.exec(source!)!;
  expect(text).toContain(`\`\`\`ts\n${shown}\`\`\`\n`);
});
