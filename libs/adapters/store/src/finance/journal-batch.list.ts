import { exportFormats } from '@switchyard/ledger';
import { list } from '../core/list.js';

/** What was exported to accounting: of all clients together, so it needs reach on everything. */
export const journalBatchList = list({
  from: 'journal_batch b',
  id: 'batch_id',
  fields: {
    batch_id: { sql: 'b.id', kind: 'id' },
    number: { sql: 'b.number', kind: 'count' },
    period: { sql: 'b.period', kind: 'text', filter: 'eq' },
    format: { sql: 'b.format', kind: exportFormats },
    entries: { sql: 'b.entry_total', kind: 'count' },
    lines: { sql: 'b.line_total', kind: 'count' },
    sha256: { sql: 'b.file_hash', kind: 'text', describe: 'Of the file.' },
    exported_at: { sql: 'b.exported_at', kind: 'instant' },
  },
  orders: {
    newest: [{ column: 'b.number', type: 'int', isDescending: true }],
    oldest: [{ column: 'b.number', type: 'int' }],
  },
  reach: 'organization',
});
