/** What goes over the network: schemas, problems, identities, signed statements, the HTTPS client. */
export { Thumbprint } from '@eigenveil/task';
export {
  AGREEMENT,
  type Agreement,
  digestPublicKey,
  digestTask,
  PaillierPublicKey,
  SignedTask,
  sketchSeed,
  verifySignedTask,
} from './agreement.ts';
export { certificateError, connectionReason } from './certificates.ts';
export {
  type Credentials,
  type ServiceAddress,
  ServiceClient,
  type ServiceClientOptions,
  type ServiceRequest,
} from './client.ts';
export { CODES } from './codes.ts';
export {
  ContributionTree,
  isIncluded,
  TILE_SIZE,
  type TreeContribution,
  type TreePath,
} from './contribution-tree.ts';
export { COUNTER, type Counted, CounterRequest, CounterResponse, NO_ENTRY } from './counter.ts';
export { type Clock, Deadline, systemClock } from './deadline.ts';
export { Digest, digestBytes, digestHasher, digestJson, isSameJson } from './digest.ts';
export {
  ERROR_CODES,
  type ErrorCode,
  errorCodeOf,
  fromProblem,
  isErrorCode,
  type Problem,
  toProblem,
} from './errors.ts';
export { explainIssues } from './explain.ts';
export {
  createProof,
  issueOwnerToken,
  PROOF_WINDOW_SECONDS,
  type ProvenRequest,
  ReplayGuard,
  type VerifiedProof,
  verifyOwnerToken,
  verifyProof,
} from './identity.ts';
export { claimedSigner, type Statement, signStatement, verifyStatement } from './jws.ts';
export {
  generatePrivateJwk,
  importSigningKey,
  JwkSet,
  PrivateJwk,
  PublicJwk,
  type SigningKey,
  thumbprintOf,
} from './keys.ts';
export {
  AgreementResponse,
  BasisResponse,
  EnrolmentRequest,
  EnrolmentResponse,
  FixationRequest,
  FixationResponse,
  LONGEST_RECORD,
  NextTask,
  type OwnerRecord,
  PROJECTION,
  Projection,
  ProjectionResponse,
  RECEIPT,
  RECORD,
  RECORDS_PER_REQUEST,
  type Receipt,
  ReceiptResponse,
  RecordsRequest,
  RecordsResponse,
  RenewalRequest,
  ResultResponse,
  SignedLink,
  TASK_BODY_BYTES,
  TASK_REQUEST_BYTES,
  TaskRequest,
} from './messages.ts';
export { OwnerId } from './owner-id.ts';
export { type Piece, piecesOf, UploadResponse } from './pieces.ts';
export { printable, printableJson, printableLines } from './printable.ts';
export { errorFromProblem, isTransient, ProblemSchema, parseJson } from './problem.ts';
export {
  COUNTERSIGNATURE,
  CountersignatureRequest,
  CountersignatureResponse,
  checkInclusion,
  digestProjection,
  newSalt,
  OwnerProvenance,
  Provenance,
  type ProvenanceStatement,
  STATEMENT,
  UnblindingResponse,
  type VerifiedProvenance,
  verifyProvenance,
} from './provenance.ts';
export { REVOCATIONS, type Revocations, RevocationsResponse } from './revocations.ts';
export { checkRenewal, linkOf, renewalId, renewalOf, type SeriesLink } from './series.ts';
export { cspIdentityError, pinnedCspKey, SERVICE_TITLES, serviceTitle } from './service-identity.ts';
export { ServiceUrl } from './service-url.ts';
export { TaskList, TaskOwners, TaskState, TaskStatus } from './status.ts';
export { OLDEST_SERVER_VERSION, requireVersion, SPOKEN_VERSION, VERSION_HEADER } from './version.ts';
