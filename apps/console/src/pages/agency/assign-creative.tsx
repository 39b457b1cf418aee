import { Group, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { newId } from '../../api/new-id.js';
import { isObject, objectsIn, task, textAt } from '../../api/task.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { clean } from '../../parts/name.js';
import { useMay } from '../../parts/use-rows.js';
import type { Buy } from './buy-actions.js';
import { ownDaysOf } from './buy-status.js';
import { bindText } from '../../parts/forms/bind-text.js';

/** Assigns a creative of the library to a package that has none, or whose creative was refused. */
export function AssignCreative({ buy }: { readonly buy: Buy }) {
  const may = useMay();
  const isShown = buy.status === 'pending_creatives' && may('media_buys.write') && may('creatives.read');
  const [packageId, setPackage] = useState('');
  const [creativeId, setCreative] = useState('');
  const library = useQuery({
    queryKey: ['creatives', 'to assign'],
    queryFn: () => task('list_creatives', { pagination: { limit: 100 } }),
    enabled: isShown,
  });
  if (!isShown || !library.isSuccess) return undefined;
  const creatives = objectsIn(library.data['creatives']).filter(
    ({ status }) => status !== 'rejected' && status !== 'archived',
  );
  const assigned = new Set(
    creatives.flatMap(({ assignments }) =>
      objectsIn(isObject(assignments) ? assignments['assigned_packages'] : undefined).map((part) =>
        textAt(part['package_id']),
      ),
    ),
  );
  const packages = buy.packages.filter(
    (part) => part.canceled !== true && part.package_id !== '' && !assigned.has(part.package_id),
  );
  const assign = async (): Promise<void> => {
    await task('update_media_buy', {
      adcp_version: '3.1',
      idempotency_key: newId(),
      media_buy_id: buy.media_buy_id,
      packages: [{ package_id: packageId, creative_assignments: [{ creative_id: creativeId }] }],
    });
    setPackage('');
  };
  return (
    <ActForm
      title="Assign a creative"
      label="Assign"
      done="The seller has the creative. Its decision is shown under Creatives."
      isReady={packageId !== '' && creativeId !== ''}
      act={assign}
    >
      <Group align="flex-start" grow preventGrowOverflow={false}>
        <NativeSelect
          label="To the package"
          description="Those that have none yet, or a refused one"
          {...bindText(packageId, setPackage)}
          data={[
            { value: '', label: 'Choose' },
            ...packages.map((part) => ({
              value: part.package_id,
              label: clean(
                [`${part.product_id} at ${part.seller}`, ownDaysOf(part, buy)].filter(Boolean).join(', '),
                100,
              ),
            })),
          ]}
        />
        <NativeSelect
          label="Creative"
          description="The newest hundred of the library. A new one comes by sync_creatives of your agent."
          {...bindText(creativeId, setCreative)}
          data={[
            { value: '', label: creatives.length === 0 ? 'The library is empty' : 'Choose' },
            ...creatives.map((creative) => ({
              value: textAt(creative['creative_id']),
              label: clean(
                `${textAt(creative['name']) || textAt(creative['creative_id'])}, ${isObject(creative['format_id']) ? textAt(creative['format_id']['id']) : 'no format'}`,
                80,
              ),
            })),
          ]}
        />
      </Group>
    </ActForm>
  );
}
