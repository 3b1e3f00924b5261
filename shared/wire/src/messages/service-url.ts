/**
 * The address of a service, and the origin of a page. They stand apart from the owners' link, since settings take them:
 * `--help` loads no codes of errors.
 */
import { z } from 'zod';

/** https, no path, no query, and no user, who would make one host look like another. */
export const ServiceUrl = z
  .url({ protocol: /^https$/ })
  .regex(/^https:\/\/[^/?#@]+\/?$/i, 'expected an https address without a path and without a user');

/**
 * The origin of a page, exactly as browsers say it: https, no path, no final slash, no usual port, lower
 * case.
 */
export const PageOrigin = z
  .url({ protocol: /^https$/ })
  .refine(
    (text) => URL.parse(text)?.origin === text && !text.includes('*'),
    'expected an origin as browsers write it, like https://owner.example.org',
  );
