/** The unit of deadlines, and of how long a task is kept after its own. */
export const DAY_MILLISECONDS = 86_400_000;
