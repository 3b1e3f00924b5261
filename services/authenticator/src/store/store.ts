/** The data that the authenticator keeps, and the places for which parts of it are sealed. */
import { decodeTemplate, encodeTemplate, type Template } from '@eigenveil/authentication';
import { hashOneTimeToken, newOneTimeToken, type Sealer } from '@eigenveil/server';
import type { Digest, Thumbprint } from '@eigenveil/wire';
import type { Decision, InvitationRequest, Reason, UserId } from '../messages.ts';

export interface StoredUser {
  readonly userId: UserId;
  readonly state: 'active' | 'locked' | 'revoked';
  /** The decision that the relying application was told last. */
  readonly decision: Decision;
  /** The sequence of the last event. */
  readonly event: number;
  readonly device: Thumbprint;
  readonly enrolledAt: Date;
  readonly projection: Digest;
  /** The template, or null once the user is revoked. */
  readonly sealedTemplate: Uint8Array | null;
  /**
   * The number of times that windows were compared with the template since the enrolment, and whether they
   * ever were too far from it.
   */
  readonly looks: number;
  readonly drifting: boolean;
}

/** The user of a key, now or in the past. */
export interface StoredDevice {
  readonly userId: UserId;
  /** True if the key is still in use: neither revoked nor replaced. */
  readonly current: boolean;
}

/** A decision before it is written down and gets its sequence. */
export interface NewEvent {
  readonly userId: UserId;
  readonly decision: Decision;
  readonly reason: Reason;
}

/**
 * The stored part of an invitation: a one-time secret by which the relying application decides which device
 * becomes a user's.
 */
export interface Invitation extends InvitationRequest {
  readonly tokenHash: string;
  readonly expiresAt: Date;
}

/** Returns a fresh token and the invitation that it stands for. */
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
