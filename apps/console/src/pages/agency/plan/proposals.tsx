import { Button, Card, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import type { JsonObject } from '../../../api/client.js';
import { objectsIn, textAt } from '../../../api/task.js';
import { Name, clean } from '../../../parts/name.js';
import { SellerName } from '../../../parts/seller-name.js';
import { putLine } from './basket.js';
import { offersIn, sellerOf } from './offers.js';

/** Proposals of sellers for their own products; one click puts all products of a proposal into the basket. */
export function Proposals({ answer }: { readonly answer: JsonObject }) {
  const proposals = objectsIn(answer['proposals']);
  if (proposals.length === 0) return undefined;
  const offers = offersIn(answer);
  const take = (proposal: JsonObject): void => {
    for (const part of objectsIn(proposal['allocations'])) {
      const offer = offers.find(
        ({ productId, pricingOptionId }) =>
          productId === textAt(part['product_id']) &&
          (part['pricing_option_id'] === undefined || pricingOptionId === textAt(part['pricing_option_id'])),
      );
      if (offer) putLine(offer);
    }
  };
  return (
    <section aria-label="Proposals">
      <Title order={2} size="h4" mb="xs">
        Proposals of sellers
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }}>
        {proposals.map((proposal) => (
          <Card withBorder key={textAt(proposal['proposal_id'])}>
            <Stack gap="xs" h="100%" justify="space-between">
              <div>
                <Text fw={600}>
                  <Name of={textAt(proposal['name'])} />
                </Text>
                <Text size="sm" c="dimmed">
                  <SellerName of={sellerOf(proposal)} size={16} />
                </Text>
                <ul>
                  {objectsIn(proposal['allocations']).map((part) => (
                    <li key={textAt(part['product_id'])}>
                      <Text size="sm">
                        {textAt(part['allocation_percentage'])}%{' '}
                        <Name
                          of={
                            offers.find(({ productId }) => productId === textAt(part['product_id']))?.name ??
                            textAt(part['product_id'])
                          }
                        />
                      </Text>
                    </li>
                  ))}
                </ul>
              </div>
              <Button size="xs" variant="default" onClick={() => take(proposal)}>
                Add its products
                <span className="unseen"> ({clean(textAt(proposal['name']), 80)})</span>
              </Button>
            </Stack>
          </Card>
        ))}
      </SimpleGrid>
    </section>
  );
}
