import { CodedError } from '@eigenveil/platform';
import { TWO_PARTY_CODES } from '@eigenveil/two-party';
import { CODES } from '@eigenveil/wire';
import { expect, test } from 'vitest';
import { isFatal, isFault } from '../../src/compute/failures.ts';

test('a task waits for a CSP of another release to be updated', () => {
  const refused = new CodedError(CODES.ERR_PROTOCOL_VERSION, 'update the CSP');
  expect([isFatal(refused), isFault(refused)]).toEqual([false, false]);
});

test('transfers that contradict each other are counted, and no further attempt is ruled out by it', () => {
  const guess = new CodedError(
    TWO_PARTY_CODES.ERR_OT_CHECK,
    'the transfers of a block contradict each other',
  );
  expect([isFatal(guess), isFault(guess)]).toEqual([false, true]);
});
