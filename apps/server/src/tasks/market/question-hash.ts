import { createHash } from 'node:crypto';
import { canonicalJson, isJsonObject, type JsonObject } from '@switchyard/values';
import type { HandledCall } from '../handler.js';

/**
 * SHA-256 (hex) of a question to the market, in the form it was asked in: of all that decides what its answer holds.
 * How it is paged, waited for, told of and read on with is no part of it. Who asks something else than what a cursor or
 * an operation stands for would get the answer to another question.
 */
export function questionHash({ args, version }: Pick<HandledCall<unknown>, 'args' | 'version'>): string {
  const {
    pagination: _page,
    context: _echo,
    context_id: _session,
    time_budget: _patience,
    push_notification_config: _news,
    ext,
    ...asked
  } = args;
  const others = isJsonObject(ext) ? withoutOurs(ext) : {};
  const question = {
    asked: Object.keys(others).length === 0 ? asked : { ...asked, ext: others },
    dialect: version.profile.dialect,
    form: version.profile.form,
  };
  return createHash('sha256').update(canonicalJson(question)).digest('hex');
}

function withoutOurs({ switchyard: _ours, ...others }: JsonObject): JsonObject {
  return others;
}
