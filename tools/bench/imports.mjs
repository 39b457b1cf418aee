/**
 * `npm run bench -- imports [--quick]`: files of a million rows of CSV, of which every row is recognised, and of 300,000 of
 * XLSX, imported as invoices by a process of its own that does nothing else. Its peak of memory, the longest hold of its
 * event loop, the seconds, and the steps of progress that a caller would have seen. PostgreSQL without fsync.
 */
import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { crc32, deflateRawSync } from 'node:zlib';
import { financeFiles, openStore } from '@switchyard/store';
import {
  createBookedBuy,
  createOrganization,
  createPrincipal,
  createTestDatabase,
} from '@switchyard/testing';

const own = fileURLToPath(import.meta.url);
const partBytes = 4 * 1024 * 1024;
const months = Array.from({ length: 12 }, (_, at) => String(at + 1).padStart(2, '0'));

if (process.argv[1] === own) {
  const { importOf } = await import('./imports-process.mjs');
  console.log(JSON.stringify(await importOf(JSON.parse(process.argv[2]))));
  process.exit(0);
}

export async function imports({ quick }) {
  const database = await createTestDatabase();
  const store = openStore(database.appUrl, { answerMs: 600_000 });
  try {
    const { id: organizationId } = await createOrganization(store);
    const { id: principalId } = await createPrincipal(store, organizationId);
    const at = { url: database.appUrl, organizationId, principalId };
    const tables = [];
    for (const [name, rows, make] of [
      ['CSV', quick ? 100_000 : 1_000_000, csvOf],
      ['CSV in windows-1252, one document in a thousand rows', quick ? 100_000 : 1_000_000, germanOf],
      ['XLSX', quick ? 30_000 : 300_000, workbookOf],
    ]) {
      const buy = await createBookedBuy(store, organizationId, {});
      const file = await bring(store, at, make(rows, buy.sellerMediaBuyId));
      const done = measured({ ...at, connectionId: buy.connectionId, file, control: rows });
      tables.push([
        { scenario: `import ${rows} rows of ${name}`, contender: 'Switchyard', ...done, errors: [] },
      ]);
    }
    return tables;
  } finally {
    await store.close();
    await database.stop();
  }
}

function measured(job) {
  const child = spawnSync(process.execPath, [own, JSON.stringify(job)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1e9,
  });
  if (child.status !== 0) throw new Error(`The import ended with ${child.status}.`);
  return JSON.parse(child.stdout);
}

async function bring(store, { organizationId, principalId }, { name, bytes }) {
  const files = financeFiles(store);
  const scope = { organizationId };
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const announced = { name, bytes: bytes.length, sha256, by: principalId };
  const id = await files.announce(scope, announced, Number.MAX_SAFE_INTEGER, Date.now());
  for (let part = 0; part * partBytes < bytes.length; part += 1)
    await files.putPart(scope, id, part, bytes.subarray(part * partBytes, (part + 1) * partBytes));
  return { id, bytes: bytes.length };
}

const columns = [
  'Invoice number',
  'Invoice date',
  'Order ID',
  'Package',
  'PO number',
  'Description',
  'Service from',
  'Service to',
  'Impressions',
  'Net amount',
  'Currency',
];

function rowOf(at, buy, number) {
  const month = months[at % 10];
  const cents = 100 + ((at * 7919) % 900_000);
  return [
    number,
    '2026-10-31',
    buy,
    `p${at % 10}`,
    `PO-${at % 50}`,
    `Line ${at}, display ${month}`,
    '2026-10-01',
    '2026-10-31',
    String(1_000 + (at % 977)),
    (cents / 100).toFixed(2),
    'USD',
  ];
}

export function csvOf(rows, buy) {
  const lines = [columns.join(',')];
  for (let at = 0; at < rows; at += 1)
    lines.push(
      rowOf(at, buy, 'BIG-1')
        .map((cell) => (cell.includes(',') ? `"${cell}"` : cell))
        .join(','),
    );
  return { name: 'big.csv', bytes: Buffer.from(lines.join('\n'), 'latin1') };
}

/** A decimal comma, semicolons, an umlaut in each row. */
export function germanOf(rows, buy) {
  const lines = [columns.join(';')];
  for (let at = 0; at < rows; at += 1) {
    const cells = rowOf(at, buy, `RE-${Math.floor(at / (rows / 1_000)) + 1}`);
    cells[5] = `Fläche ${at}`;
    cells[9] = cells[9].replace('.', ',');
    lines.push(cells.join(';'));
  }
  return { name: 'gross.csv', bytes: Buffer.from(lines.join('\r\n'), 'latin1') };
}

export function workbookOf(rows, buy) {
  const cell = (text, at) =>
    at === 8 || at === 9 ? `<c><v>${text}</v></c>` : `<c t="inlineStr"><is><t>${text}</t></is></c>`;
  const row = (cells) => `<row>${cells.map(cell).join('')}</row>`;
  const parts = [`<row>${columns.map((text) => cell(text, 0)).join('')}</row>`];
  for (let at = 0; at < rows; at += 1) parts.push(row(rowOf(at, buy, 'XL-1')));
  const open = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>';
  return {
    name: 'big.xlsx',
    bytes: zipOf({
      '[Content_Types].xml':
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
      '_rels/.rels':
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>',
      'xl/_rels/workbook.xml.rels':
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
      'xl/workbook.xml':
        '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Lines" sheetId="1" r:id="r1"/></sheets></workbook>',
      'xl/worksheets/sheet1.xml': `${open}${parts.join('')}</sheetData></worksheet>`,
    }),
  };
}

/** A ZIP file (APPNOTE 6.3): local headers, then the directory. */
function zipOf(files) {
  const [locals, directory] = [[], []];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const raw = Buffer.from(text, 'utf8');
    const packed = deflateRawSync(raw, { level: 1 });
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(8, 4);
    shared.writeUInt32LE(crc32(raw), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(raw.length, 18);
    shared.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), shared, Buffer.from(name), packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(
      Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'), shared, place, Buffer.from(name)]),
    );
    locals.push(local);
    offset += local.length;
  }
  const all = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 0, 'latin1');
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(all.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, all, end]);
}
