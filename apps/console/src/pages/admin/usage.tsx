import { Loader, Table } from '@mantine/core';
import { ErrorPanel } from '../../parts/error-panel.js';
import { PageHead } from '../../parts/page-head.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { useAnswer } from '../../parts/use-rows.js';

const words = {
  calls_per_day: 'Calls today',
  calls_per_month: 'Calls this month',
  buys_per_day: 'Buys today',
  buys_per_month: 'Buys this month',
  relays_per_day: 'Relayed calls today',
  relays_per_month: 'Relayed calls this month',
  import_bytes_per_day: 'Bytes of imported files today',
  import_bytes_per_month: 'Bytes of imported files this month',
  sellers: 'Sellers',
  file_bytes: 'Bytes of files',
} as const;

/** What the organization has used, and what it may. */
export function UsagePage() {
  const found = useAnswer('GET /v1/quotas/{id}', { params: { id: 'own' } });
  return (
    <>
      <PageHead title="Usage">
        What the organization has used, and the quotas that the operator has set.
      </PageHead>
      {found.isPending && <Loader role="status" aria-label="Loading the usage" />}
      {found.isError && <ErrorPanel error={found.error} again={() => void found.refetch()} />}
      {found.isSuccess && (
        <ScrollTable label="Usage">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>What</Table.Th>
              <Table.Th>Used</Table.Th>
              <Table.Th>Most</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {found.data.quotas.map(({ kind, most, used }) => (
              <Table.Tr key={kind}>
                <Table.Td>{words[kind]}</Table.Td>
                <Table.Td>{used.toLocaleString('en')}</Table.Td>
                <Table.Td>{most === undefined ? 'no limit' : most.toLocaleString('en')}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </ScrollTable>
      )}
    </>
  );
}
