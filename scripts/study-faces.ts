/** `npm run study:faces`: the book's experiments of compressive privacy on faces, in the clear, and some points through the services. */
import { fileURLToPath } from 'node:url';
import { runBenchCommand } from '@eigenveil/bench/command';
import { faceSheets } from '@eigenveil/laboratory/faces/sheets';
import { FACES_SUITES, facesReport } from '@eigenveil/laboratory/faces/suites';
import { writePictures } from '@eigenveil/report/apart';

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
