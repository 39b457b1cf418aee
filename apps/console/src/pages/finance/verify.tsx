import { Alert, Button, Checkbox, FileInput, Group, List, Paper, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { request } from '../../api/client.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { Go } from '../../parts/go.js';
import { clean } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { isChain, verifyChain } from '../admin/verify-chain.js';
import { parse, verifyStatement, type Check } from './verify-statement.js';

/** The checks of a file, and whether it is valid. */
export function Checks({
  of: checks,
  what = 'The statement',
}: {
  readonly of: readonly Check[];
  readonly what?: string;
}) {
  const holds = checks.every((check) => check.holds !== false);
  return (
    <Alert
      color={holds ? 'good' : 'bad'}
      variant="outline"
      role={holds ? 'status' : 'alert'}
      title={holds ? `${what} holds` : `${what} does not hold`}
    >
      <List size="sm">
        {checks.map(({ name, holds: one, says }) => (
          <List.Item key={name}>
            {one === undefined ? 'Not checked' : one ? 'Right' : 'Wrong'}, {name}: {clean(says)}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

/** Verifies a statement or a chain of custody in the browser: nothing is sent. */
export function VerifyPage() {
  const [text, setText] = useState('');
  const [compares, setCompares] = useState(false);
  const [checks, setChecks] = useState<readonly Check[]>();
  const [hasChain, setHasChain] = useState(false);
  const [error, setError] = useState<unknown>();
  const verify = async (): Promise<void> => {
    setError(undefined);
    setChecks(undefined);
    const document = parse(text);
    setHasChain(isChain(document));
    try {
      setChecks(
        isChain(document)
          ? await verifyChain(document)
          : await verifyStatement(
              text,
              compares ? await request('GET', '/.well-known/jwks.json') : undefined,
            ),
      );
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <>
      <PageHead title="Verify a statement">
        Or a chain of custody, as <Go to="/relay">Relay trail</Go> downloads it. The check runs in this
        browser: the file leaves it only if you send it somewhere.
      </PageHead>
      <Paper withBorder p="md" maw={900}>
        <Stack>
          <FileInput
            label="File"
            placeholder="Choose a file"
            accept=".json,application/json"
            onChange={(file) => void file?.text().then(setText)}
          />
          <Textarea
            label="Or its text"
            autosize
            minRows={4}
            maxRows={12}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
          <Checkbox
            label="Compare its key with the keys that this server publishes"
            checked={compares}
            onChange={({ currentTarget }) => setCompares(currentTarget.checked)}
          />
          <Group>
            <Button disabled={text.trim() === ''} onClick={() => void verify()}>
              Verify
            </Button>
            <Text size="sm" c="dimmed">
              On the command line: npx switchyard statement verify FILE, or custody verify FILE
            </Text>
          </Group>
          {error !== undefined && <ErrorPanel error={error} />}
          {checks !== undefined && <Checks of={checks} {...(hasChain && { what: 'The chain of custody' })} />}
        </Stack>
      </Paper>
    </>
  );
}
