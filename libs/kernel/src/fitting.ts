/** Content of a page of resources, 4 MiB: half of what a reply may have. */
const PAGE_BYTES = 4_194_304;

/**
 * The first of these that fit a page together, at least one: a list whose resources are as large as its rules permit ends its
 * pages before their limit.
 * @param textOf the JSON of an item
 */
export function fitting<Item>(items: readonly Item[], textOf: (item: Item) => string): readonly Item[] {
  let bytes = 0;
  const end = items.findIndex((item, place) => {
    bytes += Buffer.byteLength(textOf(item));
    return place > 0 && bytes > PAGE_BYTES;
  });
  return end === -1 ? items : items.slice(0, end);
}
