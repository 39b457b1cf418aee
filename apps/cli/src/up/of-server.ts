/** The parts of the server that single commands load when they run: other commands start without it. */
export {
  addReader,
  archiveLedger,
  backup,
  examine,
  exportReports,
  listReaders,
  migrate,
  readConfiguration,
  removeReader,
  restore,
  resume,
  settingsTable,
  verifyArchives,
} from '@switchyard/server';
export { up } from './up.js';
