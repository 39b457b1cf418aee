import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { Dispatch } from '../outbox/dispatch-events.js';
import { openOutboxSpec, openReceiver, type OutboxSpec, type Receiver } from './outbox.js';

/** What the tests of one suite of the outbox stand on. */
export interface OutboxStage {
  /** The same for all tests of the suite. */
  readonly spec: OutboxSpec;
  /** A new one for each test, closed at its end. */
  readonly receiver: Receiver;
  /** Started where a test first asks for it, and stopped at its end; a test that starts another puts it here. */
  dispatch: Dispatch;
}

/** Opens the way to a receiver for the suite that calls this, and ends it with the suite. */
export function useOutboxStage(): OutboxStage {
  let spec: OutboxSpec;
  let receiver: Receiver;
  let dispatch: Dispatch | undefined;
  beforeAll(async () => {
    spec = await openOutboxSpec();
  });
  beforeEach(async () => {
    receiver = await openReceiver();
  });
  afterEach(async () => {
    await dispatch?.stop();
    dispatch = undefined;
    await receiver.close();
  });
  afterAll(() => spec.close());
  return {
    get spec() {
      return spec;
    },
    get receiver() {
      return receiver;
    },
    get dispatch() {
      return (dispatch ??= spec.dispatch());
    },
    set dispatch(started) {
      dispatch = started;
    },
  };
}
