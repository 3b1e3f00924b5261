/** An error of the owner's page, in the words of the page. */
import type { ComponentChildren } from 'preact';
import { Problem } from '../common/feedback.tsx';
import { pageWords } from './words.ts';

export function OwnerProblem(props: {
  readonly error: unknown;
  readonly title?: string;
  readonly children?: ComponentChildren;
}) {
  const { error, ...rest } = props;
  return <Problem {...rest} error={error} words={pageWords} />;
}
