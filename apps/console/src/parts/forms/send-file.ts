import { api, failureOf, send, type JsonValue } from '../../api/client.js';

/**
 * Uploads a file in parts. Returns its id, which an import or an attachment names.
 * Throws `ApiFailure` for a refusal, and an error where the browser cannot make the SHA-256 that announces the file.
 */
export async function sendFile(file: File, command: string): Promise<string> {
  if ((crypto as Partial<Crypto>).subtle === undefined)
    throw new Error(`A browser uploads such a file at an https address only. Use https, or: ${command}.`);
  const hash = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
  const sha256 = [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const announced = await api('POST /v1/files', {
    body: { name: file.name.slice(0, 255), bytes: file.size, sha256 },
  });
  const { file_id: id, part_bytes: size, parts } = announced;
  for (let part = 0; part < parts; part += 1) {
    const response = await send(
      `/v1/files/${encodeURIComponent(id)}/parts/${part}`,
      { accept: 'application/json', 'content-type': 'application/octet-stream' },
      { method: 'POST', body: file.slice(part * size, (part + 1) * size) },
    );
    if (!response.ok)
      throw failureOf(response.status, (await response.json().catch(() => undefined)) as JsonValue);
  }
  return id;
}
