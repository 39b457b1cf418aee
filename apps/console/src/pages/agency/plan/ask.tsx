import { Button, Card, Group, NativeSelect, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import type { SubmitEvent } from 'react';
import type { JsonObject } from '../../../api/client.js';
import { EmptyState } from '../../../parts/empty-state.js';
import { ErrorPanel } from '../../../parts/error-panel.js';
import { Go } from '../../../parts/go.js';
import { clean } from '../../../parts/name.js';
import { PageHead } from '../../../parts/page-head.js';
import { startRun } from '../../../parts/run.js';
import { SellerRows } from '../../../parts/seller-rows.js';
import { useKept, useKeptRun } from '../../../parts/use-kept.js';
import { useAnswer, useMay } from '../../../parts/use-rows.js';
import { changeBasket, isDomain, useBasket } from './basket.js';
import { Compare } from './compare.js';
import { NoSeller } from './no-seller.js';
import { Proposals } from './proposals.js';

interface Typed {
  readonly brief: string;
  readonly client: string;
  /** Absent until another one than the basket's is typed. */
  readonly brand?: string;
}

/** Sends a brief to all sellers; each has a row as it answers, with or without products. */
export function AskPage() {
  const run = useKeptRun('ask');
  const basket = useBasket();
  const [typed, keepTyped] = useKept<Typed>('brief', { brief: '', client: '' });
  const { brief, client, brand = basket.brand } = typed;
  const brands = useAnswer('GET /v1/brands', { query: { limit: '100' } }, useMay()('clients.read'));
  const ask = (event: SubmitEvent): void => {
    event.preventDefault();
    const domain = brand.trim().toLowerCase();
    changeBasket({ brand: domain });
    keepTyped({ brief, client });
    // Without a version the answer may come in the service's own form, whose prices have other members.
    const request: JsonObject = {
      adcp_version: '3.1',
      brief: brief.trim(),
      ...(domain !== '' && { brand: { domain } }),
    };
    void startRun('ask', 'get_products', request);
  };
  const isNoBrand = brand.trim() !== '' && !isDomain(brand);
  const all = brands.data?.brands ?? [];
  const clients = [...new Set(all.map((brandRow) => brandRow.client))].sort();
  const known = all.filter((brandRow) => client === '' || brandRow.client === client);
  const choose = (name: string): void => {
    const own = all.filter((brandRow) => brandRow.client === name);
    // The brand of another client must not stay.
    const isOther = name !== '' && !own.some(({ domain }) => domain === brand);
    const only = own.length === 1 ? (own[0]?.domain ?? '') : '';
    keepTyped({ ...typed, client: name, ...(isOther && { brand: only }) });
  };
  const rows = run?.rows ?? [];
  return (
    <Stack>
      <PageHead
        title="Ask the market"
        actions={<Go to="/plans">{`Plan: ${basket.lines.length} in the basket`}</Go>}
      >
        One brief goes to every seller that you are connected with.
      </PageHead>
      <Card withBorder>
        <form onSubmit={ask}>
          <Stack gap="sm">
            <Textarea
              label="Brief"
              description="What you want to reach, in plain words."
              autosize
              minRows={2}
              required
              maxLength={4_000}
              value={brief}
              onChange={({ currentTarget }) => keepTyped({ ...typed, brief: currentTarget.value })}
            />
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              {clients.length > 0 && (
                <NativeSelect
                  label="Client"
                  description="Narrows the brands to those of one client."
                  data={[
                    { value: '', label: 'Any' },
                    ...clients.map((name) => ({ value: name, label: clean(name, 60) })),
                  ]}
                  value={client}
                  onChange={({ currentTarget }) => choose(currentTarget.value)}
                />
              )}
              <TextInput
                label="Brand"
                description="Its domain. Sellers see it, and limits hold for it."
                placeholder="acme.example"
                list="known-brands"
                value={brand}
                onChange={({ currentTarget }) => keepTyped({ ...typed, brand: currentTarget.value })}
                error={isNoBrand && 'Write it as a domain, such as acme.example.'}
              />
            </SimpleGrid>
            <datalist id="known-brands">
              {known.map(({ brand_id: id, domain, client }) => (
                <option key={id} value={domain}>{`${domain}, ${client}`}</option>
              ))}
            </datalist>
            <Group>
              <Button
                type="submit"
                loading={run?.isBusy === true}
                disabled={brief.trim() === '' || isNoBrand}
              >
                {run?.answer === undefined ? 'Ask the sellers' : 'Refine and ask again'}
              </Button>
            </Group>
          </Stack>
        </form>
      </Card>
      {run === undefined && (
        <EmptyState title="Nothing was asked yet">
          Write a brief, for example “video for a bike shop in spring”, and choose Ask the sellers.
        </EmptyState>
      )}
      {run?.error !== undefined && <ErrorPanel error={run.error} />}
      {run !== undefined && run.error === undefined && (
        <SellerRows rows={rows} total={run.total} isBusy={run.isBusy} />
      )}
      {run?.answer !== undefined && (
        <>
          {rows.length === 0 ? <NoSeller /> : <Compare answer={run.answer} />}
          <Proposals answer={run.answer} />
        </>
      )}
    </Stack>
  );
}
