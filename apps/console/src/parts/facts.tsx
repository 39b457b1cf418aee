import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

/** The known members of one object, by name. Absent ones are left out. */
export function Facts({
  label,
  of,
}: {
  readonly label: string;
  readonly of: Readonly<Record<string, ReactNode>>;
}) {
  const rows = Object.entries(of).filter(
    ([, value]) => value !== undefined && value !== null && value !== false && value !== '',
  );
  return (
    <Table className="facts" aria-label={label} maw={900} mb="md">
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" w={{ base: 110, sm: 180 }} style={{ verticalAlign: 'top' }}>
              {name}
            </Table.Th>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
