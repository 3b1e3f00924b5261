/** `npm run study:faces`: the book's experiments of compressive privacy on faces, in the clear, and some points through the services. */
import { fileURLToPath } from 'node:url';
import { faceSheets } from '@eigenveil/studies/faces/sheets';
import { FACES_SUITES, facesReport } from '@eigenveil/studies/faces/suites';
import { runBenchCommand } from '@eigenveil/studies/instrument/command';
import { writePictures } from '@eigenveil/studies/instrument/report/apart';

await runBenchCommand({
  name: 'study:faces',
  description:
    'Repeats experiments of compressive privacy on faces and writes report.html, report.md and report.json; pictures apart from them.',
  suites: FACES_SUITES,
  folder: fileURLToPath(new URL('../out/faces', import.meta.url)),
  examples: ['--quick', '--only encrypted'],
  report: facesReport,
  beside: async (folder) => writePictures(folder, await faceSheets()),
});
