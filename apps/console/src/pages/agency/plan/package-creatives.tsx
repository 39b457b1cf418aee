import { Button, NativeSelect, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { JsonObject } from '../../../api/client.js';
import { isObject, objectsIn, task, textAt } from '../../../api/task.js';
import { clean } from '../../../parts/name.js';
import { useMay } from '../../../parts/use-rows.js';
import { putLine, type Line } from './basket.js';

/** Creatives of the library, the newest hundred of those whose name has a text; undefined if they may not be read. */
export function useLibrary(name: string) {
  const isAllowed = useMay()('creatives.read');
  const library = useQuery({
    queryKey: ['creatives', 'to choose', name],
    queryFn: () =>
      task('list_creatives', {
        pagination: { limit: 100 },
        ...(name !== '' && { filters: { name_contains: name } }),
      }),
    enabled: isAllowed,
    placeholderData: (last) => last,
  });
  if (!library.isSuccess) return undefined;
  const { creatives, pagination } = library.data;
  return {
    creatives: objectsIn(creatives).filter(({ status }) => status !== 'rejected' && status !== 'archived'),
    hasMore: isObject(pagination) && pagination['has_more'] === true,
  };
}

/** The id of the format of a creative; empty where it names none. */
export const formatOf = ({ format_id: format }: JsonObject): string =>
  isObject(format) ? textAt(format['id']) : '';

/** The creatives that a package starts with: a choice from the library, those in a format of the product first. */
export function PackageCreatives({
  line,
  creatives,
}: {
  readonly line: Line;
  readonly creatives: readonly JsonObject[];
}) {
  const chosen = line.creativeIds ?? [];
  const put = (creativeIds: readonly string[]): void => putLine({ ...line, creativeIds });
  const options = creatives
    .filter((creative) => !chosen.includes(textAt(creative['creative_id'])))
    .map((creative) => {
      const fits = line.formats.length === 0 || line.formats.includes(formatOf(creative));
      const format = `${formatOf(creative) || 'no format'}${fits ? '' : ', not of the product'}`;
      const id = textAt(creative['creative_id']);
      return { fits, value: id, label: clean(`${textAt(creative['name']) || id} (${format})`, 80) };
    })
    .toSorted((a, b) => Number(b.fits) - Number(a.fits));
  return (
    <Stack gap={4} w={112}>
      {chosen.map((id) => (
        <Button
          key={id}
          size="compact-xs"
          variant="default"
          title="Remove"
          aria-label={`Remove the creative ${clean(id, 60)} from ${line.name}`}
          onClick={() => put(chosen.filter((text) => text !== id))}
        >
          {clean(id, 24)} ×
        </Button>
      ))}
      <NativeSelect
        aria-label={`Add a creative to ${line.name}`}
        size="xs"
        value=""
        disabled={options.length === 0}
        onChange={({ currentTarget }) => put([...chosen, currentTarget.value])}
        data={[
          { value: '', label: options.length === 0 ? 'None there' : 'Add one' },
          ...options.map(({ value, label }) => ({ value, label })),
        ]}
      />
    </Stack>
  );
}
