import { defined, err, ok, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import type { TaskSpec } from '../task-spec.js';
import { amountAt, numberOf } from '../message/amount.js';
import { projectExtras, readExtras } from '../message/extras.js';
import { inputSchemaOf, extras, readShape } from '../message/shapes.js';
import { objectAt, objectsAt, textAt } from '../message/pick.js';
import type { RequestExtras } from '../message/request-extras.js';

/** Calendar days of the seller's zone, the last one included. */
interface DayRange {
  readonly start: string;
  readonly end: string;
}

export interface FinancialsRequest extends RequestExtras {
  readonly period?: DayRange;
}

/** An invoice as its seller lists it. */
interface ListedInvoice {
  readonly invoiceId: string;
  readonly period?: DayRange;
  /** Decimal text. */
  readonly amount: string;
  /** `draft`, `issued`, `paid`, `past_due`, `void`, or another status of the seller. */
  readonly status: string;
  readonly dueDate?: string;
  readonly paidDate?: string;
}

/** The financial state of one account at its seller. */
export interface AccountFinancials {
  readonly currency: string;
  /** The period of the spend: it may differ from the requested one. */
  readonly period: DayRange;
  /** IANA name of the time zone of these days. Absent where the seller names none: it is not known to be UTC. */
  readonly timezone?: string;
  /** Decimal text. */
  readonly totalSpend?: string;
  readonly invoices: readonly ListedInvoice[];
}

const day = z.iso.date();
const shape = z.looseObject({ ...extras, period: z.looseObject({ start: day, end: day }).optional() });

/** Reads an account's financials from a seller. Buyers cannot call it: our own accounts have no invoices. */
export const getAccountFinancials: TaskSpec<FinancialsRequest, AccountFinancials> = {
  name: 'get_account_financials',
  names: { ads: ['get_account_financials'], adcp: ['get_account_financials'] },
  access: 'credentials',
  kind: 'read',
  area: 'ledger',
  permission: 'read',
  serves: 'sales',
  deadlineMs: 10_000,
  mayBeAsync: false,
  inputSchema: inputSchemaOf(shape),

  readRequest(args) {
    const checked = readShape(shape, args);
    if (!checked.ok) return checked;
    const period = dayRange(objectAt(args, 'period'));
    return ok({ ...readExtras(args), ...(period !== undefined && { period }) });
  },

  projectRequest(request, to) {
    const { period } = request;
    const args = {
      ...projectExtras(request, to, 'read'),
      ...(period !== undefined && { period: { ...period } }),
    };
    return { args, findings: [] };
  },

  readAnswer(payload, _from, exact = new Map()) {
    const currency = textAt(payload, 'currency');
    const period = dayRange(objectAt(payload, 'period'));
    if (currency === undefined || !/^[A-Z]{3}$/.test(currency) || period === undefined)
      return err([
        { code: 'NOT_CONFORMANT', message: 'The answer names no currency or no period.', field: 'currency' },
      ]);
    const rows = objectsAt(payload, 'invoices');
    const invoices = rows.map((row, at) =>
      readInvoice(row, amountAt(row, 'amount', `/invoices/${at}`, exact)),
    );
    const totalSpend = amountAt(objectAt(payload, 'spend'), 'total_spend', '/spend', exact);
    return ok({
      answer: {
        currency,
        period,
        invoices: invoices.filter((invoice) => invoice !== undefined),
        ...defined({ timezone: textAt(payload, 'timezone'), totalSpend }),
      },
      setAside: invoices.flatMap((invoice, at) =>
        invoice === undefined
          ? [
              {
                code: 'INVOICE_SET_ASIDE',
                message: 'An invoice has no id, amount or status.',
                field: `invoices[${at}]`,
              },
            ]
          : [],
      ),
    });
  },

  projectAnswer({ currency, period, timezone, totalSpend, invoices }) {
    return defined({
      currency,
      period: { ...period },
      timezone,
      spend: totalSpend === undefined ? undefined : { total_spend: numberOf(totalSpend) },
      invoices: invoices.map(({ invoiceId, amount, status, period: of, dueDate, paidDate }) =>
        defined({
          invoice_id: invoiceId,
          period: of === undefined ? undefined : { ...of },
          amount: numberOf(amount),
          status,
          due_date: dueDate,
          paid_date: paidDate,
        }),
      ),
    });
  },
};

function dayRange(value: JsonObject | undefined): DayRange | undefined {
  const [start, end] = [textAt(value, 'start')?.slice(0, 10), textAt(value, 'end')?.slice(0, 10)];
  const isDay = (text: string | undefined): text is string => day.safeParse(text).success;
  return isDay(start) && isDay(end) ? { start, end } : undefined;
}

function readInvoice(row: JsonObject, amount: string | undefined): ListedInvoice | undefined {
  const [invoiceId, status] = [textAt(row, 'invoice_id'), textAt(row, 'status')];
  if (invoiceId === undefined || status === undefined || amount === undefined) return undefined;
  return {
    invoiceId,
    amount,
    status,
    ...defined({
      period: dayRange(objectAt(row, 'period')),
      dueDate: textAt(row, 'due_date'),
      paidDate: textAt(row, 'paid_date'),
    }),
  };
}
