import { Alert, Button, FileInput, NativeSelect, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ActForm } from '../../parts/act-form.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { clean } from '../../parts/name.js';
import { columnsOf } from './invoice-import.js';

type Result = Answer<'POST /v1/figures/import'>;

const fields = [
  ['media_buy_id', 'Media buy id'],
  ['package_id', 'Package id'],
  ['day', 'Day'],
  ['spend', 'Spend'],
  ['impressions', 'Impressions'],
  ['currency', 'Currency'],
  ['seller', 'Seller'],
] as const;
/** Values for the whole file if it has no column for them. */
const ofFile = ['currency', 'seller'] as const;

const filled = (of: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(of).filter(([, value]) => value.trim() !== ''));

/** Imports third-party figures: the mapping of columns, a preview, and then storing them. */
export function FiguresImport() {
  const [source, setSource] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [text, setText] = useState('');
  const [mapping, setMapping] = useState<Readonly<Record<string, string>>>({});
  const [defaults, setDefaults] = useState<Readonly<Record<string, string>>>({});
  const [seen, setSeen] = useState<Result>();
  const [error, setError] = useState<unknown>();
  const columns = columnsOf(text);
  const send = async (isDryRun: boolean): Promise<void> => {
    setSeen(undefined);
    setError(undefined);
    setSeen(
      await api('POST /v1/figures/import', {
        body: {
          source: source.trim(),
          file: { name: file?.name ?? 'figures', text },
          ...(Object.keys(filled(mapping)).length > 0 && { mapping: filled(mapping) }),
          defaults: filled(defaults),
          ...(isDryRun && { dry_run: true }),
        },
      }),
    );
  };
  const take = async (next: File | null): Promise<void> => {
    const content = (await next?.text()) ?? '';
    const names = columnsOf(content);
    setSeen(undefined);
    setFile(next);
    setText(content);
    setMapping(Object.fromEntries(fields.flatMap(([name]) => (names.includes(name) ? [[name, name]] : []))));
  };
  const isReady = source.trim() !== '' && text !== '';
  return (
    <ActForm
      title="Import figures of a third party"
      label="Store the figures"
      act={() => send(false)}
      isReady={isReady && seen !== undefined && seen.refused.length === 0}
      also={
        <Button variant="default" disabled={!isReady} onClick={() => void send(true).catch(setError)}>
          Look at it first
        </Button>
      }
    >
      <Text size="sm">
        What an ad server counted, a row for each buy, package and day. It stands beside what the seller
        reported from the next comparison on; a later file of the same source takes its place.
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label="Source"
          description="Who counted: small letters, digits, dots and hyphens"
          placeholder="adserver"
          value={source}
          onChange={({ currentTarget }) => setSource(currentTarget.value)}
        />
        <FileInput
          label="File of figures"
          description="CSV with a header row, or JSON"
          placeholder="Choose a file"
          accept=".csv,.json,text/csv,application/json"
          value={file}
          onChange={(next) => void take(next)}
        />
      </SimpleGrid>
      {text !== '' && (
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }}>
          {fields.map(([field, title]) => (
            <NativeSelect
              key={field}
              label={`Column: ${title}`}
              data={[
                { value: '', label: 'None' },
                ...(columns.length > 0 ? columns : [field]).map((one) => ({
                  value: one,
                  label: clean(one, 60),
                })),
              ]}
              value={mapping[field] ?? ''}
              onChange={({ currentTarget: { value } }) => setMapping((old) => ({ ...old, [field]: value }))}
            />
          ))}
          {ofFile.map((field) => (
            <TextInput
              key={field}
              label={`${field === 'currency' ? 'Currency' : 'Seller'} of the whole file`}
              value={defaults[field] ?? ''}
              onChange={({ currentTarget: { value } }) => setDefaults((old) => ({ ...old, [field]: value }))}
            />
          ))}
        </SimpleGrid>
      )}
      {error !== undefined && <ErrorPanel error={error} />}
      {seen !== undefined && (
        <Alert
          color={seen.refused.length > 0 ? 'bad' : 'good'}
          variant="outline"
          role={seen.refused.length > 0 ? 'alert' : 'status'}
        >
          {seen.refused.length > 0
            ? seen.refused.map(({ row, reason }) => <div key={row}>{`Row ${row}: ${clean(reason)}`}</div>)
            : `${seen.lines} rows. ${seen.import_id === null ? 'Nothing is stored yet.' : 'They are stored: compare the month again.'}`}
        </Alert>
      )}
    </ActForm>
  );
}
