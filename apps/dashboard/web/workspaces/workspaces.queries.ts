import { queryOptions } from '@tanstack/react-query';
import type { OwnWorkspace } from '@truetally/node';
import { allItems, type Page } from '../api/pages.js';
import type { Api } from '../api/request.js';

/** The reader's own workspaces, invitations too: all of them. */
export const workspacesQuery = (api: Api) =>
  queryOptions({
    queryKey: ['workspaces'],
    queryFn: ({ signal }): Promise<readonly OwnWorkspace[]> =>
      allItems((cursor) =>
        api<Page<OwnWorkspace>>({ path: '/workspaces', query: { limit: 200, cursor }, signal }),
      ),
  });
