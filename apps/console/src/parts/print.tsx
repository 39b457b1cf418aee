import { Button, Text } from '@mantine/core';
import { useMemo, useSyncExternalStore } from 'react';
import { useFilters } from './filters.js';
import { clean } from './name.js';
import { timeText } from './time.js';

const paper = window.matchMedia('print');
const listen = (listener: () => void): (() => void) => {
  paper.addEventListener('change', listener);
  return () => paper.removeEventListener('change', listener);
};

/** Whether the page is drawn for paper now. */
export const useIsPrinting = (): boolean => useSyncExternalStore(listen, () => paper.matches);

/** Prints what the page shows, without the menu, forms and buttons. */
export function PrintButton() {
  return (
    <Button size="xs" variant="default" onClick={() => window.print()}>
      Print
    </Button>
  );
}

/** The head of a printed page: the organization, the time, the person and the filters. Hidden on the screen. */
export function PrintHead({ organization, by }: { readonly organization: string; readonly by: string }) {
  const isPrinting = useIsPrinting();
  const at = useMemo(() => timeText(new Date().toISOString()), [isPrinting]);
  const [filters] = useFilters();
  const shown = Object.entries(filters).filter(([, value]) => value !== '');
  return (
    <Text size="sm" component="div" className="on-paper" aria-label="Printed" role="note">
      {clean(organization)}. Printed {at} UTC by {clean(by)}.
      {shown.length > 0 &&
        ` Filters: ${shown.map(([name, value]) => `${name} ${clean(value, 80)}`).join(', ')}.`}
    </Text>
  );
}
