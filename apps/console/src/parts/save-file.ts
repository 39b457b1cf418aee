/** Downloads a text or bytes as a file. */
export function saveFile(name: string, type: string, content: string | Uint8Array<ArrayBuffer>): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Rows as CSV (RFC 4180). A text that a spreadsheet would run as a formula begins with an apostrophe. */
export function csvText(rows: readonly (readonly string[])[]): string {
  const cell = (text: string): string => {
    const plain =
      /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
  };
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}
