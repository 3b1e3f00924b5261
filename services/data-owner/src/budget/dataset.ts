/** The names of data sets. They stand apart from the ledger since commands load them before they run. */
import { z } from 'zod';

/** The name that an owner gives to rows that are the same, or have rows in common. */
export const DatasetName = z
  .string()
  .regex(
    /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u,
    'expected up to 64 letters, digits, dots, hyphens or underlines, the first a letter or a digit',
  );
export const DEFAULT_DATASET = 'default';
