/** The view that one role had of one task: its input, keys, random tape, received messages and what its keys opened, in order. */
import { writtenDown } from '@eigenveil/testbed/leaks';

/** A bundle's name is the role's, with an owner's number: `owner 2`. */
export type Party = 'CSP' | 'data user' | `owner ${number}` | 'operator' | 'network';

export interface Named {
  readonly name: string;
  readonly bytes: Buffer;
}

/** The numbers that the role drew from the system's CSPRNG. */
export interface Draw {
  /** Milliseconds since the recording began, as everywhere in a view. */
  readonly at: number;
  /** The thread of Node.js; 0 is the main one. */
  readonly thread: number;
  /** The function that drew it, such as `randomBytes`. */
  readonly source: string;
  readonly bytes: Buffer;
}

export interface Message {
  /** The time when its last byte passed. */
  readonly at: number;
  readonly from: Party;
  readonly kind: 'request' | 'answer' | 'frame';
  /** The name of a request, such as `POST /tasks`; of an answer and a frame, the request that it belongs to. */
  readonly name: string;
  /** Head and body of HTTP, the payload of a frame. */
  readonly bytes: Buffer;
}

/** Numbers that the role's keys open, or that it keeps sealed. */
interface Opened {
  readonly name: string;
  readonly values: readonly bigint[];
}

/** A file of the role's data directory as it was from then on. */
export interface FileState extends Named {
  readonly at: number;
}

/** A record of TLS on its way: all that the network sees. */
export interface Passage {
  readonly at: number;
  /** Connections count from 1, in the order in which they were made. */
  readonly connection: number;
  readonly from: Party;
  readonly to: Party;
  /** As TLS says in clear: 20 change of cipher, 21 alert, 22 handshake, 23 application data. */
  readonly type: number;
  /** The size of the whole record, its header of five bytes included. */
  readonly size: number;
}

export interface View {
  /** Bundles of one recording share this id. */
  readonly recording: string;
  readonly party: Party;
  readonly taskId: string;
  /** The task; an owner's rows; a service's configuration. */
  readonly inputs: readonly Named[];
  /** The outputs: for the data user the projection, for an owner also its reduced rows. */
  readonly outputs: readonly Named[];
  readonly keys: readonly Named[];
  readonly random: readonly Draw[];
  readonly received: readonly Message[];
  readonly opened: readonly Opened[];
  readonly files: readonly FileState[];
  /** The passages, which the network alone has. */
  readonly passages: readonly Passage[];
}

/** Everything that the role has as bytes, numbers of its own in every form in which one writes them down. */
export function contentsOf({ inputs, keys, random, received, opened, files }: View): Buffer[] {
  return [
    ...[...inputs, ...keys, ...random, ...received, ...files].map(({ bytes }) => bytes),
    ...opened.flatMap(({ values }) => values.flatMap(writtenDown)),
  ];
}

/** The last part of this name. */
export function partOf(parts: readonly Named[], name: string): Buffer | undefined {
  return parts.findLast((part) => part.name === name)?.bytes;
}
