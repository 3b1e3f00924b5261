/** A thread that searches one grid after the other. */
import { parentPort } from 'node:worker_threads';
import { type GridProblem, searchGrid } from './grid.ts';

parentPort!.on('message', (problem: GridProblem) => parentPort!.postMessage(searchGrid(problem)));
