import type { Resource, ResourceCommand, ResourceQuery } from '@truetally/contracts/resource';
import type { Failure, Reply } from '@truetally/kernel';
import type { Table } from '@truetally/persistence';
import { isStale, type Outcome, paramOf, type Queryable } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { refusals } from './domain/refusals.js';
import { tombstone } from './jobs/erasures.js';
import { holdOfSite } from './storage/hold-of-site.js';
import { sitesAskedFor } from './storage/site.store.js';

type Refuse = () => { readonly error: Failure };

/** Reads the resource in the path. */
export function reading<Found>(
  param: string,
  find: (client: Queryable, workspaceId: string, id: string) => Promise<Found | undefined>,
  missing: Refuse,
) {
  return async (client: Queryable, { workspace_id, params }: ResourceQuery): Promise<Reply<Found>> => {
    const found = await find(client, workspace_id, paramOf(params, param));
    return found === undefined ? missing() : { ok: found };
  };
}

/** Lists those of the whole workspace, or of one of its sites; another workspace's site counts as unknown. */
export function listing<Page>(
  pageOf: (client: Queryable, query: ResourceQuery, siteIds: readonly string[]) => Promise<Page>,
) {
  return async (client: Queryable, query: ResourceQuery) => {
    const siteIds = await sitesAskedFor(client, query);
    return siteIds === undefined ? refusals.noSite() : pageOf(client, query, siteIds);
  };
}

/** @param topic where it is published, and its tombstone as well */
export function deleting<T extends Pick<Resource, 'id' | 'version'>>(
  resource: string,
  table: Table<T>,
  missing: Refuse,
  topic?: string,
) {
  return async (client: ClientBase, command: ResourceCommand): Promise<Outcome> => {
    const found = await holdOfSite(client, command, table);
    if (found === undefined) return missing();
    const { id, version } = found;
    if (isStale(command.version, version)) return refusals.staleVersion(version);
    await client.query(table.delete(id));
    return {
      ok: { id, deleted: true },
      facts: topic === undefined ? [] : [tombstone(topic, id)],
      audit: { action: 'delete', resource, resourceId: id },
    };
  };
}
