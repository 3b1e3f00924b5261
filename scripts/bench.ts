/** `npm run bench`: measures what the suites plan, and writes a report to look at, to read and to compute with. */
import { fileURLToPath } from 'node:url';
import { runBenchCommand } from '@eigenveil/studies/instrument/command';
import { benchReport } from '@eigenveil/studies/instrument/report';
import { SUITES } from '@eigenveil/studies/speed/suites/index';

await runBenchCommand({
  name: 'bench',
  description:
    'Measures Eigenveil against the published protocol and writes report.html, report.md and report.json.',
  suites: SUITES,
  folder: fileURLToPath(new URL('../out/bench', import.meta.url)),
  examples: ['--quick', '--only key-length,two-party'],
  report: (data) => benchReport(data, SUITES),
});
