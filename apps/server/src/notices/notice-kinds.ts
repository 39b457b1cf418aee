import { decidesControl, type ControlKind } from '@switchyard/buys';
import type { Notice, NoticeMode } from '@switchyard/store';
import type { JsonObject } from '@switchyard/values';
import { areaOfTask } from '../platform/routes/list-filters.js';
import type { Permission } from '../platform/routes/route.js';

export type Severity = 'info' | 'warning' | 'critical';

/** A kind of notice. The triggers of `give_notice` in the migrations write them. */
export interface NoticeKind {
  /** What it says, for the page of settings. */
  readonly describe: string;
  readonly severity: Severity;
  /** Whether it is mailed at once, with the daily mail or not at all, unless the person has set it. */
  readonly mail: NoticeMode;
  /** Who may be told, by the facts of the notice; nobody else than an addressee if undefined. */
  readonly needs: Permission | ((data: JsonObject) => Permission | undefined) | 'its_addressee';
}

export const noticeKinds = {
  'approval.requested': {
    describe: 'Something waits for your approval',
    severity: 'warning',
    mail: 'now',
    needs: approver,
  },
  'approval.decided': {
    describe: 'What you requested was approved, denied, or has expired',
    severity: 'info',
    mail: 'now',
    needs: 'its_addressee',
  },
  'alarm.raised': {
    describe: 'An alarm that a person has to look at',
    severity: 'critical',
    mail: 'now',
    needs: 'sellers.read',
  },
  'buy.failed': {
    describe: 'A buy, or a change of one, failed or was refused',
    severity: 'warning',
    mail: 'daily',
    needs: 'media_buys.read',
  },
  'seller.failing': {
    describe: 'A seller does not answer',
    severity: 'critical',
    mail: 'daily',
    needs: 'sellers.read',
  },
  'seller.recovered': {
    describe: 'A seller answers again',
    severity: 'info',
    mail: 'off',
    needs: 'sellers.read',
  },
  'credential.refused': {
    describe: 'A seller refuses our credential',
    severity: 'critical',
    mail: 'now',
    needs: 'sellers.read',
  },
  'credential.expiring': {
    describe: 'A credential for a seller ends within 30 days, 7 days or a day',
    severity: 'warning',
    mail: 'now',
    needs: 'sellers.read',
  },
  'limit.reached': {
    describe: 'A spending limit is used up',
    severity: 'warning',
    mail: 'now',
    needs: 'ledger.read',
  },
  'quota.near': {
    describe: 'Four fifths of a quota of the organization are used',
    severity: 'warning',
    mail: 'now',
    needs: 'principals.read',
  },
  'organization.closed': {
    describe: 'The organization was closed, and is removed later',
    severity: 'critical',
    mail: 'now',
    needs: 'principals.read',
  },
  'organization.kept': {
    describe: 'The closed organization was opened again',
    severity: 'warning',
    mail: 'now',
    needs: 'principals.read',
  },
  'webhook.quarantined': {
    describe: 'A message of a seller waits for a person',
    severity: 'warning',
    mail: 'daily',
    needs: 'reports.read',
  },
  'webhook.undelivered': {
    describe: 'A webhook to a buyer was not taken',
    severity: 'warning',
    mail: 'daily',
    needs: 'reports.read',
  },
  'invoice.held': {
    describe: 'An amount of an invoice is held back',
    severity: 'warning',
    mail: 'daily',
    needs: 'ledger.read',
  },
  'break.opened': {
    describe: 'A reconciliation found differences',
    severity: 'warning',
    mail: 'daily',
    needs: 'ledger.read',
  },
  'month.due': {
    describe: 'A month has ended and is not closed',
    severity: 'info',
    mail: 'daily',
    needs: 'ledger.approve',
  },
  'period.closed': { describe: 'A month was closed', severity: 'info', mail: 'daily', needs: 'ledger.read' },
  'period.reopened': {
    describe: 'A closed month was opened again',
    severity: 'warning',
    mail: 'daily',
    needs: 'ledger.read',
  },
  'endpoint.off': {
    describe: 'An endpoint was turned off, because nothing reached it for five days',
    severity: 'critical',
    mail: 'now',
    needs: 'principals.read',
  },
  'job.ended': {
    describe: 'A job that you started has ended',
    severity: 'info',
    mail: 'off',
    needs: 'its_addressee',
  },
} as const satisfies Readonly<Record<string, NoticeKind>>;

export type NoticeKindName = keyof typeof noticeKinds;

export const kindNames = Object.keys(noticeKinds) as [NoticeKindName, ...NoticeKindName[]];

/** Undefined for a kind of a later version of the program. */
export const kindOf = (name: string): NoticeKind | undefined =>
  Object.hasOwn(noticeKinds, name) ? noticeKinds[name as NoticeKindName] : undefined;

/** The permission that shows a notice; undefined if it is its addressee's alone. */
export function needsOf({ kind, data, addresseeId }: Notice): Permission | undefined {
  const needs = addresseeId === undefined ? kindOf(kind)?.needs : undefined;
  if (needs === 'its_addressee') return undefined;
  return typeof needs === 'function' ? needs(data) : needs;
}

/** The permission to decide what waits: that of the control, of the seller's question, or of a buy over a limit. */
function approver({ control, task, seller }: JsonObject): Permission | undefined {
  if (typeof control === 'string') {
    if (!Object.hasOwn(decidesControl, control)) return undefined;
    const { area, kind } = decidesControl[control as ControlKind];
    return `${area}.${kind}` as Permission;
  }
  if (typeof seller === 'string' && typeof task === 'string')
    return `${areaOfTask(task)}.approve` as Permission;
  return 'media_buys.approve';
}
