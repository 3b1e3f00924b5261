/** The data owner's page: a contribution from the browser. */
import '../common/start.ts';
import '../common/style.css';
import { render } from 'preact';
import { OwnerPage } from './page.tsx';
import { keptArrival, takeArrival } from './routes.ts';

const place = document.getElementById('page')!;
const arrived = () => {
  const arrival = takeArrival(location, history);
  if (arrival !== null) render(<OwnerPage arrival={arrival} />, place);
};

// In a frame, people could press this page's buttons while they see another page. A header of the host can
// forbid frames, too, but not every host sends it.
if (window.top !== window)
  place.textContent = 'This page does not work within another one: open it in a window of its own.';
else {
  // This listener comes before all others: somebody who pastes a link into an open tab does not load the page
  // again.
  addEventListener('hashchange', arrived);
  render(<OwnerPage arrival={takeArrival(location, history) ?? keptArrival()} />, place);
}
