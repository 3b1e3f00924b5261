/** The identity of an owner at both services. */
import { z } from 'zod';

/** 16 random bytes, base64url, drawn by the CSP at enrolment. */
export const OwnerId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{22}$/)
  .brand('OwnerId');
export type OwnerId = z.infer<typeof OwnerId>;
