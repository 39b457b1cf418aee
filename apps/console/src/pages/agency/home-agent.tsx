import { Button, CopyButton, Table } from '@mantine/core';
import { may, type Me } from '../../api/session.js';
import type { Answer } from '../../api/client.js';
import { DayStrip } from '../../parts/charts.js';
import { Go } from '../../parts/go.js';
import { percentOf, moneyText } from '../../parts/money.js';
import { clean, Name } from '../../parts/name.js';
import { ObjectHead } from '../../parts/object-head.js';
import { useAnswer } from '../../parts/use-rows.js';
import { NoneYet } from '../../parts/none-yet.js';
import { Panel } from '../../parts/panel.js';
import { Quiet } from '../../parts/quiet.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { SellerName, useSellerNames } from '../../parts/seller-name.js';
import { StatusBadge } from '../../parts/status.js';
import { clockText, dayText, Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { NeedsYou } from './needs-you.js';
import { TestCall } from './test-call.js';

type Call = Answer<'GET /v1/custody'>['records'][number];

const outcomes: Readonly<Record<string, readonly [words: string, tone: string]>> = {
  answered: ['Answered', 'good'],
  refused: ['Refused', 'bad'],
  unreachable: ['Seller not reached', 'bad'],
  unknown: ['No answer known', 'warn'],
};

/** The start page of a brand or buyer: its calls, what it may do, and where to send them. */
export function AgentHome({ me }: { readonly me: Me }) {
  const mayRead = may(me, 'delegations.read');
  const address = `${location.origin}/mcp`;
  return (
    <>
      <ObjectHead
        name={me.name}
        avatar={me.name}
        pill={<StatusBadge of="Connected" tone="good" />}
        facts={[
          me.brand_domain !== undefined && <Name key="domain" of={me.brand_domain} most={60} />,
          <>
            allowed by <Name of={me.organization.name} most={60} />
            <Until isShown={mayRead} />
          </>,
        ]}
        acts={
          <>
            <a className="second-act" href="/docs">
              API reference
            </a>
            <TestCall me={me} />
          </>
        }
      />
      <div className="columns">
        <div className="column">
          {mayRead ? <Calls /> : <NeedsYou />}
          {mayRead && <HowToFix />}
        </div>
        <div className="column">
          {mayRead && <Permissions />}
          <Panel title="Connect" about="MCP">
            <pre className="dark-code" tabIndex={0} aria-label="How to call it">
              {`${address}\nAuthorization: Bearer sy_…`}
            </pre>
            <CopyButton value={address}>
              {({ copied, copy }) => (
                <Button size="xs" variant="default" onClick={copy}>
                  {copied ? 'Copied' : 'Copy'}
                </Button>
              )}
            </CopyButton>
          </Panel>
          {may(me, 'reports.read') && <WebhooksToYou />}
        </div>
      </div>
    </>
  );
}

/** Codes of refusals as people say them. */
const codeWords: Readonly<Record<string, string>> = {
  NOT_DELEGATED: 'Not in your permission',
  CONTENT_DIGEST_MISSING: 'Signature: content-digest is missing',
};

/** A code in words; one without words of its own as a sentence: `KEY_NOT_FOUND` is "Key not found". */
const codeText = (code: string | null): string | undefined => {
  if (code === null || code === '') return undefined;
  const plain = clean(code, 60).replaceAll('_', ' ').toLowerCase();
  return codeWords[code] ?? plain.charAt(0).toUpperCase() + plain.slice(1);
};

/** What to do about a code, in words for who wrote the agent. */
const repairs: Readonly<Record<string, string>> = {
  NOT_DELEGATED:
    'This task is not among what the agent may do here. Ask the organization for a permission that has it.',
  CONTENT_DIGEST_MISSING:
    'The signature covers 4 of the 5 parts that are needed. Sign content-digest too, and send the header.',
};

/** The newest call that was refused, and how it is sent so that it passes. */
function HowToFix() {
  const { rows } = usePages('GET /v1/custody', 'records', { outcome: 'refused' });
  const last = rows.find(({ code, outcome }) => code !== null && outcome === 'refused');
  if (last === undefined) return undefined;
  return (
    <Panel title="How to fix it" about="the last call that was refused">
      <p className="panel-small">
        {clean(last.task ?? 'A call', 60)} was refused <Time at={last.arrived_at} ago />:{' '}
        {repairs[last.code ?? ''] ?? 'its record says what was found and what was expected.'}{' '}
        <Go to={`/calls/${last.record_id}`}>Its record</Go>
      </p>
      {/signature|digest|keyid/i.test(last.code ?? '') && (
        <pre className="dark-code" tabIndex={0} aria-label="The parts that a signature covers">
          {
            'Signature-Input: sig1=("@method" "@target-uri" "@authority" "content-type" "content-digest")\n  ;created=…;expires=…;nonce="…";keyid="…";tag="ads/request-signing/v1"'
          }
        </pre>
      )}
      <p className="panel-small">
        <small>code {clean(last.code ?? '', 60)}</small>
      </p>
    </Panel>
  );
}

/** What is to be sent to the agent and was not taken yet. */
function WebhooksToYou() {
  const { data } = useAnswer('GET /v1/outgoing-events', { query: { state: 'waiting', limit: '20' } });
  const [first, ...others] = data?.events ?? [];
  if (first === undefined) return undefined;
  return (
    <Panel
      title="Webhooks to you"
      acts={<StatusBadge of={others.length === 0 ? '1 waits' : `${others.length + 1} wait`} tone="warn" />}
    >
      <p className="panel-small">
        <Name of={first.reason ?? 'It was not taken yet.'} most={200} />
        {first.next_attempt_at !== undefined && (
          <>
            {' '}
            Next try {clockText(first.next_attempt_at)}, after {first.attempts}.
          </>
        )}
      </p>
      <Go to="/webhooks/out">See it and send it again</Go>
    </Panel>
  );
}

const toneOf = (outcome: string | null): string => outcomes[outcome ?? '']?.[1] ?? 'gray';

/** The newest calls, one stroke each, the oldest first. */
function Strip({ of: calls }: { readonly of: readonly Call[] }) {
  if (calls.length < 2) return undefined;
  const bad = calls.filter(({ outcome }) => toneOf(outcome) !== 'good').length;
  return (
    <DayStrip
      width={Math.min(192, calls.length * 8)}
      days={calls.toReversed().map(({ record_id: id, outcome }) => {
        const tone = toneOf(outcome);
        return { day: id, tone: tone === 'good' || tone === 'bad' || tone === 'warn' ? tone : 'none' };
      })}
      message={`The last ${calls.length} calls: ${calls.length - bad} answered, ${bad} not`}
    />
  );
}

const tookText = ({ arrived_at: from, ended_at: to }: Call): string => {
  if (to === null) return '–';
  const ms = Date.parse(to) - Date.parse(from);
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
};

/** The time of a call: of today to the second, else its day. */
function Arrived({ at }: { readonly at: string }) {
  const isToday = at.slice(0, 10) === new Date().toISOString().slice(0, 10);
  return isToday ? <time dateTime={at}>{at.slice(11, 19)}</time> : <Time at={at} ago />;
}

function Calls() {
  const nameOf = useSellerNames();
  const records = usePages('GET /v1/custody', 'records', {});
  const { rows } = records;
  return (
    <Panel
      title="Calls"
      about="the newest, every one with its record"
      acts={
        <>
          <Strip of={rows.slice(0, 42)} /> <Go to="/agents/calls">All calls</Go>
        </>
      }
      isFlush
    >
      {rows.length === 0 ? (
        <NoneYet query={records}>No call was passed on yet.</NoneYet>
      ) : (
        <ScrollTable label="Calls" className="stacks">
          <Table.Thead>
            <Table.Tr>
              {['Time', 'Task', 'Result', 'Took', 'Record'].map((title) => (
                <Table.Th key={title} className={title === 'Took' ? 'number' : ''}>
                  {title}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.slice(0, 6).map((record) => {
              const [words, tone] = outcomes[record.outcome ?? ''] ?? ['Under way', 'gray'];
              return (
                <Table.Tr key={record.record_id}>
                  <Table.Td>
                    <Arrived at={record.arrived_at} />
                  </Table.Td>
                  <Table.Td data-title="Task">
                    <Go to={`/calls/${record.record_id}`}>
                      <code>{clean(record.task ?? 'A call')}</code>
                    </Go>
                    <Quiet>
                      at <Name of={nameOf(record.seller)} most={40} />
                    </Quiet>
                  </Table.Td>
                  <Table.Td data-title="Result">
                    <StatusBadge of={codeText(record.code) ?? words} tone={tone} />
                  </Table.Td>
                  <Table.Td className="number" data-title="Took">
                    {tookText(record)}
                  </Table.Td>
                  <Table.Td data-title="Record">
                    {record.in_chain
                      ? 'in the chain'
                      : record.outcome === 'refused'
                        ? 'refused, kept'
                        : 'kept'}
                  </Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </ScrollTable>
      )}
    </Panel>
  );
}

/** Until when its last permission holds. */
function Until({ isShown }: { readonly isShown: boolean }) {
  const { rows } = usePages('GET /v1/delegations', 'delegations', { state: 'active' }, isShown);
  const last = rows
    .map(({ until }) => until)
    .toSorted()
    .at(-1);
  return last === undefined ? '' : ` until ${dayText(last)}`;
}

function Permissions() {
  const permissions = usePages('GET /v1/delegations', 'delegations', { state: 'active' });
  const { rows } = permissions;
  return (
    <Panel title="What it may do" acts={<Go to="/agents">Permissions</Go>}>
      {rows.length === 0 && <NoneYet query={permissions}>No permission holds now.</NoneYet>}
      {rows.slice(0, 5).map((row) => (
        <div key={row.delegation_id} className="permission">
          <b>
            <SellerName of={row.seller} size={18} />
          </b>{' '}
          until {dayText(row.until)}
          {row.budget !== null && (
            <>
              <div>
                {moneyText(row.committed ?? '0', null)} of {moneyText(row.budget, row.currency)}
              </div>
              <div
                className="thin-bar"
                role="img"
                aria-label={`${percentOf(row.committed ?? '0', row.budget)}% of the budget is committed`}
              >
                <i style={{ width: `${Math.min(100, percentOf(row.committed ?? '0', row.budget))}%` }} />
              </div>
            </>
          )}
          <div className="tasks">
            {row.tasks.map((task) => (
              <code key={task}>{clean(task)}</code>
            ))}
          </div>
        </div>
      ))}
    </Panel>
  );
}
