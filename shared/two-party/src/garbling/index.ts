/** Half-gates garbling: gate contexts that circuits are written over, and sessions that run programs of two parties. */
export { ClearGates } from './clear.ts';
export { CountingGates, DepthGates } from './counting.ts';
export { EvaluatorSession } from './evaluator-session.ts';
export { GarblerSession } from './garbler-session.ts';
export { type Gates, STEP_GATES } from './gates.ts';
export { ClearSession, CountingSession } from './local-session.ts';
export { beforeReveal, observed } from './observed.ts';
export { template } from './recorder.ts';
export type { Session } from './session.ts';
export { Wires } from './wires.ts';
