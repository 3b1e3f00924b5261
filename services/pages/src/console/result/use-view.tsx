/** Uses of a result: saving it, and reducing rows by it. */

import { Button } from '../../common/controls.tsx';
import { save } from '../../common/files.ts';
import { Code } from '../../common/text.tsx';
import { NUMPY } from './numpy.ts';
import type { CheckedResult } from './verify.ts';

const JSON_TYPE = 'application/json';

/** The result as files to save. */
export function Downloads({ checked: { plain, signed } }: { readonly checked: CheckedResult }) {
  return (
    <>
      <div class="row">
        <Button
          kind="main"
          onClick={() => save('projection.json', JSON_TYPE, `${JSON.stringify(plain, null, 2)}\n`)}
        >
          Download the projection
        </Button>
        <Button onClick={() => save('signed-projection.json', JSON_TYPE, `${JSON.stringify(signed)}\n`)}>
          Download it with all signatures
        </Button>
      </div>
      <p>
        The first file has the result alone. The second also has the task and all signatures: whoever has the
        CSP’s thumbprint can check it with a program that calls <code>openProjection</code> or{' '}
        <code>Projector.load</code>.
      </p>
    </>
  );
}

export function Use({ checked }: { readonly checked: CheckedResult }) {
  return (
    <>
      <h2>Use it</h2>
      <Downloads checked={checked} />
      <p>
        Owners need neither: their page, or their program, fetches the result and checks it, if the task
        releases it to them.
      </p>
      <h3>With NumPy</h3>
      <p>
        These lines reduce rows on the machine where the rows are. Reduced rows have no guarantee: keep them
        like rows.
      </p>
      <Code
        label="Python with NumPy, beside projection.json and rows.csv"
        text={NUMPY}
        filename="reduce.py"
      />
    </>
  );
}
