/** The setting of programs that send traces, where a collector is configured. */
import { z } from 'zod';

export const TRACE_ENDPOINT = {
  schema: z
    .url()
    .regex(
      /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/])/,
      'expected https, or http to this machine',
    )
    .optional(),
  description: 'address of a collector for traces, OTLP over HTTP: https, or http on this machine',
  placeholder: 'URL',
} as const;
