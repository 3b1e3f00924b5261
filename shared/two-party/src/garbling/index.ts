/** Half-gates garbling: gate contexts that circuits are written over, and sessions that run programs of two parties. */
export {
  ClearGates,
  ClearSession,
  CountingGates,
  CountingSession,
  DepthGates,
} from './clear-and-counting.ts';
export { EvaluatorSession } from './evaluator.ts';
export { GarblerSession } from './garbler.ts';
export { type Gates, STEP_GATES } from './gates.ts';
export { template } from './recorder.ts';
export { beforeReveal, observed, type Session } from './session.ts';
export { Wires } from './wires.ts';
