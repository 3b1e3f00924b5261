/** The page tells in sentences what services refuse, and what the owner finds wrong with their answers. */
import { CodedError, words } from '@eigenveil/platform';
import { CODES, isErrorCode, titleOf } from '@eigenveil/wire/errors';
import { CSP_OWNER_ROUTES } from '@eigenveil/wire/routes/csp/owner';
import { OWNER_ROUTES } from '@eigenveil/wire/routes/data-user/owner';
import { describe, expect, test } from 'vitest';
import { toldOf } from '../../src/owner/refusals.ts';
import { problemOf } from '../support/problems.ts';

const DETAIL = '"taskId" expected a task that was opened';

const ROUTES = [...Object.values(OWNER_ROUTES), ...Object.values(CSP_OWNER_ROUTES)];

describe('an error is told in the words of the page', () => {
  test.each([...new Set(ROUTES.flatMap(({ problems }) => problems))])(
    'where an owner’s route refuses by %s, which has a sentence of its own',
    (code) => {
      const { says } = toldOf(problemOf(code, DETAIL));
      expect(says).toMatch(/^[A-Z].*\.$/);
      expect(says).not.toBe(`${titleOf(code)}.`);
    },
  );

  test('whatever the code, and never in those of the service', () => {
    for (const code of Object.keys(CODES).filter(isErrorCode)) {
      const { says, next = 'Nothing.' } = toldOf(problemOf(code, DETAIL));
      expect(`${says} ${next}`, code).toMatch(/\.$/);
      expect(says, code).not.toContain('taskId');
      expect(`${says} ${next}`, code).not.toMatch(/"|expected|--/);
    }
  });

  test('with another invitation where the enrolment has expired', () => {
    expect(toldOf(problemOf('ERR_TOKEN_EXPIRED'))).toMatchObject({
      next: expect.stringContaining('a new invitation'),
      enrol: true,
    });
  });

  test('where the owner itself has found that an answer is wrong', () => {
    const found = new CodedError(CODES.ERR_AGREEMENT_INVALID, DETAIL);
    expect(toldOf(found)).toEqual(toldOf(problemOf('ERR_AGREEMENT_INVALID')));
    expect(toldOf(found).says).not.toBe(DETAIL);
  });

  test('and as this device says it where no service has', () => {
    const own = new CodedError(CODES.ERR_CONTRIBUTION_UNKNOWN, words`this browser holds no receipt`);
    expect(toldOf(own)).toEqual({ says: 'This browser holds no receipt' });
  });
});
