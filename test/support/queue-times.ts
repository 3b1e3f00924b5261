/** Times of the queues of work for services in the test's own process: what fails is tried again soon. */
import { type DataUserOverrides, POSTGRES_QUEUE_TIMES } from '@eigenveil/data-user';

export const QUICK = {
  local: { firstBackoff: 20, longestBackoff: 200 },
  postgres: {
    ...POSTGRES_QUEUE_TIMES,
    resendMilliseconds: 500,
    longestLookMilliseconds: 100,
    lookSeconds: 1,
    pollSeconds: 0.5,
    firstRetrySeconds: 0,
    longestRetrySeconds: 1,
  },
} as const satisfies DataUserOverrides['queueTimes'];
