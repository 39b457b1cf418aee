import { Button, Code, Group, List, Loader, Paper, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { Facts } from '../../parts/facts.js';
import { Go } from '../../parts/go.js';
import { Id } from '../../parts/id.js';
import { Name, clean } from '../../parts/name.js';
import { Status } from '../../parts/status.js';
import { Time } from '../../parts/time.js';
import { useAnswer, useMay, useRefresh } from '../../parts/use-rows.js';

type Event = Answer<'GET /v1/events'>['events'][number];

/** The campaign, brand and client that an event is about. */
export const whoseText = (owner: Pick<Event, 'client' | 'brand' | 'brand_name' | 'campaign'>): string =>
  [owner.campaign, owner.brand_name ?? owner.brand, owner.client].filter(Boolean).join(', ') || '–';

/** One event: each step of its verdict, its bytes, and the decision of a person. */
export function EventCard({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const [isRaw, setRaw] = useState(false);
  const query = useAnswer('GET /v1/events/{id}', { params: { id }, query: isRaw ? { raw: 'true' } : {} });
  const isAllowed = useMay()('ledger.approve');
  const refresh = useRefresh();
  if (query.isPending) return <Loader role="status" aria-label="Loading the event" />;
  if (query.isError) return <ErrorPanel error={query.error} again={() => void query.refetch()} />;
  const event = query.data;
  const decide =
    (route: 'POST /v1/events/{id}/admit' | 'POST /v1/events/{id}/dismiss') => async (reason: string) => {
      await api(route, { params: { id }, body: { reason } });
      await refresh();
    };
  const failed = event.steps.find(({ ok }) => !ok);
  return (
    <Paper withBorder p="md" mb="md" component="section" aria-label="One event">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          {clean(event.kind).replaceAll('_', ' ')} of <Name of={event.seller} />
        </Title>
        <Button size="xs" variant="default" onClick={onClose}>
          Close
        </Button>
      </Group>
      <Facts
        label="The event"
        of={{
          State: (
            <Status
              of={event.state}
              explain={{
                why: clean(event.explanation ?? event.reason ?? 'Every step passed.', 1_000),
                since: event.applied_at ?? event.received_at,
                evidence:
                  failed === undefined ? 'No step failed.' : `${failed.name}: ${clean(failed.seen, 600)}`,
                next:
                  event.state === 'quarantined'
                    ? 'Ask the seller, and then admit or dismiss it with a reason.'
                    : 'Nothing: it is decided.',
                cli: `npx switchyard events show ${id}`,
              }}
            />
          ),
          Why: event.state !== 'applied' && clean(event.explanation ?? event.reason ?? '', 1_000),
          Received: <Time at={event.received_at} />,
          Sender: <Name of={event.sender} />,
          Key: event.keyid && <Id of={event.keyid} />,
          For: <Name of={whoseText(event)} />,
          Operation: event.operation_id && <Id of={event.operation_id} />,
          'SHA-256 of the body': <Id of={event.body_sha256} />,
          'Copies that came': event.copies,
          Decision: event.decision && (
            <>
              {event.decision.decision} by <Name of={event.decision.by} />,{' '}
              <Time at={event.decision.decided_at} />: {clean(event.decision.reason, 600)}
            </>
          ),
          Audit: (
            <Go to="/system/acts" search={{ object: id }}>
              Acts about it
            </Go>
          ),
        }}
      />
      <Title order={3} size="h5">
        Steps
      </Title>
      {event.steps.length === 0 && (
        <Text size="sm" mb="md">
          {event.kind === 'pulled_report'
            ? 'None: it was not sent to us. We asked the seller, and this is its answer.'
            : 'None: it was judged before its signature was read.'}
        </Text>
      )}
      <List type="ordered" size="sm" mb="md">
        {event.steps.map(({ step, name, ok, seen }) => (
          <List.Item key={step}>
            {ok ? 'Passed' : 'Failed'}: {clean(name)}. <Name of={seen} most={400} />
          </List.Item>
        ))}
      </List>
      {event.raw !== undefined && (
        <Code block tabIndex={0} mah={320} style={{ overflow: 'auto' }} aria-label="The body that came">
          {clean(event.raw.body_text ?? event.raw.body_base64, 100_000)}
        </Code>
      )}
      <Group mt="sm">
        {event.raw === undefined && event.body_purged_at === undefined && (
          <Button size="xs" variant="default" onClick={() => setRaw(true)}>
            Show the body
          </Button>
        )}
        {isAllowed && event.state === 'quarantined' && (
          <>
            <ConfirmButton
              label="Admit"
              reason="required"
              done="It is admitted and booked."
              act={decide('POST /v1/events/{id}/admit')}
            >
              What it says is booked as if it had been trusted from the start.
            </ConfirmButton>
            <ConfirmButton
              label="Dismiss"
              variant="default"
              reason="required"
              done="It is dismissed."
              act={decide('POST /v1/events/{id}/dismiss')}
            >
              It stays in the record and changes nothing.
            </ConfirmButton>
          </>
        )}
      </Group>
    </Paper>
  );
}
