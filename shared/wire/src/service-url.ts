/** The address of a service, in settings and at the client. */
import { z } from 'zod';

/** https, no path, no query, and no user, who would make one host look like another. */
export const ServiceUrl = z
  .url({ protocol: /^https$/ })
  .regex(/^https:\/\/[^/?#@]+\/?$/i, 'expected an https address without a path and without a user');
