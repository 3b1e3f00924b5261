/** Preloaded into a service, it leaves syncing to the operating system: what the durability tests must notice. */
import { DatabaseSync } from 'node:sqlite';

const { exec } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function (sql: string): void {
  exec.call(this, sql);
  if (/synchronous *= *FULL/.test(sql)) exec.call(this, 'PRAGMA synchronous = OFF');
};
