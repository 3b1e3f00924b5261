/** The data owner's page: a contribution from the browser. */
import '../common/start.ts';
import '../common/style.css';
import { render } from 'preact';

render(
  <main>
    <h1>Eigenveil</h1>
  </main>,
  document.getElementById('page')!,
);
