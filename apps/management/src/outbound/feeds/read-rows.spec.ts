import { gzipSync } from 'node:zlib';
import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { RawRow } from '../domain/feed-row.js';
import { plainBytes } from './bounded-body.js';
import { CsvReader } from './csv-reader.js';
import { FeedError } from './feed-error.js';
import { FEED_LIMITS } from './feed-limits.js';
import { readRows } from './read-rows.js';
import { MAX_ROW_CHARACTERS } from './row-builder.js';

const RSS = (items: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" xmlns:g="http://base.google.com/ns/1.0">
   <channel><title>Shop</title><link>https://shop.example</link>${items}</channel></rss>`;

/** Any division of some bytes into chunks. */
async function* inChunks(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Buffer> {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((a, b) => a - b);
  let from = 0;
  for (const to of [...places, bytes.length]) {
    await Promise.resolve();
    yield bytes.subarray(from, to);
    from = to;
  }
}

async function rowsOf(bytes: Buffer | string, cuts: readonly number[] = []): Promise<readonly RawRow[]> {
  const rows: RawRow[] = [];
  const chunks = plainBytes(inChunks(Buffer.from(bytes as string), cuts), FEED_LIMITS);
  for await (const row of readRows(chunks, undefined)) rows.push(row);
  return rows;
}

const faultOf = (feed: Buffer | string): Promise<string> =>
  rowsOf(feed).then(
    () => 'read',
    (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : 'unknown'),
  );

describe('the rows of a feed', () => {
  it('the fields of RSS are those of the product data format, before the plain ones', async () => {
    const item = `<item><title>Plain</title><g:title>Über &amp; <![CDATA[<b>]]></g:title><link>https://a.example</link>
      <g:id> 1 </g:id><g:shipping><g:country>DE</g:country><g:price>5 EUR</g:price></g:shipping>
      <g:additional_image_link>https://a.example/1</g:additional_image_link>
      <g:additional_image_link>https://a.example/2</g:additional_image_link><pubDate>today</pubDate></item>`;
    expect(await rowsOf(RSS(item + '<item><title>Second</title></item>'))).toEqual([
      {
        row: 1,
        fields: {
          id: '1',
          title: 'Über & <b>',
          link: 'https://a.example',
          shipping: { country: 'DE', price: '5 EUR' },
          additional_image_link: ['https://a.example/1', 'https://a.example/2'],
        },
      },
      { row: 2, fields: { title: 'Second' } },
    ]);
  });

  it('the link of an Atom entry is its attribute', async () => {
    const feed = `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0"><title>Shop</title>
      <entry><id>a</id><title>One</title><link href="https://a.example/?x=1&amp;y=2"/><g:price>1 EUR</g:price></entry></feed>`;
    expect(await rowsOf(feed)).toEqual([
      { row: 1, fields: { id: 'a', title: 'One', link: 'https://a.example/?x=1&y=2', price: '1 EUR' } },
    ]);
  });

  it.each([
    ['tabs', 'id\ttitle\timage link\n1\tOne, two\t"a ""b"""\n2\tTwo\t\n'],
    ['commas', '\uFEFFid,title,image_link\r\n1,"One, two","a ""b"""\r\n2,Two,\r\n'],
  ])('a table with %s is read by its header', async (_, feed) => {
    expect(await rowsOf(feed)).toEqual([
      { row: 1, fields: { id: '1', title: 'One, two', image_link: 'a "b"' } },
      { row: 2, fields: { id: '2', title: 'Two' } },
    ]);
  });

  it.each(['\n', '\r\n', '\r'])(
    'a table whose header ends with %j has all its rows, however they end',
    async (end) => {
      const rows = await rowsOf(`id,title${end}1,One\n2,"Two"\r\n3,Three\r4,"Four\nlines"\n`);
      expect(rows.map(({ fields }) => fields)).toEqual([
        { id: '1', title: 'One' },
        { id: '2', title: 'Two' },
        { id: '3', title: 'Three' },
        { id: '4', title: 'Four\nlines' },
      ]);
    },
  );

  it.each(['\n', '  \n', ' \r\n\t\r\n', '\uFEFF \r'])(
    'blank lines (%j) may stand above a header',
    async (blank) => {
      const row = { row: 1, fields: { id: '1', title: 'One' } };
      expect(await rowsOf(`${blank}id\ttitle\n1\tOne\n`)).toEqual([row]);
      expect(await rowsOf(`${blank}\tid\ttitle\n\t1\tOne\n`)).toEqual([row]);
    },
  );

  it('a gzip file may have several members, and zeros behind the last one', async () => {
    const members = ['id,title\n1,One\n', '2,Two\n'].map((text) => gzipSync(text));
    for (const cuts of [[], Array.from({ length: 200 }, (_, at) => at)])
      expect(await rowsOf(Buffer.concat([...members, Buffer.alloc(100)]), cuts)).toHaveLength(2);
  });

  it.each([
    [',', '"Four, with\n""lines"""', 'Four, with\n"lines"'],
    ['\t', '"Four, with\n""lines"""', 'Four, with\n"lines"'],
    [',', 'Four', 'Four'],
  ])(
    'a cell that begins with a quote (between %j, above %j) takes no row with it',
    async (delimiter, last, read) => {
      const link = 'https://a.example/';
      const cells = [
        ['id', 'title', 'link'],
        ['1', 'One', link],
        ['"2"', '"Round table', link],
        ['3', 'Three', link],
        ['4', last, link],
      ];
      const rows = await rowsOf(cells.map((row) => row.join(delimiter)).join('\n'));
      expect(rows.map(({ row, fields, fault }) => [row, fields['id'], fields['title'], fault])).toEqual([
        [1, '1', 'One', undefined],
        [2, '2', '"Round table', 'has a quote that is not closed'],
        [3, '3', 'Three', undefined],
        [4, '4', read, undefined],
      ]);
    },
  );

  it('a quote in a table with tabs is not closed by one at the end of a cell of a later row', async () => {
    const rows = await rowsOf('id\ttitle\n1\t"Round\n2\tTV 24"\n3\t"24" TV\n');
    expect(rows.map(({ fields, fault }) => [fields['title'], fault !== undefined])).toEqual([
      ['"Round', true],
      ['TV 24"', false],
      ['"24" TV', false],
    ]);
  });

  it('a quoted cell with more lines than any text has is no cell', async () => {
    const rows = await rowsOf(`id,title\n1,"One\n${'2,Two\n'.repeat(2_000)}3,"`);
    expect(rows).toHaveLength(2_002);
    expect(rows.filter(({ fault }) => fault !== undefined).map(({ row }) => row)).toEqual([1, 2_002]);
  });

  it('a table whose every line opens a quote is read a few times at most, and each line is a faulty row', async () => {
    const reads = jest.spyOn(CsvReader.prototype as unknown as { add(line: string): string }, 'add');
    const lines = 20_000;
    const rows = await rowsOf(`id,title\n${'a","b\n'.repeat(lines)}`);
    expect(rows.filter(({ fault }) => fault !== undefined)).toHaveLength(lines);
    expect(reads.mock.calls.length).toBeLessThan(20 * lines);
  });

  it('blank lines between rows are none', async () => {
    const rows = await rowsOf('id,title\n1,One\n\n  \n \t\r\n2,"Two\n\nlines"\n \n');
    expect(rows).toEqual([
      { row: 1, fields: { id: '1', title: 'One' } },
      { row: 2, fields: { id: '2', title: 'Two\n\nlines' } },
    ]);
  });

  it('a row of another width is its own fault', async () => {
    expect(await rowsOf('id\ttitle\n1\n2\tTwo\tmore\n3\tThree\t\n')).toEqual([
      { row: 1, fields: { id: '1' }, fault: 'has 1 columns, and the header has 2' },
      { row: 2, fields: { id: '2', title: 'Two' }, fault: 'has 3 columns, and the header has 2' },
      { row: 3, fields: { id: '3', title: 'Three' } },
    ]);
  });

  it('a row that is too large keeps its id only, in every form', async () => {
    const long = 'x'.repeat(MAX_ROW_CHARACTERS);
    const row = { row: 1, fields: { id: '1' }, fault: expect.stringContaining('is longer than') };
    const next = { row: 2, fields: { id: '2', title: 'Two' } };
    const item = (id: string, title: string): string =>
      `<item><g:id>${id}</g:id><g:title>${title}</g:title></item>`;
    expect(await rowsOf(RSS(item('1', long) + item('2', 'Two')))).toEqual([row, next]);
    expect(await rowsOf(`id\ttitle\n1\t${long}\n2\tTwo\n`)).toEqual([row, next]);
    const again = RSS(item('1', `${long}</g:title>${'<g:id>3</g:id>'.repeat(1_000)}<g:title>`));
    expect(await rowsOf(again)).toEqual([row]);
  });

  it('an encoding is told by the byte order mark or the declaration', async () => {
    const declared = RSS('<item><g:title>Öl</g:title></item>').replace('UTF-8', 'ISO-8859-1');
    expect(await rowsOf(Buffer.from(declared, 'latin1'))).toEqual([{ row: 1, fields: { title: 'Öl' } }]);
    const wide = Buffer.from('\uFEFFid\ttitle\n1\tÖl\n', 'utf16le');
    expect(await rowsOf(wide)).toEqual([{ row: 1, fields: { id: '1', title: 'Öl' } }]);
  });

  it('any chunks of the same bytes give the same rows, packed or plain', async () => {
    const word = fc.stringMatching(/^[a-zäß€😀 ,;"']{0,20}$/);
    const products = fc.array(fc.tuple(word, word), { maxLength: 30 });
    const cuts = fc.array(fc.nat(4_000), { maxLength: 60 });
    const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
    await fc.assert(
      fc.asyncProperty(products, cuts, fc.boolean(), fc.boolean(), async (given, places, isXml, isPacked) => {
        const text = isXml
          ? RSS(
              given
                .map(
                  ([id, title]) =>
                    `<item><g:id>${escaped(id)}</g:id><g:title>${escaped(title)}</g:title></item>`,
                )
                .join(''),
            )
          : `id\ttitle\n${given.map((cells) => cells.map(quoted).join('\t')).join('\n')}\n`;
        const bytes = isPacked ? gzipSync(text) : Buffer.from(text);
        const rows = await rowsOf(bytes, places);
        expect(rows).toEqual(await rowsOf(text));
        expect(rows).toHaveLength(given.length);
      }),
      { numRuns: 150 },
    );
  }, 120_000);
});

describe('what is no feed', () => {
  const entity = '<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>';

  it.each<[string, Buffer | string, string]>([
    ['nothing', '', 'The feed is empty.'],
    ['a page', '<!DOCTYPE html><html></html>', 'document type declaration'],
    ['entities', `<?xml version="1.0"?>${entity}<rss><channel/></rss>`, 'document type declaration'],
    ['an unknown entity', RSS('<item><g:id>&b;</g:id></item>'), 'not well-formed'],
    ['other XML', '<html></html>', 'neither RSS 2.0 nor Atom'],
    ['XML with an inherited name', '<constructor></constructor>', 'neither RSS 2.0 nor Atom'],
    ['half of an RSS', RSS('<item/>').slice(0, -6), 'not well-formed'],
    ['an RSS behind another', RSS('<item/>') + RSS('<item/>'), 'not well-formed'],
    ['JSON', '{"id": 1}', 'a header that names id and title'],
    ['a line without an end', `id,title\n1,"${'x'.repeat(2_000_000)}`, 'a line is longer than'],
    ['half of a gzip', gzipSync(RSS('<item/>')).subarray(0, 60), 'in the middle of its gzip data'],
    ['a depth', RSS('<item>' + '<g:a>'.repeat(100)), 'nests too deeply'],
    [
      'attributes',
      RSS(`<item ${Array.from({ length: 200 }, (_, n) => `a${n}="1"`).join(' ')}/>`),
      'well-formed',
    ],
    ['an endless name', `<rss><channel><${'a'.repeat(500_000)}`, 'not well-formed'],
    ['an encoding', '<?xml version="1.0" encoding="EBCDIC-DE"?><rss/>', 'an encoding that is not known'],
  ])('%s is refused', async (_, feed, message) => {
    const fault = await faultOf(feed);
    expect(fault).toMatch(/^FeedError: /);
    expect(fault).toContain(message);
  });

  it('a gzip file with rows behind zeros is refused, however it arrives, because they would be lost', async () => {
    const [first, second] = ['id,title\n1,One\n', '2,Two\n'].map((text) => gzipSync(text));
    const bytes = Buffer.concat([first ?? '', Buffer.alloc(100), second ?? ''] as Buffer[]);
    for (const cuts of [[], [first?.length ?? 0], Array.from({ length: bytes.length }, (_, at) => at)])
      await expect(rowsOf(bytes, cuts)).rejects.toThrow('The feed has other bytes behind its gzip data.');
  });

  it.each([
    ['a name', '<g:'],
    ['an attribute', '<g:id a="'],
    ['a comment', '<!--'],
    ['an instruction', '<?x '],
    ['a quoted cell', 'id,title\n1,"'],
    ['a cell', 'id,title\n1,'],
  ])('the reading ends soon with %s that has no end', async (_, begun) => {
    const before = begun.startsWith('<') ? '<rss><channel><item>' : '';
    const most = 200;
    let pieces = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      yield Buffer.from(before + begun);
      for (; pieces < most; pieces += 1) yield await Promise.resolve(Buffer.alloc(16_384, 'x'));
    }
    const reading = readRows(endless(), undefined).next();
    await expect(reading).rejects.toThrow(FeedError);
    expect(pieces).toBeLessThan(most);
  });

  it('a bomb ends at the limit of what it inflates to, also one that is packed twice', async () => {
    const limits = { ...FEED_LIMITS, maxBytes: 1_000_000 };
    const bomb = gzipSync(Buffer.alloc(20_000_000, ' '));
    for (const packed of [bomb, gzipSync(bomb)]) {
      expect(packed.length).toBeLessThan(limits.maxBytes);
      const read = async (): Promise<number> => {
        let bytes = 0;
        for await (const chunk of plainBytes(inChunks(packed, []), limits)) bytes += chunk.length;
        return bytes;
      };
      await expect(read()).rejects.toThrow('The feed is larger than 1000000 bytes.');
    }
  });
});
