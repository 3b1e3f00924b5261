/** `npm run compare:ranges`: private histograms, theory against experiment, and what ranges from them are worth. */
import { fileURLToPath } from 'node:url';
import { runBenchCommand } from '@eigenveil/studies/instrument/command';
import { contradictions, RANGES_SUITES, rangesReportOf } from '@eigenveil/studies/ranges/suites';

await runBenchCommand({
  name: 'compare:ranges',
  description:
    'Compares the errors of private histograms with their theory, strategies with each other, and projections after private ranges with others, and writes report.html, report.md and report.json. Fails where theory and experiment disagree.',
  suites: RANGES_SUITES,
  folder: fileURLToPath(new URL('../out/ranges', import.meta.url)),
  examples: ['--full', '--only intervals,averages'],
  report: rangesReportOf,
  quickUnlessFull: true,
  contradictions,
});
