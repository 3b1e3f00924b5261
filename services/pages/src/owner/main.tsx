/** The data owner's page: a contribution from the browser. */
import '../common/start.ts';
import '../common/style.css';
import { render } from 'preact';
import { OwnerWorker } from './worker-client.ts';

// At once, so that a host that lost it or has another is noticed before anybody chooses a file.
void OwnerWorker.load();

render(
  <main>
    <h1>Eigenveil</h1>
  </main>,
  document.getElementById('page')!,
);
