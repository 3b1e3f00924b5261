/** Stands in place of the list while there is no task, and says how to make the first. */

import { Empty } from '../../common/feedback.tsx';
import { Code } from '../../common/text.tsx';
import { routes } from '../routes.ts';

export function FirstTask() {
  return (
    <Empty title="There is no task yet">
      <p>
        A task says what is computed over the rows of many owners: which columns, which method, how many
        components, how many owners at least, until when. It never changes, so the first step is a draft.
      </p>
      <ol>
        <li>
          <a href={routes.href('draft', {})}>Draft a task</a> from a sample file. The sample stays in your
          browser. The page says of every member what it reveals and what it costs.
        </li>
        <li>
          <a href={routes.href('create', {})}>Create it</a>: the CSP checks it, makes a key for it alone and
          signs it. You can also bring a file that <code>eigenveil-user task draft</code> has written.
        </li>
        <li>
          Send its id to the owners. They enrol once with a token from the CSP’s operator, and contribute.
          Here you see how many have, and which uploads were refused, and why.
        </li>
        <li>Close it when enough have contributed: the computation starts, and the result appears here.</li>
      </ol>
      <p>To look around first, start a whole example on your machine, with tasks of both protocols:</p>
      <Code label="In a checkout of Eigenveil, after npm ci" text={'npm run demo -- --keep\n'} />
    </Empty>
  );
}
