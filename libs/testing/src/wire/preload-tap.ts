import { wireTapInto } from './wire-log.js';

/* Loaded into a process of the built product before anything else (`node --import`), where a suite watches the wire. */
const folder = process.env['WIRE_TAP_FOLDER'];
if (folder !== undefined) wireTapInto(folder);
