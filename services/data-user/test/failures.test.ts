import { ServiceError } from '@eigenveil/wire';
import { expect, test } from 'vitest';
import { isFatal, isFault } from '../src/failures.ts';

test('a task waits for a CSP of another release to be updated', () => {
  const refused = new ServiceError('ERR_PROTOCOL_VERSION', 'update the CSP');
  expect([isFatal(refused), isFault(refused)]).toEqual([false, false]);
});
