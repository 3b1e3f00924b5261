/** The operator's console of a data user. */
import '../common/start.ts';
import '../common/style.css';
import { render } from 'preact';

render(
  <main>
    <h1>Eigenveil</h1>
  </main>,
  document.getElementById('page')!,
);
