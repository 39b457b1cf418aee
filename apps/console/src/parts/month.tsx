import { TextInput } from '@mantine/core';

/** The month of an instant, or `before` months earlier, as YYYY-MM; in UTC. */
export function monthOf(now = new Date(), before = 0): string {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - before, 1)).toISOString().slice(0, 7);
}

/** The month so many months after another. */
export function monthAfter(month: string, after: number): string {
  return monthOf(new Date(`${month}-01T00:00:00Z`), -after);
}

export const isMonth = (text: string): boolean => /^\d{4}-(0[1-9]|1[0-2])$/.test(text);

/** A month, typed as YYYY-MM. */
export function MonthInput({
  value,
  onChange,
  label = 'Month',
}: {
  readonly value: string;
  readonly onChange: (month: string) => void;
  readonly label?: string;
}) {
  return (
    <TextInput
      label={label}
      description="As YYYY-MM"
      value={value}
      maxLength={7}
      required
      error={value !== '' && !isMonth(value) ? 'A month is a year and a month, as 2026-09.' : undefined}
      onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
    />
  );
}
