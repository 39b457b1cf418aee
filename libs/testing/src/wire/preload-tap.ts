import { wireTapInto } from './wire-log.js';

/*
 * Loaded into a process of the built product before anything else (`node --import`) if a suite records the wire. Suites
 * start hundreds of them, so it imports no validator.
 */
const folder = process.env['WIRE_TAP_FOLDER'];
if (folder !== undefined) wireTapInto(folder);
