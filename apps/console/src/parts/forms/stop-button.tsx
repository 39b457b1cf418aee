import type { ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { api } from '../../api/client.js';
import { ConfirmButton } from './confirm-button.js';
import { useAnswer, useMay } from '../use-rows.js';

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
}: ButtonProps & {
  readonly target: string;
  readonly name: string;
  /** What the stop affects. */
  readonly children: ReactNode;
}) {
  const stop = async (reason: string): Promise<string | undefined> => {
    const { note } = await api('POST /v1/stops', { body: { target, ...(reason !== '' && { reason }) } });
    return note === undefined ? undefined : `${name} is stopped. ${note}`;
  };
  return useStops()(target)?.target === target ? (
    <ConfirmButton
      label="End the emergency stop"
      done="The stop has ended; what was due goes out."
      act={() => api('DELETE /v1/stops/{target}', { params: { target } })}
      {...button}
    >
      What was due goes out at once.
    </ConfirmButton>
  ) : (
    <ConfirmButton
      label="Emergency stop"
      color="bad"
      variant="outline"
      reason="optional"
      done={`${name} is stopped.`}
      act={stop}
      {...button}
    >
      {children}
    </ConfirmButton>
  );
}
