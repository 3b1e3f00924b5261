/** The part of a data owner's process of a demo once it is enrolled: what it keeps, and does by the owner's library. */
import { readFile } from 'node:fs/promises';
import { DataOwner, OwnerHome, type OwnerPolicy, type ServiceAddress } from '@eigenveil/data-owner';
import { PaillierPool } from '@eigenveil/paillier';
import type { Thumbprint } from '@eigenveil/wire';

/** Dozens of processes that start at once keep a service waiting. */
export const PATIENCE_MILLISECONDS = 60_000;

/** The setting that every owner of a demo is told first. */
export interface OwnerSetting {
  readonly home: string;
  readonly caFile: string;
  readonly cspUrl: string;
  readonly dataUserUrl: string;
  readonly policy: OwnerPolicy;
}

/** Asks for the first that an owner can do. */
export interface EnrolRequest<Setting extends OwnerSetting> {
  readonly kind: 'enrol';
  readonly setting: Setting;
  readonly token: string;
  readonly cspThumbprint: Thumbprint;
}

export interface EnrolledOwner<Setting extends OwnerSetting> {
  readonly owner: DataOwner;
  readonly dataUser: ServiceAddress;
  readonly setting: Setting;
}

export async function enrolOwner<Setting extends OwnerSetting>({
  setting,
  token,
  cspThumbprint,
}: EnrolRequest<Setting>): Promise<EnrolledOwner<Setting>> {
  const ca = await readFile(setting.caFile, 'utf8');
  const owner = new DataOwner({
    state: new OwnerHome(setting.home),
    policy: setting.policy,
    paillier: new PaillierPool({ threads: 0 }),
    patienceMilliseconds: PATIENCE_MILLISECONDS,
  });
  await owner.enrol({ url: setting.cspUrl, ca }, token, cspThumbprint);
  return { owner, dataUser: { url: setting.dataUserUrl, ca }, setting };
}
