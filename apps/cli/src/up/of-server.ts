/** The parts of the server that single commands load when they run: other commands start without it. */
export {
  archiveLedger,
  backup,
  examine,
  migrate,
  readConfiguration,
  restore,
  resume,
  settingsTable,
  verifyArchives,
} from '@switchyard/server';
export { up } from './up.js';
