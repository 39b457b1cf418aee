import { Group, Loader, Stack, Table, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { JsonObject } from '../../api/client.js';
import { isObject, objectsIn, task, textAt } from '../../api/task.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Explained } from '../../parts/explained.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { useFilters } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { Id } from '../../parts/id.js';
import { Name } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { Status } from '../../parts/status.js';
import { Time } from '../../parts/time.js';

const most = 100;

/** The state of a creative at each seller. */
const atSellers = (one: JsonObject): readonly JsonObject[] => {
  const ext = isObject(one['ext']) ? one['ext']['switchyard'] : undefined;
  return objectsIn(isObject(ext) ? ext['sellers'] : one['sellers']);
};

/** Creatives, and each seller's decision about each. */
export function CreativesPage() {
  const [filters, setFilters] = useFilters();
  const { creative_id: creativeId, media_buy_id: buyId } = filters;
  const wanted = {
    ...(creativeId ? { creative_ids: [creativeId] } : {}),
    ...(buyId ? { media_buy_ids: [buyId] } : {}),
  };
  const list = useQuery({
    queryKey: ['creatives', filters],
    queryFn: () =>
      task('list_creatives', {
        pagination: { limit: most },
        ...(Object.keys(wanted).length > 0 && { filters: wanted }),
      }),
  });
  const creatives = objectsIn(list.data?.['creatives']);
  const total = isObject(list.data?.['query_summary'])
    ? textAt(list.data['query_summary']['total_matching'])
    : '';
  return (
    <Stack>
      <PageHead title="Creatives">What each seller accepted, reviews or refused.</PageHead>
      <Group gap="xs" align="flex-end" role="search" aria-label="Filters of creatives">
        {(
          [
            ['creative_id', 'Creative id'],
            ['media_buy_id', 'Media buy id'],
          ] as const
        ).map(([name, label]) => (
          <TextInput
            key={`${name} ${filters[name] ?? ''}`}
            label={label}
            defaultValue={filters[name] ?? ''}
            onBlur={({ currentTarget }) => setFilters({ [name]: currentTarget.value.trim() })}
            onKeyDown={(event) => {
              if (event.key === 'Enter') setFilters({ [name]: event.currentTarget.value.trim() });
            }}
          />
        ))}
      </Group>
      {list.isPending && <Loader role="status" aria-label="Loading creatives" />}
      {list.isError && <ErrorPanel error={list.error} again={() => void list.refetch()} />}
      {list.isSuccess && creatives.length === 0 && (
        <EmptyState title="No creative is here">
          Creatives come with a buy, or by the task <code>sync_creatives</code> of your agent.{' '}
          <Go to="/creatives">Show all creatives</Go>
        </EmptyState>
      )}
      {creatives.length > 0 && (
        <div className="table-scroll" tabIndex={0} role="region" aria-label="Creatives">
          <Table>
            <Table.Thead>
              <Table.Tr>
                {['Creative', 'Format', 'Status', 'At each seller', 'Changed'].map((title) => (
                  <Table.Th key={title}>{title}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {creatives.map((one) => (
                <Table.Tr key={textAt(one['creative_id'])}>
                  <Table.Td>
                    {textAt(one['name']) !== textAt(one['creative_id']) && <Name of={textAt(one['name'])} />}
                    <div>
                      <Id of={textAt(one['creative_id'])} />
                    </div>
                  </Table.Td>
                  <Table.Td>
                    <Name of={isObject(one['format_id']) ? textAt(one['format_id']['id']) : ''} />
                  </Table.Td>
                  <Table.Td>
                    <Explained
                      kind="creative"
                      of={textAt(one['status'])}
                      since={textAt(one['updated_date'])}
                      cli={`npx switchyard search ${textAt(one['creative_id'])}`}
                    />
                  </Table.Td>
                  <Table.Td>
                    {atSellers(one).length === 0 && 'No seller has it yet'}
                    {atSellers(one).map((at) => (
                      <Group key={textAt(at['seller'])} gap={6}>
                        <Name of={textAt(at['seller'])} />
                        <Status
                          of={textAt(at['status'])}
                          explain={{
                            why: (
                              <Name
                                of={textAt(at['reason']) || `The seller says ${textAt(at['status'])}.`}
                                most={1_000}
                              />
                            ),
                            since: textAt(at['as_of']),
                            evidence: objectsIn(at['packages']).map((part) => (
                              <div key={textAt(part['package_id'])}>
                                <Name of={textAt(part['package_id'])} />: {textAt(part['approval_status'])}
                              </div>
                            )),
                            next:
                              textAt(at['status']) === 'rejected'
                                ? 'Change the creative and send it again.'
                                : 'Nothing, until the seller says something else.',
                            cli: `npx switchyard creatives list`,
                          }}
                        />
                      </Group>
                    ))}
                  </Table.Td>
                  <Table.Td>
                    <Time at={textAt(one['updated_date'])} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      {creatives.length > 0 && (
        <Text size="xs" c="dimmed" role="status">
          {creatives.length} of {total || creatives.length}. Narrow the list by an id to see others.
        </Text>
      )}
    </Stack>
  );
}
