import {
  Alert,
  Button,
  FileInput,
  Group,
  List,
  NativeSelect,
  SimpleGrid,
  Text,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ActForm } from '../../parts/act-form.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { Go } from '../../parts/go.js';
import { Money } from '../../parts/money.js';
import { clean } from '../../parts/name.js';
import { useRows } from '../../parts/use-rows.js';

type Result = Answer<'POST /v1/invoices/import'>;

/** Fields of each row of a file, and those for the whole file if it has no column for them. */
const ofRows = ['media_buy_id', 'package_id', 'po_number', 'description', 'units', 'amount'] as const;
const ofFile = ['invoice_number', 'period', 'issued_on', 'currency'] as const;
const titles = {
  invoice_number: 'Invoice number',
  period: 'Month',
  issued_on: 'Day of issue',
  currency: 'Currency',
  media_buy_id: 'Media buy id',
  package_id: 'Package id',
  po_number: 'PO number',
  description: 'Description',
  units: 'Units',
  amount: 'Amount',
} as const;
const forms = {
  invoice_number: 'As the seller wrote it',
  period: 'As 2026-03',
  issued_on: 'As 2026-03-31',
  currency: 'As USD',
} as const;
const largest = 5_000_000;

/** The column names of a CSV: its first line, by RFC 4180. Empty for JSON, whose members are the names. */
export function columnsOf(text: string): readonly string[] {
  if (text.trimStart().startsWith('[')) return [];
  const [line = ''] = text.replace(/^\uFEFF/, '').split(/\r?\n/, 1);
  const delimiter = line.includes(';') && !line.includes(',') ? ';' : ',';
  const names: string[] = [];
  let name = '';
  let isQuoted = false;
  for (const character of line.slice(0, 10_000)) {
    if (character === '"') isQuoted = !isQuoted;
    else if (character === delimiter && !isQuoted) {
      names.push(name.trim());
      name = '';
    } else name += character;
  }
  return [...names, name.trim()].filter((one) => one !== '');
}

/** Imports a seller's invoices: the mapping of columns, a preview, and then booking them. */
export function InvoiceImport() {
  const sellers = useRows('GET /v1/sellers', ({ sellers: all }) => all);
  const [seller, setSeller] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [text, setText] = useState('');
  const [mapping, setMapping] = useState<Readonly<Record<string, string>>>({});
  const [defaults, setDefaults] = useState<Readonly<Record<string, string>>>({});
  const [seen, setSeen] = useState<Result>();
  const [error, setError] = useState<unknown>();
  const columns = columnsOf(text);
  const filled = (of: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(of).filter(([, value]) => value.trim() !== ''));
  const send = async (isDryRun: boolean): Promise<void> => {
    setSeen(undefined);
    setSeen(
      await api('POST /v1/invoices/import', {
        body: {
          seller,
          file: { name: file?.name ?? 'invoice', text },
          ...(Object.keys(filled(mapping)).length > 0 && { mapping: filled(mapping) }),
          defaults: filled(defaults),
          ...(isDryRun && { dry_run: true }),
        },
      }),
    );
  };
  const look = async (): Promise<void> => {
    setError(undefined);
    try {
      await send(true);
    } catch (failure) {
      setError(failure);
    }
  };
  const take = async (next: File | null): Promise<void> => {
    setSeen(undefined);
    setError(undefined);
    setFile(next);
    if (next !== null && next.size > largest) {
      setText('');
      setError(new Error('The file is larger than 5 MB. Split it, or import it on the command line.'));
      return;
    }
    const content = (await next?.text()) ?? '';
    const names = columnsOf(content);
    setText(content);
    setMapping(
      Object.fromEntries([...ofFile, ...ofRows].flatMap((one) => (names.includes(one) ? [[one, one]] : []))),
    );
  };
  const isReady = seller !== '' && text !== '';
  return (
    <ActForm
      title="Import an invoice"
      label="Book the invoice"
      act={() => send(false)}
      isReady={isReady && seen !== undefined && seen.refused.length === 0}
      also={
        <Button variant="default" disabled={!isReady} onClick={() => void look()}>
          Look at it first
        </Button>
      }
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NativeSelect
          label="Seller"
          data={[
            { value: '', label: 'Choose' },
            ...sellers.rows.map(({ slug, name }) => ({ value: slug, label: clean(name, 60) })),
          ]}
          value={seller}
          onChange={({ currentTarget }) => setSeller(currentTarget.value)}
        />
        <FileInput
          label="File"
          description="CSV with a header row, or JSON"
          placeholder="Choose a file"
          accept=".csv,.json,text/csv,application/json"
          value={file}
          onChange={(next) => void take(next)}
        />
      </SimpleGrid>
      {text !== '' && (
        <Text size="sm">
          Say here what holds for the whole file, and below it which column holds what each row says. Then
          look at it. Where you choose no column at all, they are read as in the last file of this seller.
        </Text>
      )}
      {text !== '' && (
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }}>
          {ofFile.map((field) => (
            <TextInput
              key={field}
              label={titles[field]}
              description={`${forms[field]}. Empty: a column has it.`}
              value={defaults[field] ?? ''}
              onChange={({ currentTarget: { value } }) => setDefaults((old) => ({ ...old, [field]: value }))}
            />
          ))}
          {[...ofFile, ...ofRows].map((field) =>
            columns.length > 0 ? (
              <NativeSelect
                key={field}
                label={`Column of ${titles[field].toLowerCase()}`}
                data={[
                  { value: '', label: 'None' },
                  ...columns.map((one) => ({ value: one, label: clean(one, 60) })),
                ]}
                value={mapping[field] ?? ''}
                onChange={({ currentTarget: { value } }) => setMapping((old) => ({ ...old, [field]: value }))}
              />
            ) : (
              <TextInput
                key={field}
                label={`Member of ${titles[field].toLowerCase()}`}
                value={mapping[field] ?? ''}
                onChange={({ currentTarget: { value } }) => setMapping((old) => ({ ...old, [field]: value }))}
              />
            ),
          )}
        </SimpleGrid>
      )}
      {error !== undefined && <ErrorPanel error={error} />}
      {seen !== undefined && <Seen result={seen} />}
    </ActForm>
  );
}

function Seen({ result }: { readonly result: Result }) {
  if (result.refused.length > 0)
    return (
      <Alert
        color="bad"
        variant="outline"
        role="alert"
        title="The file cannot be read so. Nothing was booked."
      >
        <List size="sm">
          {result.refused.map(({ row, reason }) => (
            <List.Item key={`${row} ${reason}`}>
              Row {row}: {clean(reason)}
            </List.Item>
          ))}
        </List>
      </Alert>
    );
  return (
    <Alert color="good" variant="outline" role="status">
      <Group gap="xs">
        <Text size="sm">
          {result.lines} lines, <Money amount={result.total} currency={result.currency} /> in all.{' '}
          {result.invoice_id === null ? 'Nothing is booked yet.' : 'It is booked.'}
        </Text>
        {result.invoice_id !== null && <Go to={`/invoices/${result.invoice_id}`}>Open the invoice</Go>}
      </Group>
    </Alert>
  );
}
