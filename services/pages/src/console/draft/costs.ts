/**
 * The costs of members, for those that have any: in which direction, and whose time or bytes. The forecast of
 * a proposal has the amounts.
 */
const COSTS: ReadonlyMap<string, string> = new Map([
  ['features', 'all sides; sums grow with their square, the computation with their cube.'],
  ['components', 'the computation: each one more adds to it.'],
  ['fractionBits', 'owners’ bytes a little: each bit makes slots two bits wider.'],
  ['maximumOwners', 'owners’ bytes a little: each doubling makes slots a bit wider.'],
  ['maximumSamplesPerOwner', 'owners’ bytes a little: each doubling makes slots a bit wider.'],
  ['keyBits', 'time of owners and both servers; about the same bytes, in fewer, longer numbers.'],
  ['encryption', 'owners’ time: djn is several times faster.'],
  ['statisticalSecurityBits', 'owners’ bytes: each bit makes every slot a bit wider.'],
  ['twoParty', 'seconds and bytes between the servers: see the forecast.'],
  ['outputs', 'hardly anything, but what they reveal.'],
  ['minimumOwners', 'nothing; the task waits until there are that many.'],
  ['differentialPrivacy', 'accuracy: see the forecast of noise.'],
  ['epsilon', 'accuracy: half of it is twice the noise.'],
  ['clippingNorm', 'accuracy: larger means more noise, smaller means rows that are scaled down.'],
]);

export function costOfMember(name: string): string | null {
  return COSTS.get(name) ?? null;
}
