import type { Egress } from '@switchyard/sellers';

/** An egress without a guard: `fetchLike` over the global `fetch`. For loopback tests only. */
export const plainEgress: Pick<Egress, 'fetchLike'> = {
  fetchLike: async (input, init) => {
    try {
      const response = await fetch(input, init);
      if (response.status >= 300 && response.status < 400) {
        throw Object.assign(failure('redirect_refused', 'maybe'), { status: response.status });
      }
      if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) return response;
      const body = await response.arrayBuffer();
      return new Response(body.byteLength === 0 ? null : body, {
        status: response.status,
        headers: response.headers,
      });
    } catch (error) {
      if (error instanceof Error && 'delivered' in error) throw error;
      if (init?.signal?.aborted === true) throw failure('aborted', 'maybe');
      const cause = (error as { readonly cause?: { readonly code?: string } }).cause?.code;
      throw cause === 'ECONNREFUSED' ? failure('connect_failed', 'no') : failure('broken_response', 'maybe');
    }
  },
};

function failure(code: string, delivered: string): Error {
  return Object.assign(new Error(code), { code, delivered });
}
