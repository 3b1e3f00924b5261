/** Tables of routes, and clients that follow from them. */
export { type AnswerOf, type CallOf, type Client, clientOf, requestOf, type Sender } from './client.ts';
export { type BodySpec, PARAMETER, type ResponseSpec, type RouteEntry, type RouteTable } from './table.ts';
