import type { ClientBase } from 'pg';

/**
 * A place in a pass over tables in the order of the disk. A table that is rewritten meanwhile (`VACUUM FULL`,
 * `CLUSTER`, pg_repack) has its rows in other blocks, so that the pass has to begin again: it knows the file of
 * each table.
 */
export interface BlockPlace {
  /** Of the piece before; empty for the first one. */
  readonly files: string;
  /** The first block of the next piece. */
  readonly block: number;
}

export const FIRST_BLOCK: BlockPlace = { files: '', block: 0 };

const PLACE = /^([0-9-]*)\/(\d{1,15})$/;

/** As part of a step's cursor. */
export function formatBlockPlace({ files, block }: BlockPlace): string {
  return `${files}/${block}`;
}

/** Undefined for another text. */
export function parseBlockPlace(text: string): BlockPlace | undefined {
  const [, files, block] = PLACE.exec(text) ?? [];
  return files === undefined ? undefined : { files, block: Number(block) };
}

const MEASURE = `
  select string_agg(pg_relation_filenode(name::regclass)::text, '-' order by n) as files,
    (max(pg_relation_size(name::regclass)) / current_setting('block_size')::bigint)::float8 as blocks
  from unnest($1::text[]) with ordinality as tables (name, n)`;

/**
 * The place of the next piece; undefined after the last one. Call it after the piece's deletion, in the same
 * transaction, which prevents the tables from being rewritten in between. The rows themselves must not be updated
 * by anybody during the pass: an update moves a row.
 * @param tables quoted where necessary
 * @param blocks the length of the piece
 */
export async function blockAfter(
  client: ClientBase,
  tables: readonly string[],
  { files, block }: BlockPlace,
  blocks: number,
): Promise<BlockPlace | undefined> {
  const { rows } = await client.query<{ files: string; blocks: number }>(MEASURE, [tables]);
  const now = rows[0] ?? { files: '', blocks: 0 };
  if (block > 0 && now.files !== files) return { files: now.files, block: 0 };
  const next = block + blocks;
  return next < now.blocks ? { files: now.files, block: next } : undefined;
}
