import { err, isJsonObject, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { shown, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { table } from '../../table.js';
import { onInstallation, type TargetOptions } from '../../target.js';

export interface QuotaOptions extends TargetOptions {
  readonly set?: readonly string[];
}

/** `organizations quotas`: shows quotas and usage, or sets quotas by `--set calls_per_day=50000`. */
export function quotas(deps: CliDeps, id: string, options: QuotaOptions): Promise<Outcome> {
  const body: JsonObject = {};
  for (const text of options.set ?? []) {
    const [, kind, most] = /^([a-z_]+)=(\d{1,15}|none)$/.exec(text) ?? [];
    if (kind === undefined || most === undefined)
      return Promise.resolve(err({ message: `${text} is not KIND=NUMBER or KIND=none.` }));
    body[kind] = most === 'none' ? null : Number(most);
  }
  const path = `/v1/quotas/${encodeURIComponent(id)}`;
  return onInstallation(deps, options, (instance) =>
    shown(Object.keys(body).length === 0 ? instance.get(path) : instance.post(path, body), (answer) => {
      const rows = Array.isArray(answer['quotas']) ? answer['quotas'].filter(isJsonObject) : [];
      return table(
        deps,
        ['Quota', 'Most', 'Used'],
        rows.map(({ kind, most, used }) => [
          cell(kind),
          most === undefined ? 'no limit' : cell(most),
          cell(used),
        ]),
      );
    }),
  );
}
