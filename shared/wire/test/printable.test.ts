/**
 * Text of others that reaches a terminal.
 *
 * @claims S-78
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { errorFromProblem, explainIssues, TaskStatus } from '../src/index.ts';
import { printable, printableJson, printableLines } from '../src/printable.ts';

/** A title of a window, a colour, C1's own escape, a hidden turn of direction, a line of somebody else. */
const HOSTILE = 'a\u001b]0;owned\u0007b\u001b[31mc\u009b2Jd\u202ee\r\nf\u2028g\u007fh';
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const anyText = fc.string({ unit: 'binary' });

describe('text of a peer', () => {
  test('becomes one short line that a terminal only shows', () => {
    expect(printable(HOSTILE)).toBe('a�]0;owned�b�[31mc�2Jd�e f g�h');
    expect(printable('x'.repeat(5_000_000))).toHaveLength(1001);
    fc.assert(
      fc.property(anyText, fc.nat({ max: 40 }), (text, longest) => {
        const shown = printable(text, longest);
        expect(shown).not.toMatch(UNPRINTABLE);
        expect(shown.length).toBeLessThanOrEqual(longest + 1);
      }),
    );
  });

  test('stays as it is when there is nothing to hide', () => {
    const text = 'Größe: "naïve" ε ≤ 1 – 数据 🙂';
    expect(printable(text)).toBe(text);
    expect(printableLines(`${text}\n\t${text}\n`)).toBe(`${text}\n\t${text}\n`);
  });

  test('is safe in an error before anybody prints it', () => {
    const problem = (detail: string) =>
      JSON.stringify({ type: 'urn:x', title: HOSTILE, status: 409, code: 'ERR_NOT_READY', detail });
    for (const detail of [HOSTILE, `${HOSTILE}${'y'.repeat(1_000_000)}`]) {
      const { message } = errorFromProblem(problem(detail))!;
      expect(message).not.toMatch(UNPRINTABLE);
      expect(message.length).toBeLessThan(1100);
    }
  });

  test('is safe in the status of a task', () => {
    const status = TaskStatus.parse({
      taskId: 't'.repeat(22),
      state: 'failed',
      contributions: 0,
      differentialPrivacy: null,
      failure: { code: 'ERR_INTERNAL', message: HOSTILE },
      waiting: { code: HOSTILE, message: `${HOSTILE}${'y'.repeat(1_000_000)}` },
      timings: {},
      waitsFor: { who: 'nobody', code: 'nothing' },
    });
    for (const text of [status.failure!.message, status.waiting!.code, status.waiting!.message]) {
      expect(text).not.toMatch(UNPRINTABLE);
      expect(text.length).toBeLessThan(1100);
    }
  });

  test('is safe where a schema names it', () => {
    const { error } = z.strictObject({}).safeParse({ [HOSTILE]: 1 });
    expect(explainIssues(error!, 'body')).not.toMatch(UNPRINTABLE);
    const { error: inner } = z.record(z.string(), z.number()).safeParse({ [HOSTILE]: 'x' });
    expect(explainIssues(inner!, 'body')).not.toMatch(UNPRINTABLE);
  });
});

test('JSON for a terminal is JSON of the same value', () => {
  expect(printableJson({ a: '\u009b\u{e0001}' })).toBe(String.raw`{"a":"\u009b\udb40\udc01"}`);
  fc.assert(
    fc.property(fc.dictionary(anyText, anyText), (value) => {
      const text = printableJson(value);
      expect(text).not.toMatch(UNPRINTABLE);
      expect(JSON.parse(text)).toEqual(value);
    }),
  );
});
