/** What a simulated run throws when the services have broken their contract. */
export class SimulationFailure extends Error {
  override readonly name = 'SimulationFailure';
}
