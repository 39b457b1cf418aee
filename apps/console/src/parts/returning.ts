import { useDisclosure } from '@mantine/hooks';
import { useRef } from 'react';

/** How long after a close it is looked where the focus went, in milliseconds: by then a page that was left for has it. */
const lookMs = 20;

/**
 * A disclosure whose dialog gives the focus back to what opened it. A dialog that is mounted only when it is opened does not know
 * that by itself.
 */
export function useReturning() {
  const opener = useRef<Element | null>(null);
  return useDisclosure(false, {
    onOpen: () => {
      opener.current = document.activeElement;
    },
    onClose: () => {
      setTimeout(() => {
        const isLost = document.activeElement?.closest('[role="dialog"]') !== null;
        const isNowhere = document.activeElement === document.body;
        if ((isLost || isNowhere) && opener.current instanceof HTMLElement)
          opener.current.focus({ preventScroll: true });
      }, lookMs);
    },
  });
}
