import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import './styles.css';
import { Console } from './console.tsx';

render(<Console />, document.getElementById('console')!);
