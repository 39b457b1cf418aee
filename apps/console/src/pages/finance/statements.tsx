import { Alert, Button, Group, SimpleGrid, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import { api, request, type Answer } from '../../api/client.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { useFilters } from '../../parts/filters.js';
import { PageHead } from '../../parts/page-head.js';
import { PrintButton } from '../../parts/print.js';
import { saveFile } from '../../parts/save-file.js';
import { ScopeSelect } from '../../parts/forms/scope-select.js';
import { ShareLinks } from './billing/share-links.js';
import { StatementView } from './statement-view.js';
import { Checks } from './verify.js';
import { textAt } from '../../api/task.js';
import { isMonth, monthOf, MonthInput } from '../../parts/month.js';
import { verifyStatement, type Check } from './verify-statement.js';
import { bindText } from '../../parts/forms/bind-text.js';

interface Wanted {
  readonly period: string;
  readonly scope: string;
  readonly note?: string;
}

/** Makes the signed statement of one month: its subject, its sums, its differences and the head of the ledger. */
export function StatementsPage() {
  const [filters] = useFilters();
  const [period, setPeriod] = useState(filters['period'] ?? monthOf(new Date(), 1));
  const [scope, setScope] = useState(filters['scope'] ?? 'organization');
  const [made, setMade] = useState<Answer<'POST /v1/statements'>>();
  const [note, setNote] = useState('');
  const [requested, setRequested] = useState<Wanted>({ period, scope });
  const [error, setError] = useState<unknown>();
  const [checks, setChecks] = useState<readonly Check[]>();
  const make = async (): Promise<void> => {
    setChecks(undefined);
    setError(undefined);
    setMade(undefined);
    const wanted = { period, scope, ...(note.trim() !== '' && { note: note.trim() }) };
    setMade(await api('POST /v1/statements', { body: wanted }));
    setRequested(wanted);
  };
  const verify = async (statement: NonNullable<typeof made>): Promise<void> => {
    try {
      const published = await request('GET', '/.well-known/jwks.json');
      setChecks(await verifyStatement(JSON.stringify(statement), published));
    } catch (failure) {
      setError(failure);
    }
  };
  const name = `statement-${textAt(made?.statement['period']) || period}`;
  return (
    <>
      <PageHead title="Statements">
        A signed document of what was spent in a month. Who has it can verify it without asking us.
      </PageHead>
      <Stack maw={900}>
        <ActForm label="Make the statement" act={make} isReady={isMonth(period)}>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <MonthInput value={period} onChange={setPeriod} />
            <ScopeSelect
              label="Of"
              description="Whose spend it states. Type the beginning of a name."
              fixed={{ organization: 'the whole organization' }}
              parts={['client', 'brand', 'campaign', 'seller']}
              value={scope}
              onChange={setScope}
            />
          </SimpleGrid>
          <Textarea
            label="Words above the figures"
            description="Optional; they are part of what is signed"
            autosize
            minRows={2}
            maxLength={2_000}
            {...bindText(note, setNote)}
          />
        </ActForm>
        {made !== undefined && (
          <Alert color="good" variant="outline" role="status" title="The statement is made and signed">
            <Group mt="sm">
              <Button
                size="xs"
                onClick={() => saveFile(`${name}.json`, 'application/json', JSON.stringify(made, null, 2))}
              >
                Download {name}.json
              </Button>
              <Button size="xs" variant="default" onClick={() => void verify(made)}>
                Verify it here
              </Button>
              <PrintButton />
            </Group>
            <Files key={made.digest} body={requested} name={name} onError={setError} />
          </Alert>
        )}
        {made !== undefined && <ShareLinks key={made.digest} of={{ statement: requested }} />}
        {error !== undefined && <ErrorPanel error={error} />}
        {made !== undefined && <StatementView made={made} />}
        {checks !== undefined && <Checks of={checks} />}
      </Stack>
    </>
  );
}

/** The statement in the formats whose signature is a file beside it. */
function Files({
  body,
  name,
  onError,
}: {
  readonly body: Wanted;
  readonly name: string;
  readonly onError: (error: unknown) => void;
}) {
  const [signature, setSignature] = useState<{ readonly name: string; readonly text: string }>();
  const [busy, setBusy] = useState('');
  const save = async (format: (typeof formats)[number]): Promise<void> => {
    setBusy(format);
    onError(undefined);
    try {
      const { file, jws, key } = await api('POST /v1/statements', { body: { ...body, format } });
      if (file === undefined) return;
      const bytes = Uint8Array.from(atob(file.content), (char) => char.charCodeAt(0));
      saveFile(`${name}.${format}`, file.media_type, bytes);
      const [head = '', payload = '', signed = ''] = jws.split('.');
      const text = JSON.stringify(
        { payload, protected: head, header: { jwk: key }, signature: signed },
        null,
        2,
      );
      setSignature({ name: `${name}.${format}.jws`, text });
    } catch (failure) {
      onError(failure);
    } finally {
      setBusy('');
    }
  };
  return (
    <Group mt="sm" gap="xs">
      {formats.map((format) => (
        <Button
          key={format}
          size="xs"
          variant="default"
          loading={busy === format}
          onClick={() => void save(format)}
        >
          {`Download as ${format.toUpperCase()}`}
        </Button>
      ))}
      {signature !== undefined && (
        <Button size="xs" onClick={() => saveFile(signature.name, 'application/json', signature.text)}>
          Download its signature {signature.name}
        </Button>
      )}
    </Group>
  );
}

const formats = ['pdf', 'html', 'xlsx', 'csv'] as const;
