/** Without it spreadsheets take a table for one in the letters of their own country. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Lets the browser save a table under this name. */
export function saveTable(name: string, csv: BlobPart): void {
  saveFile(name, new Blob([BYTE_ORDER_MARK, csv]), 'text/csv;charset=utf-8');
}

/** Lets the browser save a content under this name. */
export function saveFile(name: string, content: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
