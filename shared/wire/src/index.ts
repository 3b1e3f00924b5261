/** The contents of the network: schemas, problems, identities, signed statements, the HTTPS client. */
export { Thumbprint } from '@eigenveil/task';
export { CODES } from './codes.ts';
export {
  type ErrorCode,
  errorCodeOf,
  errorFromProblem,
  isErrorCode,
  isTransient,
  type Problem,
  ProblemSchema,
  parseJson,
  toProblem,
} from './errors.ts';
export { explainIssues } from './explain.ts';
export { Digest, digestBytes, digestHasher, digestJson, isSameJson } from './identity/digest.ts';
export {
  createProof,
  issueOwnerToken,
  PROOF_WINDOW_SECONDS,
  ReplayGuard,
  type VerifiedProof,
  verifyOwnerToken,
  verifyProof,
} from './identity/identity.ts';
export { OwnerId } from './identity/owner-id.ts';
export { cspIdentityError, pinnedCspKey, SERVICE_TITLES, serviceTitle } from './identity/service-identity.ts';
export {
  claimedSigner,
  generatePrivateJwk,
  importSigningKey,
  JwkSet,
  PrivateJwk,
  PublicJwk,
  type SigningKey,
  type Statement,
  signStatement,
  thumbprintOf,
  verifyStatement,
} from './identity/signatures.ts';
export {
  AGREEMENT,
  type Agreement,
  digestPublicKey,
  digestTask,
  SignedTask,
  sketchSeed,
  verifySignedTask,
} from './messages/agreement.ts';
export { ContributionTree, TILE_SIZE, type TreeContribution } from './messages/contribution-tree.ts';
export {
  COUNTER,
  type Counted,
  CounterRequest,
  NO_ENTRY,
  REVOCATIONS,
  type Revocations,
} from './messages/owner-standing.ts';
export {
  COUNTERSIGNATURE,
  checkInclusion,
  digestProjection,
  newSalt,
  OwnerProvenance,
  Provenance,
  STATEMENT,
  type VerifiedProvenance,
  verifyProvenance,
} from './messages/provenance.ts';
export {
  BasisResponse,
  EnrolmentResponse,
  FixationRequest,
  LONGEST_RECORD,
  type OwnerRecord,
  type Piece,
  PROJECTION,
  Projection,
  ProjectionResponse,
  piecesOf,
  RECEIPT,
  RECORD,
  RECORDS_PER_REQUEST,
  type Receipt,
  ReceiptResponse,
  ResultResponse,
  SignedLink,
  UploadResponse,
} from './messages/requests.ts';
export { checkRenewal, linkOf, renewalId, renewalOf, type SeriesLink } from './messages/series.ts';
export { ServiceUrl } from './messages/service-url.ts';
export { FINAL_STATES, TaskList, TaskOwners, TaskState, TaskStatus } from './messages/status.ts';
export { clientClassOf } from './routes/client-class.ts';
export {
  type ServiceAddress,
  ServiceClient,
  type ServiceClientOptions,
  type ServiceRequest,
} from './transport/client.ts';
export { certificateError, connectionReason } from './transport/transport.ts';
export { OLDEST_SERVER_VERSION, requireVersion, SPOKEN_VERSION, VERSION_HEADER } from './version.ts';
