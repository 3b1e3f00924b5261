/** Settings of the CSP's service. */
import type { Configuration } from '@eigenveil/command';
import { PAGE_SETTINGS, SERVICE_SETTINGS } from '@eigenveil/server/settings';
import { Thumbprint } from '@eigenveil/task/ids';
import { z } from 'zod';

export const CSP_SETTINGS = {
  ...SERVICE_SETTINGS,
  ...PAGE_SETTINGS,
  dataUsers: {
    schema: z.array(Thumbprint),
    description: 'key thumbprint of the data user that may propose tasks, or a JSON list of them',
    placeholder: 'LIST',
  },
  minimumOwners: {
    schema: z.int().min(2),
    description: 'smallest minimum of owners that a task may have',
    default: 2,
    placeholder: 'NUMBER',
  },
  ownerTokenDays: {
    schema: z.int().min(1).max(3650),
    description: 'lifetime of owner tokens, in days',
    default: 90,
    placeholder: 'NUMBER',
  },
  answersPerTask: {
    schema: z.int().min(1).max(100),
    description: 'answers that a task may get, since the last message of one may be lost; rotated gives one',
    default: 3,
    placeholder: 'NUMBER',
  },
  computationsPerMinute: {
    schema: z.int().min(1),
    description: 'two-party computations of a task that may start in a minute',
    default: 60,
    placeholder: 'NUMBER',
  },
  retentionDays: {
    schema: z.int().min(1).max(3650),
    description: 'days after its deadline for which a task that its data user does not end is kept',
    default: 30,
    placeholder: 'NUMBER',
  },
  openTasks: {
    schema: z.int().min(1),
    description: 'tasks of a data user that have not ended, at most',
    default: 1000,
    placeholder: 'NUMBER',
  },
  tasksPerDay: {
    schema: z.int().min(1),
    description: 'tasks that a data user may propose within 24 hours',
    default: 1000,
    placeholder: 'NUMBER',
  },
  quotas: {
    schema: z
      .record(Thumbprint, z.strictObject({ openTasks: z.int().min(1), tasksPerDay: z.int().min(1) }))
      .optional(),
    description: 'both numbers by data user: {"THUMBPRINT": {"openTasks": 2, "tasksPerDay": 5}}',
    placeholder: 'JSON',
  },
  allowSimulated: {
    schema: z.boolean(),
    description: 'take tasks with the simulated two-party protocol, which is NOT private',
    default: false,
  },
  allowInsecureKeys: {
    schema: z.boolean(),
    description: 'take tasks with keys under 2048 bits, for benchmarks',
    default: false,
  },
  allowFullRank: {
    schema: z.boolean(),
    description:
      'take tasks whose result may tell the whole scatter matrix: exact ones, and those with "allowFullRank"',
    default: false,
  },
} as const;
export type CspConfiguration = Configuration<typeof CSP_SETTINGS>;
