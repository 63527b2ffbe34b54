import { queryOptions } from '@tanstack/react-query';
import type { ListWorkspacesResponses, OwnWorkspace } from '@truetally/node';
import type { Api } from '../api/request.js';

type Answer = ListWorkspacesResponses[200]['data'];

/** The reader's own workspaces, invitations too: a person has few, so that one page has all. */
export const workspacesQuery = (api: Api) =>
  queryOptions({
    queryKey: ['workspaces'],
    queryFn: ({ signal }): Promise<readonly OwnWorkspace[]> =>
      api<Answer>({ path: '/workspaces', query: { limit: 200 }, signal }).then(({ items }) => items),
  });
