import { microsToDecimal, parseDecimal } from '@switchyard/money';
import type { Applied, InvoiceLife, LifeStep } from '@switchyard/store';
import { defined, err, ok, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { aloneMember, aloneOf, takeControl, type ControlDeps } from '../platform/routes/control.js';
import { reasonText } from '../platform/routes/fields.js';
import { routesOn } from '../platform/routes/route.js';
import { scopeOf } from '../platform/tasks/call/task-call.js';

interface LifeDeps extends ControlDeps {
  readonly invoiceLife: InvoiceLife;
}

const stepped = z.strictObject({ invoice_id: z.string() });

const credited = z.strictObject({
  credit_id: z.string(),
  invoice_id: z.string(),
  amount: z.string(),
  currency: z.string(),
});

const route = routesOn<LifeDeps>();

/** The life of a seller's document after its import. */
export const invoiceLifeRoutes = [
  route({
    method: 'post',
    path: '/v1/invoices/{id}/void',
    id: 'void_invoice',
    summary: 'Take an invoice back once another person approves it; its number is free again',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    body: z.strictObject({ reason: reasonText }),
    answer: z.strictObject({ invoice_id: z.string(), entry_id: z.string(), ...aloneMember }),
    mayWait: true,
    handle: async (deps, { caller, params: { id }, body: { reason } }) => {
      const taken = await takeControl(deps, caller, { kind: 'void_invoice', invoiceId: id, reason });
      if ('answer' in taken) return taken.answer;
      return ok({ invoice_id: id, entry_id: taken.done.entryId, ...aloneOf(taken) });
    },
  }),
  route({
    method: 'post',
    path: '/v1/invoices/{id}/write-off',
    id: 'write_off_invoice',
    summary:
      'Write off what is left of an invoice after a payment or a credit note, once another person approves it',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    body: z.strictObject({ reason: reasonText }),
    answer: z.strictObject({
      invoice_id: z.string(),
      payment_id: z.string().describe('Taken back with POST /v1/payments/{id}/void.'),
      entry_id: z.string(),
      amount: z.string(),
      currency: z.string(),
      ...aloneMember,
    }),
    mayWait: true,
    handle: async (deps, { caller, params: { id }, body: { reason } }) => {
      const taken = await takeControl(deps, caller, { kind: 'write_off_rest', invoiceId: id, reason });
      if ('answer' in taken) return taken.answer;
      const { paymentId, entryId, amountMicros, currency } = taken.done;
      const amount = microsToDecimal(amountMicros);
      const written = { invoice_id: id, payment_id: paymentId, entry_id: entryId, amount, currency };
      return ok({ ...written, ...aloneOf(taken) });
    },
  }),
  route({
    method: 'post',
    path: '/v1/invoices/{id}/hold',
    id: 'hold_invoice',
    summary: 'Hold an invoice: it is not paid until it is released',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    body: z.strictObject({ reason: reasonText }),
    answer: stepped,
    handle: async ({ invoiceLife, clock }, { caller, params: { id }, body: { reason } }) => {
      const held = { id, reason, by: caller.principalId };
      return answerOf(id, await invoiceLife.hold(scopeOf(caller), held, clock.now()), 'held or voided');
    },
  }),
  route({
    method: 'post',
    path: '/v1/invoices/{id}/release',
    id: 'release_invoice',
    summary: 'Release an invoice that is held',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    answer: stepped,
    handle: async ({ invoiceLife }, { caller, params: { id } }) => {
      const done = await invoiceLife.release(scopeOf(caller), { id, by: caller.principalId });
      return answerOf(id, done, 'not held');
    },
  }),
  route({
    method: 'post',
    path: '/v1/invoices/{id}/approve',
    id: 'approve_invoice',
    summary: 'Approve an invoice; another person than its importer does that',
    needs: 'ledger.approve',
    isOfOrganization: true,
    byPerson: true,
    answer: stepped,
    handle: async ({ invoiceLife, clock }, { caller, params: { id } }) => {
      const by = { id, by: caller.principalId };
      return answerOf(id, await invoiceLife.approve(scopeOf(caller), by, clock.now()), 'approved or voided');
    },
  }),
  route({
    method: 'post',
    path: '/v1/invoices/{id}/unapprove',
    id: 'unapprove_invoice',
    summary: 'Take the approval of an invoice back, while nothing of it is paid',
    needs: 'ledger.approve',
    isOfOrganization: true,
    byPerson: true,
    answer: stepped,
    handle: async ({ invoiceLife }, { caller, params: { id } }) => {
      const done = await invoiceLife.unapprove(scopeOf(caller), { id, by: caller.principalId });
      return answerOf(id, done, 'not approved, or paid in part');
    },
  }),
  route({
    method: 'post',
    path: '/v1/credits/{id}/apply',
    id: 'apply_credit',
    summary: 'Use a credit note for an invoice of the same seller',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    body: z.strictObject({
      invoice: z.uuid(),
      amount: z.string().max(40).exactOptional().describe('As much as both leave open unless set.'),
    }),
    answer: credited,
    handle: async ({ invoiceLife, clock }, { caller, params: { id }, body: { invoice, amount } }) => {
      const read = amount === undefined ? undefined : parseDecimal(amount);
      if (read !== undefined && !(read.ok && read.value > 0n))
        return err({
          code: 'INVALID_REQUEST',
          message: 'The amount must be a decimal number above zero.',
          field: 'amount',
        });
      const use = {
        creditId: id,
        invoiceId: invoice,
        by: caller.principalId,
        ...defined({ amountMicros: read?.ok === true ? read.value : undefined }),
      };
      return creditedOf({ id, invoice }, await invoiceLife.applyCredit(scopeOf(caller), use, clock.now()));
    },
  }),
  route({
    method: 'post',
    path: '/v1/credits/{id}/unapply',
    id: 'unapply_credit',
    summary: 'Take back what was used of a credit note for an invoice',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    body: z.strictObject({ invoice: z.uuid() }),
    answer: credited,
    handle: async ({ invoiceLife }, { caller, params: { id }, body: { invoice } }) => {
      const use = { creditId: id, invoiceId: invoice };
      const taken = await invoiceLife.unapplyCredit(scopeOf(caller), use);
      return taken.kind === 'nothing_left'
        ? err({
            code: 'CONFLICT',
            message: 'Nothing of this credit note is used for this invoice.',
            field: 'invoice',
          })
        : creditedOf({ id, invoice }, taken);
    },
  }),
];

function answerOf(id: string, done: LifeStep, state: string): Result<z.output<typeof stepped>, AdminFailure> {
  switch (done) {
    case 'done':
      return ok({ invoice_id: id });
    case 'not_found':
      return err({ code: 'NOT_FOUND', message: 'No invoice has this id.', field: 'id' });
    case 'state':
      return err({ code: 'CONFLICT', message: `This invoice is ${state}.`, field: 'id' });
    case 'same_person':
      return err({
        code: 'CONFLICT',
        message: 'You imported this invoice: another person approves it.',
        field: 'id',
      });
  }
}

function creditedOf(
  { id, invoice }: { readonly id: string; readonly invoice: string },
  applied: Applied,
): Result<z.output<typeof credited>, AdminFailure> {
  switch (applied.kind) {
    case 'applied': {
      const { amountMicros, currency } = applied;
      return ok({ credit_id: id, invoice_id: invoice, amount: microsToDecimal(amountMicros), currency });
    }
    case 'no_credit':
      return err({ code: 'NOT_FOUND', message: 'No credit note has this id.', field: 'id' });
    case 'no_invoice':
      return err({ code: 'NOT_FOUND', message: 'No invoice has this id.', field: 'invoice' });
    case 'different':
      return err({
        code: 'CONFLICT',
        message: 'The credit note and the invoice are of different sellers or in different currencies.',
        field: 'invoice',
      });
    case 'nothing_left':
      return err({
        code: 'CONFLICT',
        message: 'Nothing is left of the credit note, or nothing is open of the invoice.',
        field: 'invoice',
      });
    case 'too_much':
      return err({
        code: 'CONFLICT',
        message: 'The amount is more than is left of the credit note, or open of the invoice.',
        field: 'amount',
      });
  }
}
