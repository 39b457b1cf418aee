import { createHash } from 'node:crypto';
import { canonicalJson, isJsonObject, type JsonObject } from '@switchyard/values';
import type { HandledCall } from '../platform/tasks/call/handler.js';

/**
 * SHA-256 (hex) of a read of the market, in the version of its request: of every member that decides the contents of
 * its answer. Members for paging, waiting, webhooks and reading on are left out. A different read with the cursor or
 * operation of another would get the wrong answer.
 */
export function questionHash({ args, version }: Pick<HandledCall<unknown>, 'args' | 'version'>): string {
  const {
    pagination: _page,
    context: _echo,
    context_id: _session,
    time_budget: _timeBudget,
    push_notification_config: _notifications,
    ext,
    ...rest
  } = args;
  const others = isJsonObject(ext) ? withoutOurs(ext) : {};
  const question = {
    asked: Object.keys(others).length === 0 ? rest : { ...rest, ext: others },
    dialect: version.profile.dialect,
    form: version.profile.form,
  };
  return createHash('sha256').update(canonicalJson(question)).digest('hex');
}

function withoutOurs({ switchyard: _ours, ...others }: JsonObject): JsonObject {
  return others;
}
