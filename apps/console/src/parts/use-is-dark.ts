import { useComputedColorScheme } from '@mantine/core';
import { useIsPrinting } from './print.js';

/** Whether a chart is drawn on a dark ground. Paper is light in both themes. */
export function useIsDark(): boolean {
  const isPrinting = useIsPrinting();
  return useComputedColorScheme('light') === 'dark' && !isPrinting;
}
