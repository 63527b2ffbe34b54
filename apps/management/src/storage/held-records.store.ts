import type { ClientBase } from 'pg';

const MEBIBYTE = 1024 * 1024;
/**
 * Memory that every gateway gives to keys, members and sites with their origins, those of all workspaces. Bounds per site and workspace
 * multiply by workspaces, and by people, until no gateway starts any more.
 */
export const HELD_RECORDS_BYTES = {
  workspace: 16 * MEBIBYTE,
  /** Of all workspaces that one person created. */
  user: 24 * MEBIBYTE,
  /** A quarter of a gateway's heap. */
  installation: 96 * MEBIBYTE,
} as const;
/** A key may be replaced while all that is new is refused: by then it may be in wrong hands. */
const ROTATIONS_SHARE = 1.1;

/** Narrowest first. */
const QUOTAS = [
  ['workspace_record_bytes', 'workspace'],
  ['user_record_bytes', 'user'],
  ['installation_record_bytes', 'installation'],
] as const;
export type RecordQuota = (typeof QUOTAS)[number][0];

/** One row for each workspace: some thousands. */
const HELD = {
  name: 'held-records',
  text: `select coalesce(sum(bytes), 0)::float8 as installation,
      coalesce(sum(bytes) filter (where held.workspace_id = $1), 0)::float8 as workspace,
      coalesce(sum(bytes) filter (where made.created_by =
        (select created_by from workspaces where workspace_id = $1)), 0)::float8 as user
    from held_records held left join workspaces made using (workspace_id)`,
};

/**
 * Whether gateways hold as much of a workspace, of a person's workspaces or of all as they may. What is under way at the same time is not
 * known, so that a bound is exceeded by a few records.
 */
export async function exceedsRecords(
  client: ClientBase,
  workspaceId: string,
  kind: 'new' | 'rotation' = 'new',
): Promise<{ readonly quota: RecordQuota; readonly most: number } | undefined> {
  const { rows } = await client.query<Record<keyof typeof HELD_RECORDS_BYTES, number>>({
    ...HELD,
    values: [workspaceId],
  });
  const share = kind === 'rotation' ? ROTATIONS_SHARE : 1;
  const exceeded = QUOTAS.find(([, whose]) => (rows[0]?.[whose] ?? 0) >= share * HELD_RECORDS_BYTES[whose]);
  return exceeded && { quota: exceeded[0], most: HELD_RECORDS_BYTES[exceeded[1]] };
}
