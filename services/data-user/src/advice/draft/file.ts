/** A draft from files on this machine. */
import type { ReadingOptions } from '@eigenveil/statistics';
import { recordsOfFiles } from '@eigenveil/statistics/files';
import { checkDraftOptions, type Draft, type DraftOptions, draftOf } from './draft.ts';
import { sampleOf } from './sample.ts';

/**
 * Reads the rows of a file once, or those of a folder or a pattern: CSV, also in a gzip archive, or Parquet, as its first bytes say.
 * @throws as draftOf, sampleOf and `recordsOfFiles`
 */
export async function draftTask(file: string, options: DraftOptions & ReadingOptions): Promise<Draft> {
  checkDraftOptions(options);
  const { onRemark, ...reading } = options;
  const records = recordsOfFiles(file, {
    ...reading,
    onRemark: onRemark && ((remark) => onRemark(String(remark))),
  });
  return draftOf(await sampleOf(records, options), options);
}
