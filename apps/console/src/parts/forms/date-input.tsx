import { ActionIcon, TextInput } from '@mantine/core';
import { useRef } from 'react';

/** Whether a text is an existing day, as YYYY-MM-DD. */
export function isDay(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

/**
 * A day, typed as YYYY-MM-DD or chosen from the browser's calendar. A date field alone would use the reader's locale,
 * in which 03/04 is ambiguous.
 */
export function DateInput({
  label,
  value,
  onChange,
  description = 'As YYYY-MM-DD',
  required = false,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (day: string) => void;
  readonly description?: string;
  readonly required?: boolean;
}) {
  const calendar = useRef<HTMLInputElement>(null);
  return (
    <TextInput
      label={label}
      description={description}
      placeholder="YYYY-MM-DD"
      maxLength={10}
      required={required}
      value={value}
      error={value.length === 10 && !isDay(value) ? 'No such day: write 2026-09-30.' : undefined}
      onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
      rightSection={
        <>
          <ActionIcon
            variant="subtle"
            aria-label={`Choose a day: ${label}`}
            onClick={() => calendar.current?.showPicker()}
          >
            <svg
              aria-hidden="true"
              width="16"
              height="16"
              viewBox="0 0 16 16"
              fill="none"
              stroke="currentColor"
            >
              <path d="M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 1.5v3M10.5 1.5v3" />
            </svg>
          </ActionIcon>
          <input
            ref={calendar}
            type="date"
            className="calendar-anchor"
            aria-hidden="true"
            tabIndex={-1}
            value={isDay(value) ? value : ''}
            onChange={({ currentTarget }) => onChange(currentTarget.value)}
          />
        </>
      }
    />
  );
}
