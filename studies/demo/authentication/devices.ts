/** The devices of the demo of authentication, as processes. */
import type { Children } from '@eigenveil/testbed/processes/children';
import type { Digest } from '@eigenveil/wire';
import { Crew, type Done } from '../crew.ts';
import type { DeviceAnswer, DeviceRequest } from './device.ts';

const PROGRAM = new URL('./device.ts', import.meta.url).pathname;

export type Devices = Crew<DeviceRequest, DeviceAnswer>;

/** The first request that they can do is to enrol as owners. */
export function startDevices(children: Children, count: number, tick: () => void): Promise<Devices> {
  return Crew.start(children, PROGRAM, count, tick);
}

/**
 * The projection that every device has verified.
 * @throws Error unless it is one for all, and the CSP has counted every device
 */
export function oneProjection(verified: readonly Done<DeviceAnswer>[]): Digest {
  const digests = new Set<Digest>();
  for (const { answer } of verified) {
    if (!('digest' in answer) || answer.verifiedOwners !== verified.length)
      throw new Error('a device has not verified a projection of all devices');
    digests.add(answer.digest);
  }
  const [digest, ...others] = digests;
  if (digest === undefined || others.length > 0)
    throw new Error('devices have verified different projections');
  return digest;
}
