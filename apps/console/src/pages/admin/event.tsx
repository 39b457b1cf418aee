import { Button, Code } from '@mantine/core';
import { IconShieldExclamation } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Answer } from '../../api/client.js';
import { Checks } from '../../parts/checks.js';
import { Go } from '../../parts/go.js';
import { Id } from '../../parts/id.js';
import { Loaded } from '../../parts/loaded.js';
import { Name, clean } from '../../parts/name.js';
import { ObjectHead } from '../../parts/object-head.js';
import { FactList, Panel } from '../../parts/panel.js';
import { SellerName, useSellerNames } from '../../parts/seller-name.js';
import { Status, StatusBadge } from '../../parts/status.js';
import { dayText, Time } from '../../parts/time.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';
import { DecideEvent } from './decide-event.js';
import { EventEffect } from './event-effect.js';

type Event = Answer<'GET /v1/events'>['events'][number];

/** The campaign, brand and client that an event is about. */
export const whoseText = (owner: Pick<Event, 'client' | 'brand' | 'brand_name' | 'campaign'>): string =>
  [owner.campaign, owner.brand_name ?? owner.brand, owner.client].filter(Boolean).join(', ') || '–';

/** The words of a webhook for people: `Delivery report`. */
export const kindText = (kind: string): string => {
  const words = clean(kind).replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const seenWords: Readonly<Record<string, string>> = {
  'one meaning': 'The body can be read in one way only',
  'below the cap': 'This signer is below its limit of requests',
};

/** What a check saw, in words. */
const seenText = (seen: string): string => seenWords[seen] ?? seen;

/** One webhook of a seller: whether it is genuine, what it is about, its bytes, and the decision of a person. */
export function WebhookPage() {
  const { id } = useParams({ strict: false }) as { readonly id: string };
  const [isRaw, setRaw] = useState(false);
  const query = useAnswer('GET /v1/events/{id}', { params: { id }, query: isRaw ? { raw: 'true' } : {} });
  return (
    <Loaded title="Webhook" query={query}>
      {(event) => <Shown event={event} showBody={() => setRaw(true)} />}
    </Loaded>
  );
}

function Shown({
  event,
  showBody,
}: {
  readonly event: Answer<'GET /v1/events/{id}'>;
  readonly showBody: () => void;
}) {
  const may = useMay();
  const nameOf = useSellerNames();
  const { steps } = event;
  const passed = steps.filter(({ ok }) => ok).length;
  const failed = steps.find(({ ok }) => !ok);
  const why = clean(event.explanation ?? event.reason ?? '', 1_000);
  const isHeld = event.state === 'quarantined';
  const isReport = event.kind === 'delivery_report' || event.kind === 'pulled_report';
  const effect = useAnswer(
    'GET /v1/events/{id}/effect',
    { params: { id: event.event_id } },
    isHeld && isReport && may('ledger.read'),
  ).data;
  const [change] = effect?.changes ?? [];
  const title = `${kindText(event.kind)}${change === undefined ? '' : `, ${dayText(change.period_start).slice(0, -5)}`}`;
  return (
    <>
      <ObjectHead
        name={`${kindText(event.kind)} of ${clean(nameOf(event.seller))}`}
        title={title}
        avatar={nameOf(event.seller)}
        pill={
          <Status
            of={isHeld ? 'held' : event.state}
            tone={isHeld ? 'warn' : undefined}
            explain={{
              why: why === '' ? 'Every step passed.' : why,
              since: event.applied_at ?? event.received_at,
              evidence:
                failed === undefined ? 'No step failed.' : `${failed.name}: ${clean(failed.seen, 600)}`,
              next: isHeld
                ? 'Ask the seller, and then take it over or refuse it with a reason.'
                : 'Nothing: it is decided.',
              cli: `npx switchyard events show ${event.event_id}`,
            }}
          />
        }
        facts={[
          <SellerName key="seller" of={event.seller} size={18} isLink={may('sellers.read')} />,
          <Name key="whose" of={whoseText(event)} most={100} />,
          <>
            came <Time at={event.received_at} />
          </>,
        ]}
        acts={<DecideEvent event={event} />}
      />
      {why !== '' && event.state !== 'applied' && (
        <div className="banner" data-tone={isHeld ? 'warn' : 'bad'} role="note">
          <IconShieldExclamation size={18} stroke={1.7} aria-hidden="true" />
          <div>
            <b>{/^[^.]*\.?/.exec(why)?.[0]}</b> {why.replace(/^[^.]*\.?/, '')}{' '}
            {isHeld && 'Nothing changes until somebody decides.'}
          </div>
        </div>
      )}
      <div className="columns" style={{ '--right': '348px' } as never}>
        <div className="column">
          {isHeld && event.kind === 'delivery_report' && <EventEffect id={event.event_id} />}
          <Panel
            title="Body"
            acts={
              event.raw === undefined && event.body_purged_at === undefined ? (
                <Button size="compact-xs" variant="default" onClick={showBody}>
                  Show the body
                </Button>
              ) : undefined
            }
          >
            {event.raw === undefined ? (
              <p className="panel-small">Its bytes are kept as they came.</p>
            ) : (
              <Code block tabIndex={0} mah={320} style={{ overflow: 'auto' }} aria-label="The body that came">
                {clean(event.raw.body_text ?? event.raw.body_base64, 100_000)}
              </Code>
            )}
          </Panel>
        </div>
        <div className="column">
          <Panel
            title="Is it genuine?"
            acts={
              steps.length > 0 && (
                <StatusBadge
                  of={`${passed} of ${steps.length} checks`}
                  tone={passed === steps.length ? 'good' : 'bad'}
                />
              )
            }
          >
            {steps.length === 0 ? (
              <p className="panel-small">
                {event.kind === 'pulled_report'
                  ? 'It was not sent to us. We asked the seller, and this is its answer.'
                  : 'It was judged before its signature was read.'}
              </p>
            ) : (
              <Checks
                of={steps.map(({ name, ok, seen }) => ({
                  title: clean(name),
                  state: ok ? 'ok' : 'stops',
                  detail: (
                    <span className="step-text">
                      <Name of={seenText(seen)} most={400} />
                    </span>
                  ),
                }))}
              />
            )}
          </Panel>
          <Panel title="Record">
            <FactList
              of={{
                Sender: <Name of={event.sender} />,
                Key: event.keyid && <Id of={event.keyid} />,
                Operation: event.operation_id && <Id of={event.operation_id} short />,
                'SHA-256': <Id of={event.body_sha256} short />,
                Copies: event.copies,
                Decision: event.decision && (
                  <>
                    {event.decision.decision} by <Name of={event.decision.by} />,{' '}
                    <Time at={event.decision.decided_at} />: {clean(event.decision.reason, 600)}
                  </>
                ),
                'Who did what': may('principals.read') && (
                  <Go to="/system/acts" search={{ object: event.event_id }}>
                    Acts about it
                  </Go>
                ),
              }}
            />
          </Panel>
        </div>
      </div>
    </>
  );
}
