import { NativeSelect, TextInput } from '@mantine/core';
import { clean } from '../name.js';
import { useAnswer, useMay } from '../use-rows.js';

/** One seller: chosen from the list, or typed by a reader who may not see the list. */
export function SellerSelect({
  label = 'Seller',
  none,
  description,
  value,
  onChange,
}: {
  readonly label?: string;
  /** The label of no seller, for a filter. */
  readonly none?: string;
  readonly description?: string;
  readonly value: string;
  readonly onChange: (slug: string) => void;
}) {
  const maySee = useMay()('sellers.read');
  const { data } = useAnswer('GET /v1/sellers', { query: { limit: '500' } }, maySee);
  if (!maySee)
    return (
      <TextInput
        label={label}
        {...(none === undefined && {
          description: 'Its short name here, as in the ids of its products. An administrator knows it.',
          required: true,
        })}
        maxLength={63}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
      />
    );
  return (
    <NativeSelect
      label={label}
      {...(description !== undefined && { description })}
      data={[
        { value: '', label: none ?? 'Choose' },
        ...(data?.sellers ?? []).map(({ slug, name }) => ({ value: slug, label: clean(name || slug, 60) })),
      ]}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
