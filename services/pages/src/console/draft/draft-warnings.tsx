/** Warnings about the sample of a proposal, before a task is created of it. */
import type { TaskProposal } from '@eigenveil/task/schema';
import { Notice } from '../../common/feedback.tsx';
import { Untrusted } from '../../common/text.tsx';
import { type Drafted, warningsOf } from './drafted.ts';

export function DraftWarnings(props: { readonly drafted: Drafted | null; readonly task: TaskProposal }) {
  const { drafted, task } = props;
  const warnings = drafted === null ? [] : warningsOf(drafted, task);
  if (warnings.length === 0) return null;
  return (
    <Notice kind="warn" title="Before you create it">
      <ul>
        {warnings.map((warning) => (
          <li key={warning}>
            <Untrusted text={warning} longest={600} />
          </li>
        ))}
      </ul>
    </Notice>
  );
}
