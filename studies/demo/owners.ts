/** The demo's data owners: processes of their own, enrolled all at once, that agree to what a demo's task may ask. */

import { join } from 'node:path';
import { inviteOwners } from '@eigenveil/csp';
import { OwnerPolicy } from '@eigenveil/data-owner';
import { LIMITS } from '@eigenveil/methods';
import type { Task } from '@eigenveil/task';
import { MANY_ANSWERS } from '@eigenveil/testbed/many-answers';
import type { Children } from '@eigenveil/testbed/processes/children';
import { Crew } from './crew.ts';
import type { OwnerRequest } from './owner.ts';
import type { EnrolRequest, OwnerSetting } from './owner-part.ts';
import type { Services } from './services.ts';

const TOKEN_SECONDS = 3600;
const PROGRAM = new URL('./owner.ts', import.meta.url).pathname;

/** Answers are numbers of rows. */
export type Owners = Crew<OwnerRequest, number>;

/** The policy of owners that agree to everything that a demo's task may ask. */
export function demoPolicy(minimumKeyBits: number, ...twoParty: readonly Task['twoParty'][]): OwnerPolicy {
  return OwnerPolicy.parse({
    twoParty,
    minimumKeyBits,
    allowFullRank: true,
    allowSpectrum: true,
    minimumClassRows: 1,
    maximumLinks: LIMITS.links,
    ...MANY_ANSWERS,
  });
}

/** The first request that they can do is to enrol. */
export function startOwners(children: Children, count: number, tick: () => void): Promise<Owners> {
  return Crew.start(children, PROGRAM, count, tick);
}

/** Enrols every owner at the CSP, each with what it is told beyond the services: its file of rows, for instance. */
export async function enrolOwners<More extends object>(
  owners: Crew<EnrolRequest<OwnerSetting & More>, unknown>,
  { csp, dataUser, caFile }: Services,
  { folder, policy, more }: { folder: string; policy: OwnerPolicy; more: (owner: number) => More },
  tick: () => void,
): Promise<void> {
  const tokens = await inviteOwners(csp.folder, owners.size, TOKEN_SECONDS);
  await owners.all(
    (i) => ({
      kind: 'enrol',
      setting: {
        home: join(folder, `owner-${i + 1}`),
        caFile,
        cspUrl: csp.url,
        dataUserUrl: dataUser.url,
        policy,
        ...more(i),
      },
      token: tokens[i]!,
      cspThumbprint: csp.thumbprint,
    }),
    tick,
  );
}
