import {
  inRelease,
  lifecycleReleaseOf,
  standInFor,
  withStandIns,
  type LifecycleSeller,
} from '@switchyard/protocol';
import { ok, type JsonObject } from '@switchyard/values';
import type { SellerTransport, TransportFailure } from './transport.js';

/** Arguments that repetitions send again, oldest first, of all sellers of this process. */
const mostKept = 10_000;

const uncertain: TransportFailure = {
  code: 'protocol_error',
  message: 'The seller knows the key of this change with other arguments.',
  delivered: 'maybe',
};

/**
 * A transport that also reaches sellers whose tools are lifecycle tasks alone: it lists the older tasks that these stand for,
 * and asks by them (docs/protocol/sellers.md#sellers-of-lifecycle-tasks-alone). Calls to all other sellers pass through.
 *
 * What a repetition has to send again is kept in memory. After a restart it is made anew; a seller that then answers with a
 * conflict may have taken the first try, so the call ends as one whose effect is not known.
 */
export function withLifecycleSellers(inner: SellerTransport, uuid: () => string): SellerTransport {
  const kept = new Map<string, JsonObject>();
  return {
    listTools: async (target, signal) => {
      const listed = await inner.listTools(target, signal);
      return listed.ok ? ok(withStandIns(listed.value)) : listed;
    },
    call: (target, call, signal) => {
      const release = lifecycleReleaseOf(target.tools);
      if (release === undefined) return inner.call(target, call, signal);
      const asked = (tool: string, args: JsonObject): ReturnType<SellerTransport['call']> =>
        inner.call(target, { ...call, tool, args: inRelease(args, target.dialect, release) }, signal);
      const standIn = standInFor(target.tools, call.tool);
      if (standIn === undefined || call.a2aTaskId !== undefined) return asked(call.tool, call.args);
      const place = (key: string): string => `${target.organizationId} ${target.connectionId} ${key}`;
      const seller: LifecycleSeller<TransportFailure> = {
        offers: (tool) => Object.hasOwn(target.tools ?? {}, tool),
        call: asked,
        uuid,
        recall: (key) => kept.get(place(key)),
        keep: (key, value) => {
          kept.delete(place(key));
          kept.set(place(key), value);
          const [oldest] = kept.keys();
          if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
        },
        forget: (key) => void kept.delete(place(key)),
        uncertain: () => uncertain,
      };
      return standIn.ask(call.args, seller);
    },
    forget: (connectionId) => inner.forget(connectionId),
    close: () => inner.close(),
  };
}
