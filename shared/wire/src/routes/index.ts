/** Tables of routes, and clients that follow from them. */
export {
  type AnswerOf,
  type BodySpec,
  type CallOf,
  type Client,
  clientOf,
  PARAMETER,
  type ResponseSpec,
  type RouteEntry,
  type RouteTable,
  requestOf,
  type Sender,
} from './table.ts';
