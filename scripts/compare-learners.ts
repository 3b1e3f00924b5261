/** `npm run compare:learners`: learners under differential privacy on raw and on reduced rows, and attacks on their promises. */
import { fileURLToPath } from 'node:url';
import { runBenchCommand } from '@eigenveil/studies/instrument/command';
import { LEARNERS_SUITES, learnersReport } from '@eigenveil/studies/learners/study/suites';

await runBenchCommand({
  name: 'compare:learners',
  description:
    'Compares private learners on raw, exactly projected and privately projected rows and writes report.html, report.md and report.json.',
  suites: LEARNERS_SUITES,
  folder: fileURLToPath(new URL('../out/learners', import.meta.url)),
  examples: ['--quick', '--only features,audits'],
  report: learnersReport,
});
