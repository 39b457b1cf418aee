import { defined, storedDomain, type JsonObject } from '@switchyard/values';
import { dialects } from '../versions/dialect.js';
import type { AccountRef } from '../entities/account/account-ref.js';
import type { Brand } from '../entities/brand/brand.js';
import type { PushConfig, ReportingWebhook, RequestExtras } from './request-extras.js';
import type { Form, WireProfile } from '../versions/wire-profile.js';
import { extName, is3x } from './form.js';
import { booleanAt, objectAt, textAt, textsAt } from './pick.js';

/**
 * Reads the common members of requests from validated arguments. A buyer whose form has no accounts may name its
 * account in `ext.switchyard`.
 */
export function readExtras(args: JsonObject): RequestExtras {
  const named = objectAt(args, 'account') ?? objectAt(objectAt(objectAt(args, 'ext'), extName), 'account');
  return defined({
    account: readAccountRef(named),
    idempotencyKey: textAt(args, 'idempotency_key'),
    context: objectAt(args, 'context'),
    contextId: textAt(args, 'context_id'),
    governanceContext: textAt(args, 'governance_context'),
    push: readPush(objectAt(args, 'push_notification_config')),
    ext: objectAt(args, 'ext'),
  });
}

/**
 * Version fields, account and keys as this peer expects them. 2.5 has no keys. The older forms have no accounts: only
 * the id of our own account at the seller is sent, where an admin has set one.
 */
export function projectExtras(
  request: RequestExtras,
  to: WireProfile,
  kind: 'read' | 'mutation',
): JsonObject {
  const modern = is3x(to.form);
  return defined({
    ...versionFields(to),
    account:
      request.account !== undefined && (modern || 'accountId' in request.account)
        ? projectAccountRef(request.account)
        : undefined,
    idempotency_key: kind === 'mutation' && to.form !== '2.5' ? request.idempotencyKey : undefined,
    context: copyOf(request.context),
    context_id: modern ? request.contextId : undefined,
    governance_context: modern ? request.governanceContext : undefined,
    push_notification_config: request.push === undefined ? undefined : projectPush(request.push, to),
    ext: extFor(request.ext),
  });
}

/** 3.1 has its release as text; 3.0 has the major version only; older forms have neither. */
export function versionFields(to: WireProfile): JsonObject {
  const names = dialects[to.dialect];
  if (to.form === '3.1') return { [names.versionField]: '3.1', [names.majorVersionField]: 3 };
  return to.form === '3.0' ? { [names.majorVersionField]: 3 } : {};
}

/** Reads a reference to an account; `undefined` without an id or a complete pair. */
export function readAccountRef(value: JsonObject | undefined): AccountRef | undefined {
  const accountId = textAt(value, 'account_id');
  if (accountId !== undefined) return { accountId };
  const operator = textAt(value, 'operator');
  const brand = objectAt(value, 'brand');
  if (operator === undefined || brand === undefined) return undefined;
  const pair: Brand = defined({ domain: textAt(brand, 'domain'), brandId: textAt(brand, 'brand_id') });
  return { brand: pair, operator, ...defined({ sandbox: booleanAt(value, 'sandbox') }) };
}

/** A reference to an account as 3.x writes it: with its domains in small letters. */
export function projectAccountRef(account: AccountRef): JsonObject {
  if ('accountId' in account) return { account_id: account.accountId };
  const { brand, operator, sandbox } = account;
  return defined({
    brand: defined({
      domain: brand.domain === undefined ? undefined : storedDomain(brand.domain),
      brand_id: brand.brandId,
    }),
    operator: storedDomain(operator),
    sandbox,
  });
}

export function readPush(value: JsonObject | undefined): PushConfig | undefined {
  const url = textAt(value, 'url');
  if (url === undefined) return undefined;
  const authentication = objectAt(value, 'authentication');
  const credentials = textAt(authentication, 'credentials');
  return {
    url,
    ...defined({
      operationId: textAt(value, 'operation_id'),
      token: textAt(value, 'token'),
      authentication:
        credentials === undefined ? undefined : { schemes: textsAt(authentication, 'schemes'), credentials },
    }),
  };
}

export function projectPush(push: PushConfig, _to: WireProfile): JsonObject {
  return defined({
    url: push.url,
    operation_id: push.operationId,
    token: push.token,
    authentication:
      push.authentication === undefined
        ? undefined
        : { schemes: [...push.authentication.schemes], credentials: push.authentication.credentials },
  });
}

export function readReportingWebhook(value: JsonObject | undefined): ReportingWebhook | undefined {
  const push = readPush(value);
  if (push === undefined) return undefined;
  const metrics = textsAt(value, 'requested_metrics');
  return {
    ...push,
    ...defined({
      frequency: textAt(value, 'reporting_frequency') ?? textAt(value, 'frequency'),
      requestedMetrics: metrics.length === 0 ? undefined : metrics,
    }),
  };
}

export function projectReportingWebhook(webhook: ReportingWebhook, to: WireProfile): JsonObject {
  return defined({
    ...projectPush(webhook, to),
    reporting_frequency: webhook.frequency ?? 'daily',
    requested_metrics: webhook.requestedMetrics === undefined ? undefined : [...webhook.requestedMetrics],
  });
}

/** Whether the form's schemas require a shared secret to register reports, even where the seller signs. */
export function wantsReportSecret(form: Form): boolean {
  return is3x(form);
}

/** Our own extension in a request is not sent to sellers. */
function extFor(ext: JsonObject | undefined): JsonObject | undefined {
  if (ext?.[extName] === undefined) return copyOf(ext);
  const { [extName]: _ours, ...others } = structuredClone(ext);
  return Object.keys(others).length === 0 ? undefined : others;
}

function copyOf(value: JsonObject | undefined): JsonObject | undefined {
  return value === undefined ? undefined : structuredClone(value);
}
