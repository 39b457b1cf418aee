export { csvRows } from './csv-rows.js';
export {
  fileHash,
  ParquetFile,
  parquetRows,
  type ParquetColumns,
  type ParquetRow,
  type ParquetType,
  type WrittenFile,
} from './parquet-file.js';
export { csvText, type TableDocument } from './table-document.js';
export { rowsAtOnce, TableFault, usualLimits, type TableLimits, type TableRow } from './table-row.js';
export { workbookRowsInThread, writeTable } from './table-thread.js';
export { workbookLimits } from './zip-guard.js';
