import type { ReactNode } from 'react';
import { api } from '../../api/client.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { useMay } from '../../parts/use-rows.js';

/** Takes a payment back in the books: one to a seller, or one of a client. */
export function TakePaymentBack({
  route,
  id,
  label = 'Take back',
  children,
}: {
  readonly route: 'POST /v1/payments/{id}/void' | 'POST /v1/billing/payments/{id}/void';
  readonly id: string;
  readonly label?: string;
  /** What happened, and what is open again. */
  readonly children: ReactNode;
}) {
  if (!useMay()('ledger.write')) return undefined;
  return (
    <ConfirmButton
      label={label}
      size="compact-xs"
      variant="default"
      reason="required"
      done="The payment is taken back in the books."
      act={(reason) => api(route, { params: { id }, body: { reason } })}
    >
      {children}
    </ConfirmButton>
  );
}
