import { Button, FileInput, Group, SimpleGrid, Table, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { Checks } from '../../parts/checks.js';
import { Chips } from '../../parts/chips.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { sendFile } from '../../parts/forms/send-file.js';
import { SellerSelect } from '../../parts/forms/seller-select.js';
import { Go } from '../../parts/go.js';
import { Money } from '../../parts/money.js';
import { clean, Name } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { FactList, Panel } from '../../parts/panel.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { useMay, useRefresh } from '../../parts/use-rows.js';
import { bindText } from '../../parts/forms/bind-text.js';

type Read = Answer<'POST /v1/invoices/preview'>;
type Booked = Answer<'POST /v1/invoices/import'>['invoices'];
interface Given {
  readonly file?: { readonly name: string; readonly text: string };
  readonly file_id?: string;
}

/** Text is sent as it is; workbooks and texts in other encodings are uploaded, so that their bytes are kept. */
const isPlain = (bytes: ArrayBuffer): boolean => {
  try {
    return !new TextDecoder('utf-8', { fatal: true }).decode(bytes).includes('\u0000');
  } catch {
    return false;
  }
};

async function given(file: File): Promise<Given> {
  const bytes = await file.arrayBuffer();
  if (isPlain(bytes) && file.size <= 5_000_000)
    return { file: { name: file.name, text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) } };
  return { file_id: await sendFile(file, 'npx switchyard invoices import FILE --seller SLUG') };
}

/** Reads a file of a seller: how it was read, the questions that only a person can answer, and then all its documents. */
export function ReadInvoicePage() {
  const mayWrite = useMay()('ledger.write');
  const refresh = useRefresh();
  const [slug, setSlug] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [total, setTotal] = useState('');
  const [from, setFrom] = useState<Given>();
  const [read, setRead] = useState<Read>();
  const [answers, setAnswers] = useState<Readonly<Record<string, string>>>({});
  const [booked, setBooked] = useState<Booked>();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const body = (of: Given, said: Readonly<Record<string, string>>) => ({
    seller: slug,
    ...of,
    ...(Object.keys(said).length > 0 && { answers: said }),
    ...(total.trim() !== '' && { control_total: total.trim() }),
  });
  const busy = async (act: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await act();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const look = (said: Readonly<Record<string, string>>, of = from): Promise<void> =>
    busy(async () => {
      if (file === null) return;
      const sent = of ?? (await given(file));
      setFrom(sent);
      setAnswers(said);
      setRead(await api('POST /v1/invoices/preview', { body: body(sent, said) }));
    });
  const book = (): Promise<void> =>
    busy(async () => {
      if (from === undefined) return;
      const made = await api('POST /v1/invoices/import', { body: body(from, answers) });
      setBooked(made.invoices);
      await refresh();
    });
  const forget = (): void => {
    setFrom(undefined);
    setRead(undefined);
    setAnswers({});
    setBooked(undefined);
  };
  const open = (read?.questions ?? []).length;
  const faults = (read?.refused ?? []).length;
  const isReady = read !== undefined && open === 0 && faults === 0 && read.documents.length > 0;
  return (
    <>
      <PageHead title="Read a file">
        A file of a seller as it came. Only what can be read in two ways is asked. Nothing is booked before
        you book it.
      </PageHead>
      <div className="columns">
        <div className="column">
          <Panel title="File">
            <SimpleGrid cols={{ base: 1, sm: 3 }}>
              <SellerSelect
                value={slug}
                onChange={(next) => {
                  setSlug(next);
                  forget();
                }}
              />
              <FileInput
                label="File"
                description="CSV, text, XLSX, JSON, UBL or CII"
                placeholder="Choose a file"
                value={file}
                onChange={(next) => {
                  setFile(next);
                  forget();
                }}
              />
              <TextInput
                label="Total that you expect"
                description="Leave empty if you have none"
                inputMode="decimal"
                {...bindText(total, setTotal)}
              />
            </SimpleGrid>
            <Button
              mt="md"
              loading={isBusy}
              disabled={slug === '' || file === null || !mayWrite}
              variant={read === undefined ? 'filled' : 'default'}
              onClick={() => void look({}, undefined)}
            >
              Read it
            </Button>
          </Panel>
          {error !== undefined && <ErrorPanel error={error} />}
          {booked === undefined && open > 0 && (
            <Panel title="Questions" about={`${open} to answer`}>
              {read?.questions.map(({ id, why, options }) => (
                <div key={id} className="deed">
                  <b>
                    <Name of={why} most={400} />
                  </b>
                  <Chips
                    label={clean(why, 200)}
                    value={answers[id] ?? ''}
                    options={options.map(({ option, example }) => ({
                      value: option,
                      title: `${clean(option, 60).replaceAll('_', ' ')}: ${clean(example, 80)}`,
                    }))}
                    onChange={(option) => void look({ ...answers, [id]: option })}
                  />
                </div>
              ))}
            </Panel>
          )}
          {read !== undefined && faults > 0 && (
            <Panel
              title="Nothing can be booked"
              about={`${faults} ${faults === 1 ? 'row has' : 'rows have'} faults`}
            >
              <ul className="plain-list">
                {read.refused.map(({ row, reason }) => (
                  <li key={`${row} ${reason}`}>
                    Row {row}: <Name of={reason} most={300} />
                  </li>
                ))}
              </ul>
            </Panel>
          )}
          {read?.documents.map((document, at) => (
            <Document key={at} of={document} />
          ))}
        </div>
        <div className="column">
          {read !== undefined && (
            <Panel title="Does it add up">
              <Checks
                of={read.checks.map(({ check, ok, text, row }) => ({
                  title: clean(check, 80).replaceAll('_', ' '),
                  state: ok ? ('ok' as const) : ('warn' as const),
                  detail: (
                    <>
                      {row !== undefined && `Row ${row}: `}
                      <Name of={text} most={300} />
                    </>
                  ),
                }))}
              />
              {read.checks.length === 0 && <p className="panel-small">The file has no totals to check.</p>}
            </Panel>
          )}
          {read !== undefined && <HowRead of={read.recognised} />}
          {read !== undefined && (
            <Panel title="Book">
              {booked === undefined ? (
                <>
                  <Text size="sm" mb="sm">
                    {isReady
                      ? 'All documents of the file are booked, or none.'
                      : 'Ready when nothing is open.'}
                  </Text>
                  <Button fullWidth loading={isBusy} disabled={!isReady} onClick={() => void book()}>
                    Book {read.documents.length === 1 ? 'the document' : `${read.documents.length} documents`}
                  </Button>
                </>
              ) : (
                <div role="status">
                  {booked.map(({ invoice_id: id, number }) => (
                    <Group key={id} gap="xs">
                      <Text size="sm">Booked:</Text> <Go to={`/invoices/${id}`}>{clean(number, 60)}</Go>
                    </Group>
                  ))}
                </div>
              )}
            </Panel>
          )}
        </div>
      </div>
    </>
  );
}

/** What was found about the file itself. */
function HowRead({ of }: { readonly of: Read['recognised'] }) {
  const { format, preset, encoding, separator, sheet, header_row: row, numbers, factor, columns } = of;
  return (
    <Panel title="How it was read">
      <FactList
        of={{
          Form: format,
          Layout: preset && <Name of={preset} most={80} />,
          Encoding: encoding && clean(encoding.name, 40),
          Sheet: sheet && <Name of={sheet} most={60} />,
          'Header row': row,
          Separator: separator && (separator === '\t' ? 'tab' : separator),
          Numbers: numbers && (numbers === 'comma' ? '1.234,56' : '1,234.56'),
          Factor: factor,
        }}
      />
      <ul className="plain-list" style={{ marginTop: 12 }}>
        {columns.map(({ column, field, format: own }) => (
          <li key={column}>
            <b>
              <Name of={column} most={60} />
            </b>{' '}
            <span className="quiet">
              {field === null ? 'not read' : clean(field, 40).replaceAll('_', ' ')}
              {own !== undefined && `, ${clean(own, 40)}`}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Document({ of: document }: { readonly of: Read['documents'][number] }) {
  const { number, kind, currency, lines, line_total: count } = document;
  return (
    <Panel
      title={`${kind === 'credit_note' ? 'Credit note' : 'Invoice'} ${clean(number ?? '', 60)}`.trim()}
      about={`${document.service_from ?? '?'} to ${document.service_to ?? '?'}, ${count} ${count === 1 ? 'line' : 'lines'}`}
      isFlush
    >
      <ScrollTable label={`Lines of ${clean(number ?? 'the document', 60)}`}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Row</Table.Th>
            <Table.Th>What</Table.Th>
            <Table.Th>Names</Table.Th>
            <Table.Th className="number">Amount</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lines.map((line) => (
            <Table.Tr key={line.line}>
              <Table.Th scope="row">{line.row}</Table.Th>
              <Table.Td>
                {line.type === 'open' ? 'not known' : line.type}{' '}
                <span className="quiet">
                  <Name of={line.description ?? ''} most={80} />
                </span>
              </Table.Td>
              <Table.Td>
                <Name of={line.names.map(({ text }) => text).join(', ')} most={120} />
              </Table.Td>
              <Table.Td className="number">
                <Money amount={line.amount} currency={currency} />
              </Table.Td>
            </Table.Tr>
          ))}
          <Table.Tr>
            <Table.Th scope="row" colSpan={3}>
              Net, tax, gross
            </Table.Th>
            <Table.Td className="number">
              <Money amount={document.net} currency={currency} />
              <div className="quiet">
                <Money amount={document.tax} currency={currency} />
              </div>
              <Money amount={document.gross} currency={currency} />
            </Table.Td>
          </Table.Tr>
        </Table.Tbody>
      </ScrollTable>
    </Panel>
  );
}
