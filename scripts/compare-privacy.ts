/** `npm run compare:privacy`: published methods of differentially private PCA beside the stage of Eigenveil, on the same rows, budgets and seeds. */
import { fileURLToPath } from 'node:url';
import { runBenchCommand } from '@eigenveil/studies/instrument/command';
import { PRIVACY_SUITES, privacyReport } from '@eigenveil/studies/privacy/suites';

await runBenchCommand({
  name: 'compare:privacy',
  description:
    'Compares distributed methods of differentially private PCA and writes report.html, report.md and report.json.',
  suites: PRIVACY_SUITES,
  folder: fileURLToPath(new URL('../out/privacy', import.meta.url)),
  examples: ['--quick', '--only utility,attack'],
  report: privacyReport,
});
