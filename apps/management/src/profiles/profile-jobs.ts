import { randomUUID } from 'node:crypto';
import { PROFILES_IMPORT } from '@truetally/contracts/management';
import type { ClientBase } from 'pg';
import type { JobKinds } from '../jobs/job-kinds.js';
import type { Piece } from '../storage/job-leases.js';
import { findImportSite, readImport, removeImport } from '../storage/profile-import.store.js';
import { erasedPeople, lockProfiles, storeProfiles, tryLockPeople } from '../storage/profile.store.js';
import { holdSite } from '../storage/site.store.js';
import { importRows } from './import-rows.js';

const ROWS_PER_PIECE = 500;
/** Until a piece is tried again for which another import has what it needs; no connection waits meanwhile. */
const BUSY_MS = 100;
const NOTHING = { found: 0, done: 0, stored: 0, failed: 0, errors: [] };

/** Rows are independent, so that an import can be cancelled: those that are merged stay. */
export const PROFILE_JOBS: JobKinds = {
  [PROFILES_IMPORT]: {
    isCancellable: true,
    onePerSite: true,
    plan: ({ jobId }) => [
      {
        place: 'here',
        name: 'import',
        run: (client, cursor) => importSome(client, jobId, Number(cursor ?? 0)),
      },
    ],
  },
};

/** One piece of an import: some rows, and where the next one begins. */
async function importSome(client: ClientBase, jobId: string, from: number): Promise<Piece> {
  const siteOfImport = await findImportSite(client, jobId);
  // Of two that another replica took at the same moment, none holds a connection while it waits.
  if (siteOfImport !== undefined && !(await tryLockPeople(client, siteOfImport)))
    return { againInMs: BUSY_MS };
  const upload = await readImport(client, jobId);
  const site = upload === undefined ? undefined : await holdSite(client, upload.workspaceId, upload.siteId);
  // The site was deleted meanwhile, and its data with it.
  if (upload === undefined || site === undefined) return { report: { ...NOTHING, cursor: null } };
  const { workspaceId, siteId } = upload;
  const rows = upload.rows.slice(from, from + ROWS_PER_PIECE);
  const userIds = rows.flatMap((row) => ('patch' in row ? [row.patch.user_id] : []));
  const erased = await erasedPeople(client, siteId, userIds);
  const known = await lockProfiles(client, siteId, userIds);
  const surroundings = { workspaceId, siteId, known, erased, nowMs: Date.now(), newId: randomUUID };
  const { changed, report } = importRows(rows, from + 1, surroundings);
  await storeProfiles(client, changed);
  const next = from + rows.length;
  const isLast = next >= upload.rows.length;
  if (isLast) await removeImport(client, jobId);
  return { report: { ...report, found: 0, cursor: isLast ? null : String(next) } };
}
