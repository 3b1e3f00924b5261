/** Budget arithmetic against values worked out by hand, and refusals. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PrivacyCost } from '../src/accountant.ts';
import { BudgetAccountant, epsilonOfZcdp, type PrivacyBudget, rhoOfBudget } from '../src/index.ts';

const exhausted = expect.objectContaining({ code: 'ERR_BUDGET_EXHAUSTED' });
const refused = expect.objectContaining({ code: 'ERR_DP_PARAMETER' });

describe('basic composition', () => {
  it('adds up, to the last tenth', () => {
    const accountant = new BudgetAccountant({ composition: 'basic', epsilon: 0.3, dpDelta: 3e-6 });
    expect(accountant.spent()).toEqual({ epsilon: 0, dpDelta: 0 });
    for (let i = 0; i < 3; i++) accountant.spend({ epsilon: 0.1, dpDelta: 1e-6 });
    expect(accountant.spent().epsilon).toBeCloseTo(0.3, 12);
    expect(accountant.spent().dpDelta).toBeCloseTo(3e-6, 15);
    expect(() => accountant.spend({ epsilon: 1e-9 })).toThrow(exhausted);
  });

  it('refuses too much delta alone, and any where the budget has none', () => {
    const accountant = new BudgetAccountant({ composition: 'basic', epsilon: 10, dpDelta: 0 });
    expect(() => accountant.spend({ epsilon: 1, dpDelta: 1e-12 })).toThrow(exhausted);
    accountant.spend({ epsilon: 10 });
    expect(() => accountant.check({ epsilon: 1e-6 })).toThrow(exhausted);
  });

  it('checks without spending, and a refused cost is not spent', () => {
    const accountant = new BudgetAccountant({ composition: 'basic', epsilon: 1, dpDelta: 0 });
    for (let i = 0; i < 5; i++) accountant.check({ epsilon: 0.9 });
    expect(() => accountant.spend({ epsilon: 1.1 })).toThrow(exhausted);
    expect(accountant.spent()).toEqual({ epsilon: 0, dpDelta: 0 });
    accountant.spend({ epsilon: 1 });
  });

  it('lets only an unlimited budget pay for no privacy', () => {
    const limited = new BudgetAccountant({ composition: 'basic', epsilon: 1e300, dpDelta: 0.5 });
    expect(() => limited.spend({ epsilon: Infinity })).toThrow(exhausted);
    const unlimited = new BudgetAccountant({ composition: 'basic', epsilon: Infinity, dpDelta: 0 });
    unlimited.spend({ epsilon: Infinity });
    unlimited.spend({ epsilon: 1 });
  });
});

describe('advanced composition', () => {
  it('is the sum worked out by hand', () => {
    const accountant = new BudgetAccountant({
      composition: 'advanced',
      epsilon: 5,
      dpDelta: 1e-4,
      slack: 1e-5,
    });
    for (let i = 0; i < 100; i++) accountant.spend({ epsilon: 0.05, dpDelta: 1e-7 });
    // √(2 · ln(10⁵) · 100 · 0.0025) = √5.7564627325 = 2.3992629560 and 100 · 0.05 · (e^0.05 − 1) = 0.2563554819.
    expect(accountant.spent().epsilon).toBeCloseTo(2.399262956 + 0.2563554819, 8);
    expect(accountant.spent().dpDelta).toBeCloseTo(2e-5, 12);
  });

  it('counts unequal costs, and stops where the sum passes the budget', () => {
    const accountant = new BudgetAccountant({
      composition: 'advanced',
      epsilon: 2,
      dpDelta: 1e-5,
      slack: 1e-5,
    });
    accountant.spend({ epsilon: 0.3 });
    accountant.spend({ epsilon: 0.1 });
    // √(2 · ln(10⁵) · 0.1) + 0.3 (e^0.3 − 1) + 0.1 (e^0.1 − 1) = 1.5174271293 + 0.1049576423 + 0.0105170918.
    expect(accountant.spent().epsilon).toBeCloseTo(1.6329018634, 8);
    expect(() => accountant.spend({ epsilon: 0.3 })).toThrow(exhausted);
    expect(() => accountant.spend({ epsilon: 0.1, dpDelta: 1e-9 })).toThrow(exhausted);
    accountant.spend({ epsilon: 0.1 });
  });

  it('beats basic composition for many small costs, and loses for one large', () => {
    const spent = (composition: 'basic' | 'advanced', count: number, epsilon: number) => {
      const shared = { epsilon: Infinity, dpDelta: 1e-6 };
      const accountant = new BudgetAccountant(
        composition === 'basic' ? { composition, ...shared } : { composition, ...shared, slack: 1e-6 },
      );
      for (let i = 0; i < count; i++) accountant.spend({ epsilon });
      return accountant.spent().epsilon;
    };
    expect(spent('advanced', 1000, 0.01)).toBeLessThan(spent('basic', 1000, 0.01));
    expect(spent('advanced', 1, 1)).toBeGreaterThan(spent('basic', 1, 1));
  });
});

describe('zCDP', () => {
  it('adds rho, counts epsilon as half its square, and converts once', () => {
    const accountant = new BudgetAccountant({ composition: 'zcdp', epsilon: 3, dpDelta: 1e-6 });
    accountant.spend({ rhoZcdp: 0.03 });
    accountant.spend({ epsilon: 0.2 });
    expect(accountant.spent().epsilon).toBeCloseTo(epsilonOfZcdp(0.05, 1e-6), 9);
    expect(accountant.spent().dpDelta).toBe(1e-6);
  });

  it('pays for what its budget calibrates, in one piece or in ten', () => {
    const budget = { epsilon: 1, dpDelta: 1e-6 };
    for (const pieces of [1, 10]) {
      const accountant = new BudgetAccountant({ composition: 'zcdp', ...budget });
      for (let i = 0; i < pieces; i++) accountant.spend({ rhoZcdp: rhoOfBudget(budget) / pieces });
      expect(accountant.spent().epsilon).toBeCloseTo(1, 9);
      expect(() => accountant.spend({ rhoZcdp: 1e-9 })).toThrow(exhausted);
    }
  });

  it('refuses costs that it cannot add', () => {
    const zcdp = new BudgetAccountant({ composition: 'zcdp', epsilon: 1, dpDelta: 1e-6 });
    expect(() => zcdp.spend({ epsilon: 0.1, dpDelta: 1e-9 })).toThrow(refused);
    const basic = new BudgetAccountant({ composition: 'basic', epsilon: 1, dpDelta: 1e-6 });
    expect(() => basic.spend({ rhoZcdp: 0.01 })).toThrow(refused);
  });
});

describe('parameters', () => {
  it.each<PrivacyBudget>([
    { composition: 'basic', epsilon: 0, dpDelta: 0 },
    { composition: 'basic', epsilon: Number.NaN, dpDelta: 0 },
    { composition: 'basic', epsilon: 1, dpDelta: 1 },
    { composition: 'basic', epsilon: 1, dpDelta: -1e-9 },
    { composition: 'advanced', epsilon: 1, dpDelta: 0, slack: 0 },
    { composition: 'advanced', epsilon: 1, dpDelta: 1e-6, slack: 0 },
    { composition: 'advanced', epsilon: 1, dpDelta: 1e-6, slack: 2e-6 },
    { composition: 'zcdp', epsilon: 1, dpDelta: 0 },
  ])('refuses the budget $composition, $epsilon, $dpDelta', (budget) => {
    expect(() => new BudgetAccountant(budget)).toThrow(refused);
  });

  it.each<PrivacyCost>([
    { epsilon: 0 },
    { epsilon: -1 },
    { epsilon: Number.NaN },
    { epsilon: 1, dpDelta: 1 },
    { epsilon: 1, dpDelta: Number.NaN },
    { rhoZcdp: 0 },
    { rhoZcdp: Number.NaN },
    { rhoZcdp: Infinity },
  ])('refuses the cost %o', (cost) => {
    const accountant = new BudgetAccountant({ composition: 'zcdp', epsilon: 10, dpDelta: 0.5 });
    expect(() => accountant.spend(cost)).toThrow(refused);
    expect(accountant.spent().epsilon).toBe(0);
  });

  it('never holds more than its budget, whatever is tried', () => {
    const costs = fc.array(fc.record({ epsilon: fc.double({ min: 1e-6, max: 2, noNaN: true }) }), {
      maxLength: 30,
    });
    const budgets = fc.constantFrom<PrivacyBudget>(
      { composition: 'basic', epsilon: 3, dpDelta: 1e-6 },
      { composition: 'advanced', epsilon: 3, dpDelta: 1e-6, slack: 1e-6 },
      { composition: 'zcdp', epsilon: 3, dpDelta: 1e-6 },
    );
    fc.assert(
      fc.property(budgets, costs, (budget, list) => {
        const accountant = new BudgetAccountant(budget);
        for (const cost of list) {
          const before = accountant.spent();
          try {
            accountant.spend(cost);
          } catch (error) {
            expect(error).toEqual(exhausted);
            expect(accountant.spent()).toEqual(before);
          }
        }
        expect(accountant.spent().epsilon).toBeLessThanOrEqual(3 * (1 + 1e-9));
      }),
    );
  });
});
