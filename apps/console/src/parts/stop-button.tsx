import type { ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { api } from '../api/client.js';
import { ConfirmButton } from './confirm-button.js';
import { useAnswer, useMay, useRefresh } from './use-rows.js';

/** The emergency stop of a target, or of everything; not requested if the reader may not see stops. */
export function useStops() {
  const stops = useAnswer('GET /v1/stops', { query: { limit: '100' } }, useMay()('sellers.read'));
  return (of: string) => stops.data?.stops.find(({ target }) => target === of || target === 'all');
}

/** Stops a target at once, or ends its stop. */
export function StopButton({
  target,
  name,
  children,
  ...button
}: Pick<ButtonProps, 'size'> & {
  readonly target: string;
  readonly name: string;
  /** What the stop affects. */
  readonly children: ReactNode;
}) {
  const refresh = useRefresh();
  const then = async (act: Promise<unknown>): Promise<void> => {
    await act;
    await refresh();
  };
  return useStops()(target)?.target === target ? (
    <ConfirmButton
      {...button}
      label="End the emergency stop"
      done="The stop has ended; what was due goes out."
      act={() => then(api('DELETE /v1/stops/{target}', { params: { target } }))}
    >
      What was due goes out at once.
    </ConfirmButton>
  ) : (
    <ConfirmButton
      {...button}
      label="Emergency stop"
      color="bad"
      variant="outline"
      reason="optional"
      done={`${name} is stopped.`}
      act={(reason) => then(api('POST /v1/stops', { body: { target, ...(reason !== '' && { reason }) } }))}
    >
      {children}
    </ConfirmButton>
  );
}
