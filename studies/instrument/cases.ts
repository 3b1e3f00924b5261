/** The cases of a benchmark, measured one after the other. */

/**
 * Gives what the cases that could be measured gave, in their order. A case that fails is named on standard error with its reason,
 * leaves the others as they are, and makes the exit code of the process 1.
 * @param measure gives the rows of a case: none where its data are not there
 */
export async function measureEach<Case, Row>(
  cases: readonly Case[],
  nameOf: (one: Case) => string,
  measure: (one: Case) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const one of cases) {
    const name = nameOf(one);
    process.stderr.write(`measuring ${name} …\n`);
    try {
      rows.push(...(await measure(one)));
    } catch (error) {
      process.stderr.write(`${name} failed: ${reasonOf(error)}\n`);
      process.exitCode = 1;
    }
  }
  return rows;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? `${error.code}: ${error.message}` : error.message;
}
