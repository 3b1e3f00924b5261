/** The contents of the network: schemas, problems, identities, signed statements, the HTTPS client. */
export { Thumbprint } from '@eigenveil/task';
export { CODES } from './codes.ts';
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
export { Digest, digestBytes, digestHasher, digestJson, isSameJson } from './identity/digest.ts';
export {
  createProof,
  issueOwnerToken,
  PROOF_WINDOW_SECONDS,
  type ProvenRequest,
  ReplayGuard,
  type VerifiedProof,
  verifyOwnerToken,
  verifyProof,
} from './identity/identity.ts';
export { claimedSigner, type Statement, signStatement, verifyStatement } from './identity/jws.ts';
export {
  generatePrivateJwk,
  importSigningKey,
  JwkSet,
  PrivateJwk,
  PublicJwk,
  type SigningKey,
  thumbprintOf,
} from './identity/keys.ts';
export { OwnerId } from './identity/owner-id.ts';
export { cspIdentityError, pinnedCspKey, SERVICE_TITLES, serviceTitle } from './identity/service-identity.ts';
export {
  AGREEMENT,
  type Agreement,
  digestPublicKey,
  digestTask,
  PaillierPublicKey,
  SignedTask,
  sketchSeed,
  verifySignedTask,
} from './messages/agreement.ts';
export {
  ContributionTree,
  isIncluded,
  TILE_SIZE,
  type TreeContribution,
  type TreePath,
} from './messages/contribution-tree.ts';
export { COUNTER, type Counted, CounterRequest, NO_ENTRY } from './messages/counter.ts';
export { type Piece, piecesOf, UploadResponse } from './messages/pieces.ts';
export { errorFromProblem, isTransient, ProblemSchema, parseJson } from './messages/problem.ts';
export {
  COUNTERSIGNATURE,
  checkInclusion,
  digestProjection,
  newSalt,
  OwnerProvenance,
  Provenance,
  type ProvenanceStatement,
  STATEMENT,
  type VerifiedProvenance,
  verifyProvenance,
} from './messages/provenance.ts';
export {
  BasisResponse,
  EnrolmentResponse,
  FixationRequest,
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
  RenewalRequest,
  ResultResponse,
  SignedLink,
  TASK_BODY_BYTES,
} from './messages/requests.ts';
export { REVOCATIONS, type Revocations } from './messages/revocations.ts';
export { checkRenewal, linkOf, renewalId, renewalOf, type SeriesLink } from './messages/series.ts';
export { TaskList, TaskOwners, TaskState, TaskStatus } from './messages/status.ts';
export { printable, printableJson, printableLines } from './printable.ts';
export { clientClassOf } from './routes/client-class.ts';
export { certificateError, connectionReason } from './transport/certificates.ts';
export {
  type Credentials,
  type ServiceAddress,
  ServiceClient,
  type ServiceClientOptions,
  type ServiceRequest,
} from './transport/client.ts';
export { type Clock, Deadline, systemClock } from './transport/deadline.ts';
export { ServiceUrl } from './transport/service-url.ts';
export { OLDEST_SERVER_VERSION, requireVersion, SPOKEN_VERSION, VERSION_HEADER } from './version.ts';
