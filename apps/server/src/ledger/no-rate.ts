import type { AdminFailure } from '../platform/failure.js';

/** Nothing is converted silently: the error names the pair and the day. */
export function noRate({
  from,
  to,
  day: on,
}: {
  readonly from: string;
  readonly to: string;
  readonly day: string;
}): AdminFailure {
  return {
    code: 'CONFLICT',
    message: `There is no rate from ${from} to ${to} for ${on} or a day before it.`,
    suggestion: `Enter it: switchyard rates set ${from} ${to} RATE --date ${on} --source SOURCE, or import a file of rates.`,
  };
}
