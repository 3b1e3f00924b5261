/** Every experiment of the instrument, in the order of the report. */
import { EXPERIMENTS as deviation } from './attacks/deviation/index.ts';
import { EXPERIMENTS as lattices } from './attacks/lattices/index.ts';
import { EXPERIMENTS as membership } from './attacks/membership/index.ts';
import { EXPERIMENTS as network } from './attacks/network/index.ts';
import { EXPERIMENTS as reducedRows } from './attacks/reduced-rows/index.ts';
import { EXPERIMENTS as tasks } from './attacks/tasks/index.ts';
import type { Experiment } from './experiment.ts';
import { EXPERIMENTS as simulation } from './simulation/index.ts';
import { EXPERIMENTS as views } from './views/index.ts';

export const EXPERIMENTS: readonly Experiment[] = [
  ...views,
  ...simulation,
  ...reducedRows,
  ...membership,
  ...tasks,
  ...lattices,
  ...network,
  ...deviation,
];
