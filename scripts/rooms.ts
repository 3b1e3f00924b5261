/** The place of the checkout, and its rooms of what ships. */
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The shared rooms of what ships, from the lowest up: each stands on rooms before it alone. */
export const ROOMS = [
  'platform',
  'privacy',
  'release',
  'methods',
  'paillier',
  'task',
  'statistics',
  'authentication',
  'wire',
  'projection',
  'two-party',
  'protocol',
  'command',
  'server',
];
