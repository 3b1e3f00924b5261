/** `npm run bench`: measures what the suites plan, and writes a report to look at, to read and to compute with. */
import { fileURLToPath } from 'node:url';
import { runBenchCommand } from '@eigenveil/studies/instrument/command';
import { benchReport, reportOf } from '@eigenveil/studies/instrument/report';
import { authenticationStudy } from '@eigenveil/studies/recognition/study/report';
import { authentication } from '@eigenveil/studies/recognition/study/suite';
import { SUITES as OWN } from '@eigenveil/studies/speed/suites/index';

// The laboratory stands on the benchmarks, so its suite joins them here.
const SUITES = [...OWN, authentication];

await runBenchCommand({
  name: 'bench',
  description:
    'Measures Eigenveil against the published protocol and writes report.html, report.md and report.json.',
  suites: SUITES,
  folder: fileURLToPath(new URL('../out/bench', import.meta.url)),
  examples: ['--quick', '--only key-length,two-party'],
  report: (data) =>
    data.description.suites.join() === authentication.name
      ? reportOf(data, [authentication], authenticationStudy)
      : benchReport(data, SUITES),
});
