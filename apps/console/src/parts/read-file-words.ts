/** The most bytes of a file that is sent whole with a request. */
const mostBytes = 700_000;

/** A file as routes take one that is read at once: the text of it, or the base64 of a workbook. Throws for a larger one. */
export async function readFileWords(
  file: File,
): Promise<{ readonly text: string } | { readonly base64: string }> {
  if (file.size > mostBytes) throw new Error(`The file has over ${mostBytes / 1_000} kB.`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  // A workbook is a ZIP archive.
  const isWorkbook = bytes[0] === 0x50 && bytes[1] === 0x4b;
  if (!isWorkbook) return { text: new TextDecoder().decode(bytes) };
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return { base64: btoa(binary) };
}
