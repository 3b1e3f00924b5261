/** Projections in files. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { Thumbprint } from '@eigenveil/task';
import { ProjectionError } from './errors.ts';
import { Projector } from './projector.ts';
import { SignedProjection } from './signed.ts';

/** A Projector that can be of a file. */
export class FileProjector extends Projector {
  /**
   * The same of a file that saveProjection has written.
   * @throws ERR_PROJECTION_INVALID for a file of another form, as readFile, and as open
   */
  static async load(file: string, csp: Thumbprint): Promise<FileProjector> {
    let signed: SignedProjection;
    const text = await readFile(file, 'utf8');
    try {
      signed = SignedProjection.parse(JSON.parse(text));
    } catch (cause) {
      throw new ProjectionError(
        'ERR_PROJECTION_INVALID',
        `${JSON.stringify(file)} expected task, agreement, projection and provenance, as saveProjection and "eigenveil-owner project --evidence" write them`,
        { cause },
      );
    }
    return FileProjector.open(signed, csp);
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
