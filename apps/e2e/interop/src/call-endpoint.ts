/** Sends one `tools/call` as plain JSON over HTTP, for tasks without a method in the public SDK. */
export async function callEndpoint(
  url: string,
  token: string | undefined,
  name: string,
  args: unknown,
): Promise<{ readonly status: number; readonly body: Record<string, unknown>; readonly isError: boolean }> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
  const reported = (await answer.json()) as {
    readonly result?: { readonly structuredContent: Record<string, unknown>; readonly isError?: boolean };
  };
  const { result } = reported;
  return {
    status: answer.status,
    body: result?.structuredContent ?? { ...reported },
    isError: result === undefined || result.isError === true,
  };
}
