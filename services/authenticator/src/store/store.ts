/** What the authenticator keeps, and the places for which it is sealed. */
import { decodeTemplate, encodeTemplate, type Template } from '@eigenveil/authentication';
import { hashOneTimeToken, newOneTimeToken, type Sealer } from '@eigenveil/server';
import type { Digest, Thumbprint } from '@eigenveil/wire';
import type { Decision, InvitationRequest, Reason, UserId } from '../messages.ts';

export interface StoredUser {
  readonly userId: UserId;
  readonly state: 'active' | 'locked' | 'revoked';
  /** As the relying application was told last. */
  readonly decision: Decision;
  /** Sequence of the last event. */
  readonly event: number;
  readonly device: Thumbprint;
  readonly enrolledAt: Date;
  readonly projection: Digest;
  /** Null once the user is revoked. */
  readonly sealedTemplate: Uint8Array | null;
  /** How often windows were compared with the template since the enrolment, and whether they ever were too far from it. */
  readonly looks: number;
  readonly drifting: boolean;
}

/** Whose a key is, or was. */
export interface StoredDevice {
  readonly userId: UserId;
  /** Whether it still is: neither revoked nor replaced. */
  readonly current: boolean;
}

/** A decision to be written down; its sequence is given then. */
export interface NewEvent {
  readonly userId: UserId;
  readonly decision: Decision;
  readonly reason: Reason;
}

/** What is kept of an invitation: a one-time secret by which the relying application decides which device becomes a user's. */
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

export const templatePlace = (userId: string): string => `users/${userId}/sealed_template`;

/** @throws ERR_SEAL_BROKEN, ERR_TEMPLATE_INVALID; TypeError for a user who was revoked */
export function openTemplate(sealer: Sealer, { userId, sealedTemplate }: StoredUser): Template {
  if (sealedTemplate === null) throw new TypeError('the user was revoked, and has no template');
  const bytes = sealer.open(templatePlace(userId), sealedTemplate);
  try {
    return decodeTemplate(bytes);
  } finally {
    bytes.fill(0);
  }
}

export function sealTemplate(sealer: Sealer, place: string, template: Template): Uint8Array {
  const bytes = encodeTemplate(template);
  try {
    return sealer.seal(place, bytes);
  } finally {
    bytes.fill(0);
  }
}
