import { Code, Table } from '@mantine/core';
import { may, type Me } from '../../api/session.js';
import { Go } from '../../parts/go.js';
import { percentOf, moneyText } from '../../parts/money.js';
import { clean } from '../../parts/name.js';
import { Panel } from '../../parts/panel.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { SellerName } from '../../parts/seller-name.js';
import { StatusBadge } from '../../parts/status.js';
import { dayText, Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { NeedsYou } from './home.js';

const outcomes: Readonly<Record<string, readonly [words: string, tone: string]>> = {
  answered: ['Answered', 'good'],
  refused: ['Refused', 'bad'],
  unreachable: ['Seller not reached', 'bad'],
  unknown: ['No answer known', 'warn'],
};

/** The start page of a brand or buyer: its calls, what it may do, and where to send them. */
export function AgentHome({ me }: { readonly me: Me }) {
  const mayRead = may(me, 'delegations.read');
  return (
    <div className="columns">
      <div className="column">{mayRead ? <Calls /> : <NeedsYou />}</div>
      <div className="column">
        {mayRead && <Permissions />}
        <Panel title="Connect" about="MCP">
          <Code block>{`${location.origin}/mcp\nAuthorization: Bearer sy_…`}</Code>
          <p className="panel-small">
            <a className="row-link" href="/docs">
              API reference
            </a>
          </p>
        </Panel>
      </div>
    </div>
  );
}

function Calls() {
  const { rows } = usePages('GET /v1/custody', 'records', {});
  return (
    <Panel title="Calls" about="each with its record" acts={<Go to="/agents/calls">All calls</Go>} isFlush>
      {rows.length === 0 ? (
        <p className="panel-note">No call was passed on yet.</p>
      ) : (
        <ScrollTable label="Calls" className="stacks">
          <Table.Thead>
            <Table.Tr>
              {['Task', 'Time', 'Result', 'Seller', 'Record'].map((title) => (
                <Table.Th key={title}>{title}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.slice(0, 10).map((record) => {
              const [words, tone] = outcomes[record.outcome ?? ''] ?? ['Under way', 'gray'];
              return (
                <Table.Tr key={record.record_id}>
                  <Table.Td>
                    <Go to={`/calls/${record.record_id}`}>{clean(record.task ?? 'A call')}</Go>
                  </Table.Td>
                  <Table.Td data-title="Time">
                    <Time at={record.arrived_at} ago />
                  </Table.Td>
                  <Table.Td data-title="Result">
                    <StatusBadge of={record.code ?? words} tone={tone} />
                  </Table.Td>
                  <Table.Td data-title="Seller">
                    <SellerName of={record.seller} />
                  </Table.Td>
                  <Table.Td data-title="Record">{record.in_chain ? 'in the chain' : 'kept'}</Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </ScrollTable>
      )}
    </Panel>
  );
}

function Permissions() {
  const { rows } = usePages('GET /v1/delegations', 'delegations', { state: 'active' });
  return (
    <Panel title="What it may do" acts={<Go to="/agents">Permissions</Go>}>
      {rows.length === 0 && <p className="panel-small">No permission holds now.</p>}
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
              <progress
                max={100}
                value={Math.min(100, percentOf(row.committed ?? '0', row.budget))}
                aria-label={`Part of the budget at ${clean(row.seller)} that is committed`}
              />
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
