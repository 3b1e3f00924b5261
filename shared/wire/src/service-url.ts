/** The address of a service, in settings and at the client. */
import { z } from 'zod';

/** https, no path and no query. */
export const ServiceUrl = z
  .url({ protocol: /^https$/ })
  .regex(/^https:\/\/[^/?#]+\/?$/i, 'expected an https address without a path');
