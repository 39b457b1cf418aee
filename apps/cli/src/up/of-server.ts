/** What single commands need of the server. They load it when they run: the other commands start without it. */
export { migrate, readConfiguration, settingsTable } from '@switchyard/server';
export { up } from './up.js';
