import { Table } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import type { Answer } from '../../api/client.js';
import { Go } from '../../parts/go.js';
import { clean, Name } from '../../parts/name.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { useRows } from '../../parts/use-rows.js';

type Role = Answer<'GET /v1/roles'>['roles'][number];
type Permissions = Role['permissions'];

/** What somebody may do in one area, in a word; `yes` is a sign, and an empty text is nothing. */
type Word =
  | 'yes'
  | 'See'
  | 'Ask'
  | 'Ask, plan'
  | 'Add'
  | 'Prepare'
  | 'Close'
  | 'Set'
  | 'Connect'
  | 'Grant'
  | '';

const may = (held: Permissions, permission: string): boolean => {
  const [area = '', way = ''] = permission.split('.');
  return held[area]?.some((one) => one === way) === true;
};

/** The areas of the matrix, as people call them, each with its word for some permissions. */
const areas: readonly { readonly title: string; readonly word: (held: Permissions) => Word }[] = [
  {
    title: 'Market and plans',
    word: (held) => {
      if (!may(held, 'products.read')) return '';
      return may(held, 'media_buys.write') ? 'Ask, plan' : 'Ask';
    },
  },
  {
    title: 'Order, change buys',
    word: (held) => (may(held, 'media_buys.write') ? 'yes' : may(held, 'media_buys.read') ? 'See' : ''),
  },
  { title: 'Approve over limit', word: (held) => (may(held, 'media_buys.approve') ? 'yes' : '') },
  {
    title: 'Creatives',
    word: (held) => (may(held, 'creatives.write') ? 'Add' : may(held, 'creatives.read') ? 'See' : ''),
  },
  {
    title: 'Clients and campaigns',
    word: (held) => (may(held, 'clients.write') ? 'yes' : may(held, 'clients.read') ? 'See' : ''),
  },
  {
    title: 'Invoices',
    word: (held) => (may(held, 'ledger.write') ? 'yes' : may(held, 'ledger.read') ? 'See' : ''),
  },
  {
    title: 'Close a month',
    word: (held) =>
      may(held, 'ledger.approve')
        ? 'Close'
        : may(held, 'ledger.write')
          ? 'Prepare'
          : may(held, 'ledger.read')
            ? 'See'
            : '',
  },
  {
    title: 'Limits',
    word: (held) => (may(held, 'ledger.write') ? 'Set' : may(held, 'ledger.read') ? 'See' : ''),
  },
  {
    title: 'Sellers and keys',
    word: (held) => (may(held, 'sellers.write') ? 'Connect' : may(held, 'sellers.read') ? 'See' : ''),
  },
  {
    title: 'Brand agents',
    word: (held) => (may(held, 'delegations.write') ? 'Grant' : may(held, 'delegations.read') ? 'See' : ''),
  },
  {
    title: 'People and roles',
    word: (held) => (may(held, 'principals.write') ? 'yes' : may(held, 'principals.read') ? 'See' : ''),
  },
];

/** The words of permissions, by area. */
export const wordsOf = (held: Permissions): readonly Word[] => areas.map(({ word }) => word(held));

/** What each role may do, as words: a row for each area, a column for each role. */
export function RoleMatrix({
  shown = [],
}: {
  /** Roles that are marked, for example those of the person beside it. */
  readonly shown?: readonly string[];
}) {
  const { rows: roles } = useRows('GET /v1/roles', ({ roles: all }) => all);
  if (roles.length === 0) return undefined;
  return (
    <ScrollTable label="Areas and roles" className="matrix">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Area</Table.Th>
          {roles.map(({ role }) => (
            <Table.Th key={role} data-shown={shown.includes(role) || undefined}>
              <Go to="/people/roles" search={{ role }}>
                <Name of={titleOf(role)} most={30} />
              </Go>
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {areas.map(({ title, word }) => (
          <Table.Tr key={title}>
            <Table.Th scope="row">{title}</Table.Th>
            {roles.map(({ role, permissions }) => (
              <Table.Td key={role} data-shown={shown.includes(role) || undefined}>
                <WordCell word={word(permissions)} />
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </ScrollTable>
  );
}

/** `Trader`, of `trader`. */
export const titleOf = (role: string): string => {
  const words = clean(role, 40).replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

function WordCell({ word }: { readonly word: Word }) {
  if (word === '')
    return (
      <span className="quiet">
        <span aria-hidden="true">–</span>
        <span className="unseen">no</span>
      </span>
    );
  if (word === 'yes')
    return (
      <span className="matrix-yes">
        <IconCheck size={15} stroke={2.2} aria-hidden="true" />
        <span className="unseen">yes</span>
      </span>
    );
  return word === 'See' ? <span className="quiet">See</span> : <b>{word}</b>;
}
