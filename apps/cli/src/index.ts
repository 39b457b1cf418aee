export { main, runLine } from './main.js';
