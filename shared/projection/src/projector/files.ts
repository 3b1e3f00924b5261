/** Projections in files. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { CodedError } from '@eigenveil/platform';
import type { Thumbprint } from '@eigenveil/task';
import { PROJECTION_CODES } from '../codes.ts';
import { Projector as PortableProjector } from './projector.ts';
import { SignedProjection } from './signed.ts';

/** A Projector that a file may be loaded into. */
export class Projector extends PortableProjector {
  /**
   * Makes a projector from a file that saveProjection has written, checked as `open` does.
   * @throws ERR_PROJECTION_INVALID for a file of another form, as readFile, and as open
   */
  static async load(file: string, csp: Thumbprint): Promise<Projector> {
    let signed: SignedProjection;
    const text = await readFile(file, 'utf8');
    try {
      signed = SignedProjection.parse(JSON.parse(text));
    } catch (cause) {
      throw new CodedError(
        PROJECTION_CODES.ERR_PROJECTION_INVALID,
        `${JSON.stringify(file)} expected task, agreement, projection and provenance, as saveProjection and "eigenveil-owner project --evidence" write them`,
        { cause },
      );
    }
    return Projector.open(signed, csp);
  }
}

/**
 * Writes what Projector.load reads, whole or not at all.
 * @throws as writeFile
 */
export async function saveProjection(file: string, signed: SignedProjection): Promise<void> {
  const draft = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(draft, `${JSON.stringify(signed)}\n`);
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}
