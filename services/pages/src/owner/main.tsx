/** The data owner's page: a contribution from the browser. */
import '../common/start.ts';
import '../common/style.css';
import { render } from 'preact';
import { takeArrival } from './arrival.ts';
import { OwnerPage } from './page.tsx';

const place = document.getElementById('page')!;
const arrived = () => {
  const arrival = takeArrival(location, history);
  if (arrival !== null) render(<OwnerPage arrival={arrival} />, place);
};

// In a frame somebody could press its buttons who sees another page. A header of the host's forbids that, too, which not every host sends.
if (window.top !== window)
  place.textContent = 'This page does not work within another one: open it in a window of its own.';
else {
  // Before anything else listens to the address: whoever pastes a link into an open tab loads no page.
  addEventListener('hashchange', arrived);
  render(<OwnerPage arrival={takeArrival(location, history)} />, place);
}
