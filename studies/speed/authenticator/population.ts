/** Users of an authenticator by the thousand, with templates and windows that are the same in every run. */
import { DatabaseSync } from 'node:sqlite';
import { encodeTemplate, makeTemplate, type Template } from '@eigenveil/authentication';
import { databaseFile, type Sealer } from '@eigenveil/server';
import { generator, seedOf } from '@eigenveil/testbed/random';
import type { Digest, Thumbprint } from '@eigenveil/wire';

export const COMPONENTS = 20;
const ENROLMENT_WINDOWS = 40;
/** Different templates; users take turns with them. */
const TEMPLATES = 64;
const PATIENCE_MILLISECONDS = 60_000;

const userIdOf = (user: number): string => `user-${user}`;

/** Windows of a user, who is like every 64th other one. */
export function windowsOf(user: number, count: number, purpose: string): Float64Array[] {
  const kind = user % TEMPLATES;
  const [centre, next] = [generator(seedOf(`centre ${kind}`)), generator(seedOf(`${purpose} ${kind}`))];
  const mean = Float64Array.from({ length: COMPONENTS }, () => 2 * centre() - 1);
  return Array.from({ length: count }, () => mean.map((entry, i) => entry + (next() - 0.5) / (1 + i)));
}

/**
 * Writes users into the database of an authenticator, as enrolling them over HTTPS would, but in one transaction. The service cannot tell the
 * difference.
 * @param devices of the first users; the others have keys that nobody holds
 */
export function enrolAll(
  dataDirectory: string,
  sealer: Sealer,
  projection: Digest,
  users: number,
  devices: readonly Thumbprint[],
): void {
  const templates = Array.from({ length: TEMPLATES }, (_, kind): Template => {
    return makeTemplate(windowsOf(kind, ENROLMENT_WINDOWS, 'enrolment'));
  }).map(encodeTemplate);
  const db = new DatabaseSync(databaseFile(dataDirectory), { timeout: PATIENCE_MILLISECONDS });
  try {
    const user = db.prepare(
      `INSERT INTO users (user_id, state, decision, event, device, enrolled_at, projection, sealed_template)
       VALUES (?, 'active', 'step-up', 0, ?, ?, ?, ?)`,
    );
    const device = db.prepare('INSERT INTO devices (thumbprint, user_id) VALUES (?, ?)');
    db.exec('BEGIN IMMEDIATE');
    for (let i = 0; i < users; i += 1) {
      const id = userIdOf(i);
      const thumbprint = devices[i] ?? Buffer.from(id.padEnd(32)).toString('base64url');
      const sealed = sealer.seal(`users/${id}/sealed_template`, templates[i % TEMPLATES]!);
      user.run(id, thumbprint, Date.now(), projection, sealed);
      device.run(thumbprint, id);
    }
    db.exec('COMMIT');
  } finally {
    db.close();
  }
}
