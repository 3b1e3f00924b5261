/** Invitations: one-time secrets by which the relying application decides which device becomes a user's. */
import { createHash, randomBytes } from 'node:crypto';
import type { InvitationRequest } from './messages.ts';

/** What the store keeps of an invitation. */
export interface Invitation extends InvitationRequest {
  readonly tokenHash: string;
  readonly expiresAt: Date;
}

/** A fresh token and the invitation that it stands for. */
export function newInvitation(
  request: InvitationRequest,
  expiresAt: Date,
): { readonly token: string; readonly invitation: Invitation } {
  const token = randomBytes(32).toString('base64url');
  return { token, invitation: { ...request, tokenHash: hashInvitationToken(token), expiresAt } };
}

/** A token has 256 random bits, so a plain hash hides it and a look-up by hash gives nothing away through timing. */
export function hashInvitationToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
