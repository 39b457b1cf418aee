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
export { type PageColumn, type PageDocument, type PageTable } from './page/page-document.js';
export { pageHtml, pageStyle } from './page/page-html.js';
export { pageTables } from './page/page-tables.js';
export {
  workbookGridInThread,
  workbookRowsInThread,
  writePage,
  writeTable,
  type WorkbookGrid,
} from './table-thread.js';
export { htmlBytes, htmlRows, isHtml } from './html-rows.js';
export { PackedBytes } from './packed-bytes.js';
export { unpackRow, type UnpackedCell } from './packed-row.js';
export { embeddedInvoice } from './pdf-invoice.js';
export { xmlTree, type XmlElement } from './xml-tree.js';
export { isXmlWorkbook, xmlSheets } from './xml-workbook.js';
export { workbookLimits } from './zip-guard.js';
