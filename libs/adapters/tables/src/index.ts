export { csvRows } from './csv-rows.js';
export { csvText, type TableDocument } from './table-document.js';
export { TableFault, usualLimits, type TableRow } from './table-row.js';
export { workbookRowsInThread, writeTable } from './table-thread.js';
export { workbookLimits } from './zip-guard.js';
