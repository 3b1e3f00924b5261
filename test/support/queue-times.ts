/** What a data user of the tests waits for, shorter than in operation: what fails is tried again soon. */
import {
  type DataUserConfiguration,
  type DataUserOverrides,
  POSTGRES_QUEUE_TIMES,
} from '@eigenveil/data-user';

/** Settings, which processes take as well. What a test waits for besides, it sets itself. */
export const QUICK_WAITS = {
  jobHeartbeatSeconds: 2,
  jobNoticeSeconds: 0,
} as const satisfies Partial<DataUserConfiguration>;

/** Times of the queues, for services in the test's own process. */
export const QUICK = {
  local: { firstBackoff: 20, longestBackoff: 200 },
  postgres: {
    ...POSTGRES_QUEUE_TIMES,
    resendMilliseconds: 500,
    longestLookMilliseconds: 100,
    pollSeconds: 0.5,
    firstRetrySeconds: 0,
    longestRetrySeconds: 1,
  },
} as const satisfies DataUserOverrides['queueTimes'];
