/** The suites of `npm run study:faces`, in the order of the report. */

import type { Report } from '../instrument/report/document.ts';
import { type BenchData, reportOf } from '../instrument/report.ts';
import type { Suite } from '../instrument/unit.ts';
import { dimensionsSuite } from './dimensions.ts';
import { encryptedHighlights, encryptedReport } from './encrypted/report.ts';
import { ENCRYPTED, encryptedSuite } from './encrypted/suite.ts';
import { hiddenSuite } from './hidden.ts';
import {
  dimensionsHighlights,
  dimensionsReport,
  hiddenReport,
  madeUpWarning,
  signalRidgeReport,
  solverReport,
} from './report.ts';
import { signalRidgeSuite } from './signal-ridge.ts';
import { solverSuite } from './solver.ts';

export const FACES_SUITES: readonly Suite[] = [
  dimensionsSuite({ highlights: dimensionsHighlights, report: dimensionsReport }),
  solverSuite({ highlights: () => [], report: solverReport }),
  signalRidgeSuite({ highlights: () => [], report: signalRidgeReport }),
  hiddenSuite({ highlights: () => [], report: hiddenReport }),
  encryptedSuite({ highlights: encryptedHighlights, report: encryptedReport }),
];

const BOOK =
  'The experiments of section 9.3 of “Privacy-Preserving Machine Learning” (Zhuang et al.) with its parameters: ρ = 10 and ρ′ = −0.05 on grey levels, an SVM with a linear or an RBF kernel.';
const CLEAR = 'Everything here is in the clear: no figure is of the encrypted path.';
const REPEATS = 'Splits come from seeds, so that a run repeats to the last digit.';

export function facesReport(data: BenchData): Report {
  const isClear = !data.description.suites.includes(ENCRYPTED);
  const whatIs = isClear
    ? `${CLEAR} ${REPEATS}`
    : `Sections say what went through the services, and by which protocol; everything else is in the clear. ${REPEATS.replace('a run repeats', 'what is in the clear repeats')}`;
  return reportOf(data, FACES_SUITES, {
    title: `Eigenveil: compressive privacy on faces, in the clear${isClear ? '' : ' and through the services'}`,
    introduction: [`${BOOK} ${whatIs}`, ...madeUpWarning(data.measurements)],
  });
}
