import { wireTapInto } from './wire-log.js';

/*
 * Loaded into a process of the built product before anything else (`node --import`), where a suite watches the wire. Suites
 * start hundreds of them: it imports nothing of what judges.
 */
const folder = process.env['WIRE_TAP_FOLDER'];
if (folder !== undefined) wireTapInto(folder);
