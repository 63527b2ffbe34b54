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

export type RecordQuota = 'installation_record_bytes' | 'user_record_bytes' | 'workspace_record_bytes';

/** Bytes that are held of a workspace, of all workspaces of the person who created it, and of all. */
export type Held = Readonly<Record<keyof typeof HELD_RECORDS_BYTES, number>>;

/**
 * Of the workspace `$1`, whose table has a row for each workspace: some thousands. Data of deleted sites counts until it is erased:
 * gateways hold it as long.
 */
export function heldSql(table: 'held_campaigns' | 'held_records'): string {
  return `select coalesce(sum(bytes), 0)::float8 as installation,
      coalesce(sum(bytes) filter (where held.workspace_id = $1), 0)::float8 as workspace,
      coalesce(sum(bytes) filter (where made.created_by =
        (select created_by from workspaces where workspace_id = $1)), 0)::float8 as user
    from ${table} held left join workspaces made using (workspace_id)`;
}

const HELD = { name: 'held-records', text: heldSql('held_records') };

/**
 * Whether gateways hold as much of a workspace, of a person's workspaces or of all as they may. What is under way at the same time is not
 * known, so that a bound is exceeded by a few records.
 */
export async function exceedsRecords(
  client: ClientBase,
  workspaceId: string,
  kind: 'new' | 'rotation' = 'new',
): Promise<{ readonly quota: RecordQuota; readonly most: number } | undefined> {
  const { rows } = await client.query<Held>({
    ...HELD,
    values: [workspaceId],
  });
  const held = rows[0] ?? { workspace: 0, user: 0, installation: 0 };
  const most = kind === 'rotation' ? mostWithRotations(held) : mostOf(held);
  const whose = (['workspace', 'installation', 'user'] as const).find((one) => held[one] >= most[one]);
  return whose && { quota: `${whose}_record_bytes`, most: Math.floor(most[whose]) };
}

/** A person may have half of what the others leave: there is always room for one more. */
function mostOf({ user, installation }: Held): Held {
  const others = installation - user;
  const share = (HELD_RECORDS_BYTES.installation - others) / 2;
  return { ...HELD_RECORDS_BYTES, user: Math.min(HELD_RECORDS_BYTES.user, share) };
}

/** What is kept for rotations over all is for those who have not used up their own share: others cannot take it from them. */
function mostWithRotations({ user }: Held): Held {
  const { workspace, user: own, installation } = HELD_RECORDS_BYTES;
  const share = user < own ? ROTATIONS_SHARE : 1;
  return {
    workspace: workspace * ROTATIONS_SHARE,
    user: own * ROTATIONS_SHARE,
    installation: installation * share,
  };
}
