/**
 * The facts that are known about a task before anybody contributes, and what its result can resolve: without
 * the code that runs it, so that pages load it, too.
 */
export { checkComputable } from './check-task.ts';
export { CountingGates, CountingSession } from './garbling/clear-and-counting.ts';
export { observed } from './garbling/session.ts';
export { latticeBytes, latticeWork } from './lattice/sizes.ts';
export { programBy, type Resolution, resolutionOf, runProgram, standardPaceOf } from './programs/index.ts';
export { rotatedPlan } from './rotated/plans.ts';
export { pencilPaces, sketchPaces } from './rotated/standard-pace.ts';
