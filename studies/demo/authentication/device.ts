/**
 * One device of the demo of authentication as a process of its own, with one user's rows: first a data owner, then what the authenticator
 * hears of whoever walks with it.
 */
import { join } from 'node:path';
import { DeviceClient, DeviceHome, type ServiceAddress } from '@eigenveil/authenticator/device';
import type { Evidence } from '@eigenveil/data-owner';
import { RowAccumulator } from '@eigenveil/statistics';
import type { TaskId } from '@eigenveil/task';
import { type Row, signedLogarithm } from '@eigenveil/testbed/recognition/people';
import type { Digest, Thumbprint } from '@eigenveil/wire';
import { answerRequests } from '../crew.ts';
import {
  type EnrolledOwner,
  type EnrolRequest,
  enrolOwner,
  type OwnerSetting,
  PATIENCE_MILLISECONDS,
} from '../owner-part.ts';

/** The things that a device holds beyond an owner's setting. */
export interface Held {
  /** Label of the rows. */
  readonly user: string;
  /** Raw rows of this user alone. */
  readonly rows: readonly Row[];
  /** Unit of the signed logarithm, which every device applies to its features first. */
  readonly logUnit: number;
}

/** The requests of the demo, one thing at a time. */
export type DeviceRequest =
  | EnrolRequest<OwnerSetting & Held>
  | { readonly kind: 'contribute'; readonly taskId: TaskId }
  /** Fetches the result; everything that was signed about it is checked here. */
  | { readonly kind: 'verify'; readonly taskId: TaskId }
  | { readonly kind: 'register'; readonly service: ServiceAddress; readonly invitation: string }
  /** Raw rows of whoever walks with the device now. */
  | { readonly kind: 'observe'; readonly rows: readonly Row[] }
  | { readonly kind: 'end' };

/** The number of rows that it worked on, or what it has verified. */
export type DeviceAnswer =
  | { readonly rows: number }
  | { readonly digest: Digest; readonly verifiedOwners: number };

interface Device extends EnrolledOwner<OwnerSetting & Held> {
  readonly cspThumbprint: Thumbprint;
  readonly client: DeviceClient;
  evidence?: Evidence;
}
let device: Device | undefined;

async function perform(request: DeviceRequest): Promise<DeviceAnswer> {
  if (request.kind === 'enrol') {
    const enrolled = await enrolOwner(request);
    const home = new DeviceHome(join(request.setting.home, 'device'));
    device = {
      ...enrolled,
      cspThumbprint: request.cspThumbprint,
      client: new DeviceClient({ home, patienceMilliseconds: PATIENCE_MILLISECONDS }),
    };
    return { rows: 0 };
  }
  if (device === undefined) throw new Error('a device must be enrolled as an owner first');
  const { owner, dataUser, client, setting } = device;
  const logarithms = (rows: readonly Row[]) =>
    rows.map((row) => row.map((cell) => signedLogarithm(cell, setting.logUnit)));
  switch (request.kind) {
    case 'contribute':
      await owner.contribute(dataUser, request.taskId, async (task) => {
        const accumulator = new RowAccumulator(task);
        for (const row of logarithms(setting.rows)) accumulator.add(row, [setting.user]);
        return accumulator.statistics();
      });
      return { rows: setting.rows.length };
    case 'verify': {
      const { evidence, provenance } = await owner.result(dataUser, request.taskId);
      device.evidence = evidence;
      return { digest: provenance.projectionDigest, verifiedOwners: provenance.verifiedOwners };
    }
    case 'register': {
      const { evidence, cspThumbprint: csp } = device;
      if (evidence === undefined) throw new Error('a device is to verify the projection first');
      const { service, invitation: token } = request;
      await client.enrol({ service, token, evidence, csp }, logarithms(setting.rows));
      return { rows: setting.rows.length };
    }
    case 'observe':
      await client.observe(logarithms(request.rows));
      return { rows: request.rows.length };
    case 'end':
      await client.close();
      return { rows: 0 };
  }
}

answerRequests(perform);
