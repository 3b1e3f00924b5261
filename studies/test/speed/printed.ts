/** What a study makes of a case or of records, as its report has it. */
import type { OwnData } from '../../instrument/own-data.ts';
import { reportToMarkdown } from '../../instrument/report/markdown.ts';
import type { StudyResults } from '../../instrument/results.ts';
import { packed } from '../../instrument/results.ts';
import { measured } from '../../instrument/run.ts';
import { Settings } from '../../instrument/settings.ts';
import type { Plan, Study, StudyGroup } from '../../instrument/study.ts';
import type { Scale, Tidy } from '../../instrument/tidy.ts';
import { factsOf, nameOf, recordsOfStudy, reportOf } from '../../instrument/told.ts';

const ENVIRONMENT = {
  ...{ commit: '0'.repeat(40), changes: null, processor: '', cores: 2, memoryBytes: 1, system: '' },
  ...{ node: '', openssl: '', packages: {} },
};

/** What a case gives, with the columns of the case. */
export async function recordsOf<Case extends Tidy>(
  study: Study<Case>,
  parameters: Case,
  own?: OwnData,
): Promise<Tidy[]> {
  const bench = { note: () => undefined, ...(own && { own }) };
  const records = await measured({ study: study as unknown as Study, parameters }, bench);
  return records.map((record) => ({ ...parameters, ...record }));
}

export const planOf = async <Case extends Tidy>(
  study: Study<Case>,
  scale: Scale,
  own?: OwnData,
): Promise<Plan<Case>> => study.plan({ scale, settings: new Settings(scale), ...(own && { own }) });

/** The report of these records, as if a full run had measured them, or a quick one. */
export async function printed(study: Study, records: readonly Tidy[], scale: Scale = 'full') {
  const cases = [
    {
      study: study.id,
      id: study.id,
      parameters: {},
      startedAt: '2026-01-01T00:00:00.000Z',
      seconds: 1,
      ...packed(records),
    },
  ];
  const results: StudyResults = {
    format: 'eigenveil-study/1',
    description: { scale, studies: [study.id], chosen: {}, environment: ENVIRONMENT },
    ...{ finishedAt: '2026-01-01T00:00:00.000Z', facts: {}, cases, omissions: [] },
  };
  const { speed } = await import('../../speed/index.ts');
  const group: StudyGroup = {
    ...speed,
    studies: [...speed.studies.filter(({ id }) => id !== study.id), study],
  };
  const { report, contradictions } = await reportOf(group, results);
  return {
    text: reportToMarkdown(report),
    sections: report.sections,
    facts: factsOf(study, recordsOfStudy(study, cases)),
    contradictions,
    name: nameOf(study),
  };
}
