/** As the service takes them: their rules are its own. */
export type ProductRow = Readonly<Record<string, unknown>>;

export const BATCH_PRODUCTS = 1_000;
/** A body has at most 1 MiB. */
const BATCH_CHARACTERS = 250_000;

/** Products of a file: a JSON list, `{"products": […]}`, or CSV with a header. Undefined where it is none of them. */
export function readProductRows(text: string): readonly ProductRow[] | undefined {
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  return trimmed.startsWith('[') || trimmed.startsWith('{') ? rowsOfJson(trimmed) : rowsOfCsv(trimmed);
}

/** As many in one request as it may hold; `first` is the place of its first product. */
export function batchesOf(
  rows: readonly ProductRow[],
): readonly { readonly first: number; readonly products: readonly ProductRow[] }[] {
  const batches: { first: number; products: ProductRow[] }[] = [];
  let characters = Infinity;
  rows.forEach((row, index) => {
    const size = JSON.stringify(row).length;
    const last = batches.at(-1);
    if (
      last === undefined ||
      characters + size > BATCH_CHARACTERS ||
      last.products.length === BATCH_PRODUCTS
    ) {
      batches.push({ first: index, products: [row] });
      characters = size;
    } else {
      last.products.push(row);
      characters += size;
    }
  });
  return batches;
}

function rowsOfJson(text: string): readonly ProductRow[] | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    const list = isObject(parsed) ? parsed['products'] : parsed;
    return Array.isArray(list) && list.every(isObject) ? list : undefined;
  } catch {
    return undefined;
  }
}

/** Empty cells are absent fields. */
function rowsOfCsv(text: string): readonly ProductRow[] | undefined {
  const [header, ...lines] = linesOfCsv(text);
  if (header?.includes('product_id') !== true) return undefined;
  return lines.map((cells) =>
    Object.fromEntries(
      header.flatMap((name, index) => {
        const cell = cells[index] ?? '';
        return name === '' || cell === '' ? [] : [[name, cell]];
      }),
    ),
  );
}

/** RFC 4180: a quoted cell may hold commas, line ends, and quotes as two of them. What only begins with a quote is a plain one. */
function linesOfCsv(text: string): readonly (readonly string[])[] {
  const lines: string[][] = [];
  let cells: string[] = [];
  for (const match of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r\n|\r|\n|$)/g)) {
    const [, quoted, plain = '', end] = match;
    cells.push(quoted?.replaceAll('""', '"') ?? plain.trim());
    if (end === ',') continue;
    if (cells.some((one) => one !== '')) lines.push(cells);
    cells = [];
    if (end === '') break;
  }
  return lines;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
