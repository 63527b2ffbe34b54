import sax, { type SAXParser } from 'sax';
import type { FeedValue, RawRow } from '../domain/feed-row.js';
import { FeedError } from './feed-error.js';
import { RowBuilder } from './row-builder.js';

const MAX_DEPTH = 32;
const MAX_ATTRIBUTES = 100;
const PREFIX = 'g:';
const NOT_XML = 'The feed is not well-formed XML.';
const NEITHER = 'The feed is XML, but neither RSS 2.0 nor Atom.';
/** Elements of RSS and Atom themselves, which count where the `g:` one is missing. */
const PLAIN = new Map([
  ['id', 'id'],
  ['title', 'title'],
  ['link', 'link'],
  ['description', 'description'],
  ['summary', 'description'],
]);
/** A map: a feed may call its root `constructor`. */
const ROW_OF_ROOT: ReadonlyMap<string, readonly string[]> = new Map([
  ['rss', ['rss', 'channel', 'item']],
  ['feed', ['feed', 'entry']],
]);

interface OpenElement {
  readonly name: string;
  text: string;
  readonly children: Map<string, FeedValue>;
}

/**
 * Rows of RSS 2.0 or Atom. The parser knows XML's own five entities only and is given no document type, so that nothing expands. What
 * it buffers, as a name or a comment, is bounded (`sax.MAX_BUFFER_LENGTH`); it hands on text in pieces of that size.
 * @throws FeedError while it is read
 */
export async function* xmlRows(text: AsyncIterable<string>): AsyncGenerator<RawRow> {
  const rows = new XmlRows();
  for await (const piece of text) yield* rows.push(piece);
  yield* rows.finish();
}

class XmlRows {
  private readonly parser: SAXParser = sax.parser(true, { position: false });
  private readonly path: string[] = [];
  private rowPath: readonly string[] = [];
  private row = 0;
  private builder: RowBuilder | undefined;
  private readonly open: OpenElement[] = [];
  private attributes = 0;
  private link: string | undefined;
  private ready: RawRow[] = [];

  constructor() {
    const { parser } = this;
    parser.position = 0;
    parser.onerror = () => {
      throw new FeedError(NOT_XML);
    };
    parser.ondoctype = () => {
      throw new FeedError('The feed has a document type declaration, which is not read.');
    };
    parser.onopentagstart = () => {
      this.attributes = 0;
      this.link = undefined;
    };
    parser.onattribute = ({ name, value }) => {
      this.attributes += 1;
      if (this.attributes > MAX_ATTRIBUTES) throw new FeedError(NOT_XML);
      if (name === 'href') this.link = value;
    };
    parser.onopentag = ({ name }) => this.begin(name);
    parser.onclosetag = () => this.end();
    parser.ontext = (text) => this.add(text);
    parser.oncdata = (text) => this.add(text);
  }

  push(text: string): readonly RawRow[] {
    // When the parser looks at the size of its buffers depends on its position, which it counts only together with lines.
    this.parser.position += text.length;
    this.parser.write(text);
    return this.taken();
  }

  finish(): readonly RawRow[] {
    this.parser.close();
    return this.taken();
  }

  private taken(): readonly RawRow[] {
    const rows = this.ready;
    this.ready = [];
    return rows;
  }

  private begin(name: string): void {
    this.path.push(name);
    if (this.path.length > MAX_DEPTH) throw new FeedError('The feed nests too deeply.');
    if (this.path.length === 1) {
      // The parser lets a second root begin, as where two feeds were written to one file.
      if (this.rowPath.length > 0) throw new FeedError(NOT_XML);
      const rowPath = ROW_OF_ROOT.get(name);
      if (rowPath === undefined) throw new FeedError(NEITHER);
      this.rowPath = rowPath;
    }
    if (this.builder !== undefined) this.open.push({ name, text: '', children: new Map() });
    else if (this.isAtRow()) this.builder = new RowBuilder();
  }

  private isAtRow(): boolean {
    const { path, rowPath } = this;
    return path.length === rowPath.length && rowPath.every((name, at) => path[at] === name);
  }

  private add(text: string): void {
    const element = this.open.at(-1);
    if (element !== undefined && this.builder?.take(text.length) === true) element.text += text;
  }

  private end(): void {
    this.path.pop();
    const element = this.open.pop();
    const { builder } = this;
    if (builder === undefined) return;
    if (element === undefined) {
      this.row += 1;
      this.ready.push(builder.build(this.row));
      this.builder = undefined;
      return;
    }
    const text = element.text.trim();
    const value = element.children.size > 0 ? Object.fromEntries(element.children) : text;
    const parent = this.open.at(-1);
    const hasRoom = builder.take(element.name.length);
    if (parent === undefined) this.keep(builder, element.name, value);
    else if (hasRoom) parent.children.set(ownName(element.name), value);
  }

  private keep(builder: RowBuilder, name: string, value: FeedValue): void {
    if (name.startsWith(PREFIX)) return builder.add(ownName(name), value);
    const plain = PLAIN.get(name);
    if (plain === undefined) return;
    // Atom's link has its address in an attribute.
    const isEmptyLink = name === 'link' && value === '';
    builder.addPlain(plain, isEmptyLink ? (this.link ?? '') : value);
  }
}

function ownName(name: string): string {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
}
