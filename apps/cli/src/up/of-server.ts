/** The parts of the server that single commands load when they run: other commands start without it. */
export {
  addKeyringKey,
  addReader,
  archiveLedger,
  backup,
  drill,
  examine,
  exportReportsTo,
  listKeyring,
  newKeyring,
  listReaders,
  migrate,
  readConfiguration,
  removeKeyringKey,
  removeReader,
  restore,
  resume,
  settingsTable,
  verifyArchives,
} from '@switchyard/server';
export { up } from './up.js';
