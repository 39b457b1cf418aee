import { Alert, Button, Checkbox, FileInput, Group, List, Paper, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { request } from '../../api/client.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { Go } from '../../parts/go.js';
import { clean } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { isChain, verifyChain } from '../admin/verify-chain.js';
import { parse, verdictOf, verifyStatement, verifyStatementFile, type Check } from './verify-statement.js';
import { bindText } from '../../parts/forms/bind-text.js';

/** The checks of a file, and whether it is valid. */
export function Checks({
  of: checks,
  what = 'The statement',
}: {
  readonly of: readonly Check[];
  readonly what?: string;
}) {
  const verdict = verdictOf(checks);
  return (
    <Alert
      color={verdict === 'valid' ? 'good' : verdict === 'consistent' ? 'warn' : 'bad'}
      variant="outline"
      role={verdict === 'invalid' ? 'alert' : 'status'}
      title={`${what} is ${verdict === 'consistent' ? 'consistent, signer unknown' : verdict}`}
    >
      <List size="sm">
        {checks.map(({ name, holds: isValid, says }) => (
          <List.Item key={name}>
            {isValid === undefined ? 'Unknown' : isValid ? 'Right' : 'Wrong'}, {name}: {clean(says)}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

/** Verifies a statement or a chain of custody in the browser: nothing is sent. */
export function VerifyPage() {
  const [text, setText] = useState('');
  /** A file that is no JSON: its signature is beside it. */
  const [file, setFile] = useState<File>();
  const [beside, setBeside] = useState<File>();
  const [compares, setCompares] = useState(false);
  const [checks, setChecks] = useState<readonly Check[]>();
  const [hasChain, setHasChain] = useState(false);
  const [error, setError] = useState<unknown>();
  const verify = async (): Promise<void> => {
    setError(undefined);
    setChecks(undefined);
    const document = parse(text);
    setHasChain(file === undefined && isChain(document));
    try {
      const published = compares ? await request('GET', '/.well-known/jwks.json') : undefined;
      if (file === undefined && isChain(document)) return setChecks(await verifyChain(document, published));
      setChecks(
        file === undefined
          ? await verifyStatement(text, published)
          : await verifyStatementFile(
              new Uint8Array(await file.arrayBuffer()),
              (await beside?.text()) ?? '',
              published,
            ),
      );
    } catch (failure) {
      setError(failure);
    }
  };
  const choose = async (chosen: File | null): Promise<void> => {
    setChecks(undefined);
    setBeside(undefined);
    const isText = chosen === null || /\.json$/i.test(chosen.name);
    setFile(isText ? undefined : chosen);
    setText(chosen !== null && isText ? await chosen.text() : '');
  };
  return (
    <>
      <PageHead title="Verify a document">
        Or a chain of custody, as <Go to="/agents/calls">Relay trail</Go> downloads it. The check runs in this
        browser: the file leaves it only if you send it somewhere.
      </PageHead>
      <Paper withBorder p="md" maw={900}>
        <Stack>
          <FileInput
            label="File"
            description="JSON has its signature inside; a PDF, XLSX or CSV has it in the file .jws beside it."
            placeholder="Choose a file"
            accept=".json,.pdf,.xlsx,.csv"
            clearable
            clearButtonProps={{ 'aria-label': 'No file' }}
            onChange={(chosen) => void choose(chosen)}
          />
          {file === undefined ? (
            <Textarea label="Or its text" autosize minRows={4} maxRows={12} {...bindText(text, setText)} />
          ) : (
            <FileInput
              label="Its signature"
              placeholder={`${file.name}.jws`}
              accept=".jws"
              onChange={(chosen) => setBeside(chosen ?? undefined)}
            />
          )}
          <Checkbox
            label="Compare its key with the keys that this server publishes"
            checked={compares}
            onChange={({ currentTarget }) => setCompares(currentTarget.checked)}
          />
          <Group>
            <Button
              disabled={file === undefined ? text.trim() === '' : beside === undefined}
              onClick={() => void verify()}
            >
              Verify
            </Button>
            <Text size="sm" c="dimmed">
              On the command line: npx switchyard verify FILE
            </Text>
          </Group>
          {error !== undefined && <ErrorPanel error={error} />}
          {checks !== undefined && <Checks of={checks} {...(hasChain && { what: 'The chain of custody' })} />}
        </Stack>
      </Paper>
    </>
  );
}
