import {
  Alert,
  Button,
  FileInput,
  List,
  NativeSelect,
  SimpleGrid,
  Table,
  Text,
  TextInput,
} from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { ActForm } from '../../parts/forms/act-form.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { clean } from '../../parts/name.js';
import { sendFile } from '../../parts/forms/send-file.js';
import { ScrollTable } from '../../parts/scroll-table.js';

/** A file as the routes of imports take it: its text, or its id where it was uploaded. */
interface ImportBody {
  readonly file?: { readonly name: string; readonly text: string };
  readonly file_id?: string;
  readonly mapping?: Readonly<Record<string, string>>;
  readonly defaults: Readonly<Record<string, string>>;
  readonly dry_run?: true;
}

interface Refusals {
  readonly refused: readonly { readonly row: number; readonly reason: string }[];
  /** Of a look at it first: which column is read as what, and the first rows. */
  readonly preview?: {
    readonly columns: readonly { readonly column: string; readonly field: string | null }[];
    readonly rows: readonly Readonly<Record<string, string>>[];
  };
}

/** The most bytes of a file that is sent as text; a workbook or a larger file is uploaded. */
const mostText = 5_000_000;

/** The columns of a CSV are read from its beginning. */
const beginning = 100_000;

/** Whether the first bytes are those of a workbook: of a ZIP archive, or of an old XLS, which the server refuses. */
const isWorkbook = (start: string): boolean =>
  start.startsWith('PK\u0003\u0004') || start.startsWith('\u00D0\u00CF');

const filled = (of: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(of).filter(([, value]) => value.trim() !== ''));

/** Imports a file: the mapping of its columns, a preview, and then the import itself. */
export function ImportForm<Result extends Refusals>({
  title,
  label,
  fileLabel = 'File',
  about,
  command,
  fields,
  ofFile,
  isFilledIn,
  send,
  say,
  children,
}: {
  readonly title: string;
  /** Label of the button that imports. */
  readonly label: string;
  readonly fileLabel?: string;
  /** The explanation above the columns, shown once a file is chosen. */
  readonly about: string;
  /** The command that imports the same, for a browser that cannot upload. */
  readonly command: string;
  /** Names of the fields with their titles. */
  readonly fields: Readonly<Record<string, string>>;
  /** Fields that may have one value for the whole file, each with its form. */
  readonly ofFile: Readonly<Record<string, string>>;
  /** Whether the fields above the file are filled in. */
  readonly isFilledIn: boolean;
  readonly send: (body: ImportBody) => Promise<Result>;
  /** The text for a file without refused rows. */
  readonly say: (result: Result) => ReactNode;
  readonly children: ReactNode;
}) {
  const [file, setFile] = useState<File | null>(null);
  const [text, setText] = useState('');
  const [fileId, setFileId] = useState<string>();
  const [columns, setColumns] = useState<readonly string[]>([]);
  const [mapping, setMapping] = useState<Readonly<Record<string, string>>>({});
  const [defaults, setDefaults] = useState<Readonly<Record<string, string>>>({});
  const [seen, setSeen] = useState<Result>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const isUploaded = file !== null && text === '';
  const knowColumns = (names: readonly string[]): Readonly<Record<string, string>> => {
    const same = Object.fromEntries(
      Object.keys(fields).flatMap((field) => (names.includes(field) ? [[field, field]] : [])),
    );
    setColumns(names);
    setMapping(same);
    return same;
  };
  /** Uploads the file once, and asks the server for the columns of a workbook. */
  const upload = async (of: File): Promise<{ readonly id: string; readonly found?: typeof mapping }> => {
    const id = fileId ?? (await sendFile(of, command));
    setFileId(id);
    if (columns.length > 0) return { id };
    const named = { file_id: id, mapping: {}, defaults: filled(defaults), dry_run: true } as const;
    const { preview } = await send(named);
    return { id, found: knowColumns(preview?.columns.map(({ column }) => column) ?? []) };
  };
  const read = async (isDryRun: boolean): Promise<void> => {
    setSeen(undefined);
    setError(undefined);
    if (file === null) return;
    const { id, found = mapping } = isUploaded ? await upload(file) : {};
    const body = {
      ...(id === undefined ? { file: { name: file.name, text } } : { file_id: id }),
      ...(Object.keys(filled(found)).length > 0 && { mapping: filled(found) }),
      defaults: filled(defaults),
    };
    setSeen(await send(isDryRun ? { ...body, dry_run: true } : body));
  };
  const look = async (): Promise<void> => {
    setBusy(true);
    await read(true).catch(setError);
    setBusy(false);
  };
  const take = async (next: File | null): Promise<void> => {
    setSeen(undefined);
    setError(undefined);
    setFileId(undefined);
    setText('');
    setFile(next);
    const start = (await next?.slice(0, beginning).arrayBuffer()) ?? new ArrayBuffer(0);
    const isTable = isWorkbook(new TextDecoder('latin1').decode(start.slice(0, 4)));
    knowColumns(isTable ? [] : columnsOf(new TextDecoder().decode(start)));
    if (next !== null && !isTable && next.size <= mostText) setText(await next.text());
  };
  const isReady = isFilledIn && file !== null && file.size > 0;
  return (
    <ActForm
      title={title}
      label={label}
      act={() => read(false)}
      isReady={isReady && seen !== undefined && seen.refused.length === 0}
      also={
        <Button variant="default" disabled={!isReady} loading={isBusy} onClick={() => void look()}>
          Preview
        </Button>
      }
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {children}
        <FileInput
          label={fileLabel}
          description="CSV or XLSX with a header row, or JSON"
          placeholder="Choose a file"
          accept=".csv,.xlsx,.json,text/csv,application/json,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
          value={file}
          onChange={(next) => void take(next)}
        />
      </SimpleGrid>
      {file !== null && (
        <>
          <Text size="sm">{about}</Text>
          {isUploaded && columns.length === 0 && (
            <Text size="sm" role="status">
              The columns of a workbook are shown here once you look at it.
            </Text>
          )}
          <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }}>
            {Object.entries(ofFile).map(([field, form]) => (
              <TextInput
                key={field}
                label={`${fields[field] ?? field} of the whole file`}
                description={`${form}. Empty: a column has it.`}
                value={defaults[field] ?? ''}
                onChange={({ currentTarget: { value } }) =>
                  setDefaults((old) => ({ ...old, [field]: value }))
                }
              />
            ))}
            {Object.entries(fields).map(([field, name]) => {
              const shared = {
                value: mapping[field] ?? '',
                onChange: ({
                  currentTarget: { value },
                }: {
                  readonly currentTarget: { readonly value: string };
                }) => setMapping((old) => ({ ...old, [field]: value })),
              };
              if (columns.length === 0 && isUploaded) return undefined;
              return columns.length === 0 ? (
                <TextInput key={field} label={`Member of ${name.toLowerCase()}`} {...shared} />
              ) : (
                <NativeSelect
                  key={field}
                  label={`Column of ${name.toLowerCase()}`}
                  data={[
                    { value: '', label: 'None' },
                    ...columns.map((column) => ({ value: column, label: clean(column, 60) })),
                  ]}
                  {...shared}
                />
              );
            })}
          </SimpleGrid>
        </>
      )}
      {error !== undefined && <ErrorPanel error={error} />}
      {seen !== undefined &&
        (seen.refused.length > 0 ? (
          <Alert color="bad" variant="outline" role="alert" title="Nothing was imported.">
            <List size="sm">
              {seen.refused.map(({ row, reason }) => (
                <List.Item key={`${row} ${reason}`}>
                  Row {row}: {clean(reason)}
                </List.Item>
              ))}
            </List>
          </Alert>
        ) : (
          <Alert color="good" variant="outline" role="status">
            {say(seen)}
          </Alert>
        ))}
      {seen?.preview !== undefined && <Preview of={seen.preview} fields={fields} />}
    </ActForm>
  );
}

/** The column names of a CSV: its first line, by RFC 4180. Empty for JSON, whose members are the names. */
function columnsOf(text: string): readonly string[] {
  if (text.trimStart().startsWith('[')) return [];
  const [line = ''] = text.replace(/^\uFEFF?[\r\n]*/, '').split(/\r?\n/, 1);
  const bare = line.replaceAll(/"[^"]*"/g, '');
  // The separator that the header has most often, as the server reads it.
  const [delimiter] = [',', ';', '\t'].toSorted((a, b) => bare.split(b).length - bare.split(a).length);
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
  return [...names, name.trim()].filter((item) => item !== '');
}

/** Each column of the file with what it is read as, and its first rows. */
function Preview({
  of: { columns, rows },
  fields,
}: {
  readonly of: NonNullable<Refusals['preview']>;
  readonly fields: Readonly<Record<string, string>>;
}) {
  return (
    <ScrollTable label="How the file is read">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Column</Table.Th>
          <Table.Th>Read as</Table.Th>
          {rows.map((_, at) => (
            <Table.Th key={at}>Row {at + 1}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {columns.map(({ column, field }) => (
          <Table.Tr key={column}>
            <Table.Th scope="row">{clean(column, 60)}</Table.Th>
            <Table.Td>{field === null ? 'not read' : (fields[field] ?? field)}</Table.Td>
            {rows.map((row, at) => (
              <Table.Td key={at}>{clean(row[column] ?? '', 60)}</Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </ScrollTable>
  );
}
