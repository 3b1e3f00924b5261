/** Where the parts of a report are: the anchors of its sections and headings, by which contents and marks lead to them. */
import { CodedError } from '@eigenveil/platform';
import { REPORT_CODES } from './codes.ts';
import type { Report } from './document.ts';
import { anchors } from './text.ts';

export interface Outline {
  /** The entries of each section, in order. */
  readonly sections: readonly string[];
  /** The anchor of the heading of that name. */
  readonly headingAt: (name: string) => string;
}

/** @throws ERR_REPORT when two headings have one name; `headingAt` when none has it. */
export function outlineOf(report: Report): Outline {
  const parts = report.sections.flatMap(({ title, blocks }) => [
    { title, name: undefined },
    ...blocks.filter((block) => block.kind === 'heading'),
  ]);
  const slugs = anchors([report.title, ...parts.map(({ title }) => title)]).slice(1);
  const headings = new Map<string, string>();
  for (const [index, { name }] of parts.entries()) {
    if (name === undefined) continue;
    if (headings.has(name))
      throw new CodedError(
        REPORT_CODES.ERR_REPORT,
        `heading: expected names to differ, got ${JSON.stringify(name)} twice`,
      );
    headings.set(name, slugs[index]!);
  }
  return {
    sections: slugs.filter((_, index) => parts[index]!.name === undefined),
    headingAt: (name) => {
      const slug = headings.get(name);
      if (slug === undefined)
        throw new CodedError(
          REPORT_CODES.ERR_REPORT,
          `mark: expected to lead to a heading of the report, got ${JSON.stringify(name)}`,
        );
      return slug;
    },
  };
}
