/** What packages that ship export is what others that ship import; this has the list of what else is there, with its reasons. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { unusedByAnybody, unusedExports } from './support/unused-exports.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The libraries, and the documents and examples that show people what they have. */
const LIBRARIES: Readonly<Record<string, readonly string[]>> = {
  '@eigenveil/data-owner': [
    'services/data-owner/README.md',
    'docs/library.md',
    'examples/contribute-and-project.ts',
  ],
  '@eigenveil/data-user/client': ['services/data-user/README.md', 'docs/library.md', 'examples/run-task.ts'],
  '@eigenveil/authenticator/device': ['docs/authentication.md', 'examples/authentication-device.ts'],
  '@eigenveil/authenticator/relying': ['docs/authentication.md', 'examples/authentication-back-end.ts'],
};

/** By reason and entry, names that nothing imports that ships. */
const KEPT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'types of what the libraries take and give': {
    '@eigenveil/authenticator/device':
      'DeviceClientOptions DeviceEnrolment EnrolOptions EnrolledDevice Projector ServiceAddress',
    '@eigenveil/authenticator/relying':
      'DecisionEvent DecisionsResponse FollowOptions InvitationResponse PastOptions Reason ReceivedEvent RelyingClientOptions ServiceAddress UserStatus WebhookDelivery',
    '@eigenveil/data-owner':
      'Basis BrokenRule BudgetStatus DataOwnerOptions Enrolment Evidence LedgerEntry Elsewhere OwnFloorTold PendingContribution Projection Receipt ReducedFile Rehearsal Revealed RowSettings ServiceAddress Statistics Summed Task TaskResult Waiting',
    '@eigenveil/data-user/client':
      'Draft DraftBasis DraftOptions Projection SignedTask Task TaskStatus ToldProvenance',
    '@eigenveil/projection/portable': 'ExplainedVariance Result ShareOfVariance UnroundedRows',
  },
  'types that the declarations of packed libraries name': {
    '@eigenveil/methods/schema': 'SketchParameters',
    '@eigenveil/server': 'Result Statement',
  },
  'programs of owners and data users need them beside what documents name': {
    '@eigenveil/data-owner':
      'CODES CodedError DEFAULT_DATASET STATISTICS_CODES checkPolicy isParquetName ownerProgram reduceFile revealedBy selfTest statisticsThrough verifyResult',
    '@eigenveil/data-user/client': 'CodedError SignedProjection TaskId basisFrom draftOn newTaskId ridgeOn',
  },
  'whoever compares projections has the reference and its distances': {
    '@eigenveil/projection/portable':
      'betweenClassScatter checkAgreed decompose principalAngles project reconstruct residual varianceCaptured',
  },
  'tests and studies start services in one process, and look at what they keep and refuse': {
    '@eigenveil/authenticator':
      'AUTHENTICATOR_SETTINGS AuthenticatorConfiguration AuthenticatorOverrides RunningAuthenticator startAuthenticator',
    '@eigenveil/authenticator/command': 'authenticatorProgram',
    '@eigenveil/csp':
      'CSP_SETTINGS CspConfiguration CspOverrides RunningCsp cspProgram inviteOwners readAudit startCsp verifyAudit',
    '@eigenveil/data-owner/portable': 'brokenRules checkPolicy nextEntry',
    '@eigenveil/data-user':
      'Aggregation AskedLevels DATA_USER_SETTINGS DataUserConfiguration DataUserOverrides DataUserStore Draft DraftBasis EarlierResult LocalWorkQueue OpenTask POSTGRES_QUEUE_TIMES PostgresWorkQueue RunningDataUser SqlDataUserStore TaskClient Turn WorkQueue Workers basisFrom dataUserProgram describeProgress draftAround draftOn draftPrivacy draftRanged draftTask openDataUserDatabase openSqliteStore postgresStore ridgeOn startDataUser',
    '@eigenveil/server':
      'RunningServer SERVICE_SETTINGS STANDARD_WAITS adminAuthenticator adminTokenFile createLocalCertificate createLogger loadOrCreateKeyRing openFoundation readTlsFiles restoreBackup startServer',
    '@eigenveil/task': 'ProposalFile',
    '@eigenveil/wire': 'BasisResponse ReceiptResponse Revocations createProof isErrorCode',
  },
  'tests and studies play a party, or compute in the clear': {
    '@eigenveil/methods/schema': 'CLASS_WEIGHTS ProjectionKind SCATTER_WEIGHTS SKETCH_OUTPUTS',
    '@eigenveil/paillier':
      'GenerateKeyOptions bytesToBigint decodeBigint decodeCiphertexts decrypt encodeBigint encrypt generateKeyPair usesBigintFallback',
    '@eigenveil/paillier/owner': 'PublicKeyJson',
    '@eigenveil/statistics/owner': 'addStatistics readRows sketchNoise',
  },
  'studies build other mechanisms on the same calibrations and draws': {
    '@eigenveil/privacy':
      'Budget DiscreteLaplaceParameters Neighbours PrivacySetting calibrateAnalyticGaussian discreteGaussianSampler dpDeltaOfGaussian epsilonOfZcdp rhoOfBudget sensitivitySquared',
    '@eigenveil/privacy/parts':
      'RandomBits Rational ZERO bernoulliExp checkDelta checkPositive checkPositiveInteger checkRational checkScale drawGeometric',
    '@eigenveil/release':
      'Interval ReleaseBudget binaryTree commonHeight covarianceByHeight monotoneCumulative',
  },
  'studies and demonstrations run the engines themselves': {
    '@eigenveil/authentication': 'Decision SequentialEngine TrustEngine',
  },
  'scripts build the pages': { '@eigenveil/pages/build': 'Page' },
};

it('is used by what ships, named to users of the libraries, or kept for a reason', () => {
  const named = (entry: string, name: string) =>
    LIBRARIES[entry]?.some((file) =>
      new RegExp(`\\b${name}\\b`).test(readFileSync(join(ROOT, file), 'utf8')),
    );
  const unused = unusedExports(ROOT).filter((it) => {
    const [entry, name] = it.split(': ') as [string, string];
    return !named(entry, name);
  });
  const kept = Object.values(KEPT).flatMap((entries) =>
    Object.entries(entries).flatMap(([entry, names]) => names.split(' ').map((name) => `${entry}: ${name}`)),
  );
  expect(unused).toEqual(kept.sort());
});

it('is used by some other file, in studies and the testbed', () => {
  expect(unusedByAnybody(ROOT)).toEqual([]);
});

it('is found however it is exported and imported', () => {
  const root = mkdtempSync(join(tmpdir(), 'eigenveil-exports-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const files = {
    'shared/low/package.json': JSON.stringify({
      name: '@eigenveil/low',
      exports: { '.': './src/index.ts', './part': './src/part.ts', './insides': './test/insides.ts' },
    }),
    'shared/low/src/index.ts':
      "export * from './part.ts';\nexport { asked, lost, type Lost } from './other.ts';\n",
    'shared/low/src/part.ts':
      'export const passedOn = 1;\nexport const own = 2;\nexport const tried = 3;\nexport const unasked = 4;\n',
    'shared/low/src/other.ts': "import { own } from './part.ts';\nexport const asked = own;\n",
    'shared/low/test/insides.ts': 'export const inside = 1;\n',
    'shared/low/test/part.test.ts':
      "import { tried } from '../src/part.ts';\nimport { lost } from '../src/index.ts';\n",
    'services/high/package.json': JSON.stringify({
      name: '@eigenveil/high',
      exports: { '.': './src/index.ts' },
    }),
    'services/high/src/index.ts':
      "import { passedOn } from '@eigenveil/low';\nconst { asked } = await import('@eigenveil/low');\n",
    'services/high/test/index.test.ts': "import { Lost, unasked } from '@eigenveil/low';\n",
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  expect(unusedExports(root)).toEqual([
    '@eigenveil/low/part: unasked',
    '@eigenveil/low: Lost',
    '@eigenveil/low: lost',
  ]);
});
