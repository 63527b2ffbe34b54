import type { FeedFields, FeedValue, RawRow } from '../domain/feed-row.js';

/** Of one row: its names and values together. */
export const MAX_ROW_CHARACTERS = 65_536;
const MAX_ROW_FIELDS = 500;
const TOO_LARGE = `is longer than ${MAX_ROW_CHARACTERS} characters, or has more than ${MAX_ROW_FIELDS} fields`;

/** Collects the fields of one row within bounds; of a row that is too large only its first id is kept. */
export class RowBuilder {
  private fields = new Map<string, FeedValue>();
  private readonly plain = new Map<string, FeedValue>();
  private characters = 0;
  private count = 0;
  private isTooLarge = false;

  /** @returns whether there is room for more of it */
  take(characters: number): boolean {
    this.characters += characters;
    if (this.characters > MAX_ROW_CHARACTERS) this.drop();
    return !this.isTooLarge;
  }

  add(name: string, value: FeedValue): void {
    this.count += 1;
    if (this.count > MAX_ROW_FIELDS) this.drop();
    if (this.isTooLarge && (name !== 'id' || this.fields.has(name))) return;
    const before = this.fields.get(name);
    this.fields.set(name, before === undefined ? value : merged(before, value));
  }

  /** The first value counts, where the format's own field of that name is not there, before or behind it. */
  addPlain(name: string, value: FeedValue): void {
    if (!this.plain.has(name)) this.plain.set(name, value);
  }

  build(row: number, fault?: string): RawRow {
    const plain = [...this.plain].filter(([name]) => !this.isTooLarge || name === 'id');
    const fields: FeedFields = Object.fromEntries([...plain, ...this.fields]);
    const why = this.isTooLarge ? TOO_LARGE : fault;
    return why === undefined ? { row, fields } : { row, fields, fault: why };
  }

  private drop(): void {
    if (this.isTooLarge) return;
    this.isTooLarge = true;
    const id = this.fields.get('id');
    this.fields = new Map(id === undefined ? [] : [['id', id]]);
  }
}

/** Several fields of one name, as `additional_image_link`, are a list. */
function merged(before: FeedValue, value: FeedValue): FeedValue {
  return Array.isArray(before) ? [...(before as readonly FeedValue[]), value] : [before, value];
}
