/** Invitations: one-time secrets by which the relying application decides which device becomes a user's. */
import { hashOneTimeToken, newOneTimeToken } from '@eigenveil/server';
import type { InvitationRequest } from '../messages.ts';

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
  const token = newOneTimeToken();
  return { token, invitation: { ...request, tokenHash: hashOneTimeToken(token), expiresAt } };
}
