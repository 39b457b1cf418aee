const dayMs = 86_400_000;

/** The day of a serial number of a spreadsheet. Its day 60, 29 February 1900, never was. */
export function dayOfSerial(serial: number, is1904 = false): string | undefined {
  if (!Number.isInteger(serial) || serial < 0 || serial > 2_958_465) return undefined;
  if (is1904) return new Date(Date.UTC(1904, 0, 1) + serial * dayMs).toISOString().slice(0, 10);
  if (serial === 60 || serial === 0) return undefined;
  const first = serial < 60 ? Date.UTC(1899, 11, 31) : Date.UTC(1899, 11, 30);
  return new Date(first + serial * dayMs).toISOString().slice(0, 10);
}
