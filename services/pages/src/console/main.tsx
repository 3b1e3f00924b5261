/** The operator's console of a data user. */
import '../common/start.ts';
import '../common/style.css';
import './console.css';
import { render } from 'preact';
import { Console } from './console.tsx';

render(<Console />, document.getElementById('page')!);
