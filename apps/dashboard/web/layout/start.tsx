import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { Loading } from '../elements/loading.js';
import { readLastWorkspace } from '../session/last-workspace.js';
import { usePage } from '../session/page-context.js';
import { useDraft } from '../session/use-draft.js';
import { workspacesQuery } from '../workspaces/workspaces.queries.js';
import { Known, Screen } from './screen.js';
import { Invitation } from './invitation.js';
import { NewWorkspace, type WorkspaceDraft } from './new-workspace.js';
import { SignOut } from './sign-out.js';
import shell from './shell.module.css';

/** The page's home: leads to the reader's workspace, the last one of several, or makes the first one. */
export function Start() {
  const { api, session } = usePage();
  const draft = useDraft<WorkspaceDraft>('first-workspace');
  const workspaces = useQuery(workspacesQuery(api));
  const accepted = workspaces.data?.filter(({ membership }) => membership === 'accepted');
  const last = readLastWorkspace();
  const own = accepted?.find(({ id }) => id === last) ?? accepted?.[0];
  if (own !== undefined)
    return <Navigate to="/w/$workspaceId/sites" params={{ workspaceId: own.id }} replace />;
  if (workspaces.isPending) return <Loading />;
  return (
    <>
      <header className={shell['bar']}>
        <span className={shell['brand']}>Truetally</span>
        <span className={shell['who']}>{session.name}</span>
        <SignOut />
      </header>
      <main className={shell['main']}>
        <Screen title="Your workspace">
          <Known query={workspaces}>
            {(items) => (
              <>
                {items.map((item) => (
                  <Invitation key={item.id} workspace={item} />
                ))}
                <h2>Make a workspace</h2>
                <NewWorkspace draft={draft} />
              </>
            )}
          </Known>
        </Screen>
      </main>
    </>
  );
}
