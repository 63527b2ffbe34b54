import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { cursors, type Page } from '../api/pages.js';
import type { ApiRequest } from '../api/request.js';
import { usePage } from '../session/page-context.js';
import { useWorkspace } from './workspace-context.js';

type Query = NonNullable<ApiRequest['query']>;

/** What is refused so often is not asked for again by itself: a job that is not there never ends. */
const MOST_REFUSALS = 5;

/** The first page is there at once; whoever asks for more looks for something, and is to find it in few steps. */
const MORE_ITEMS = 200;

/** The cache's name of what a path answers: a switch of the workspace drops all below it. */
export function keyOfRead(workspaceId: string, path: string, query: Query = {}) {
  return ['w', workspaceId, path, query] as const;
}

/** One answer of the workspace. */
export function useRead<T>(path: string, query: Query = {}, { refetchMs }: ReadOptions<T> = {}) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: keyOfRead(workspace.id, path, query),
    queryFn: ({ signal }) => api<T>({ path, query, workspaceId: workspace.id, signal }),
    refetchInterval: ({ state }) =>
      state.error !== null && state.errorUpdateCount >= MOST_REFUSALS
        ? false
        : (refetchMs?.(state.data, state.dataUpdateCount) ?? false),
  });
}

interface ReadOptions<T> {
  /** Milliseconds, or false for never; by the last answer and how many there were. */
  readonly refetchMs?: (data: T | undefined, answers: number) => number | false;
}

/** A list of the workspace, page by page. */
export function useList<T>(path: string, query: Query = {}) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  return useInfiniteQuery({
    queryKey: keyOfRead(workspace.id, path, query),
    queryFn: ({ signal, pageParam }) =>
      api<Page<T>>({
        path,
        query: { ...(pageParam !== undefined && { limit: MORE_ITEMS }), ...query, cursor: pageParam },
        workspaceId: workspace.id,
        signal,
      }),
    ...cursors,
  });
}
