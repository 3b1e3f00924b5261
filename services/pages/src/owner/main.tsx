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

// Before anything else listens to the address: whoever pastes a link into an open tab loads no page.
addEventListener('hashchange', arrived);
render(<OwnerPage arrival={takeArrival(location, history)} />, place);
