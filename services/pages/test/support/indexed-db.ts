/** IndexedDB for tests without a browser, and another one for each device. */
import * as fake from 'fake-indexeddb';
import { afterEach, beforeEach, vi } from 'vitest';
import { Database } from '../../src/owner/database.ts';

const { default: _, ...classes } = fake;

/** Gives the tests of a file what browsers have, and takes it away again. */
export function withIndexedDb(): void {
  beforeEach(() => {
    for (const [name, value] of Object.entries(classes)) vi.stubGlobal(name, value);
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });
}

/** The database of another device, with nothing in it. */
export function newDevice(): Promise<Database> {
  vi.stubGlobal('indexedDB', new fake.IDBFactory());
  return Database.open();
}
