import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { OwnWorkspace } from '@truetally/node';
import { useEffect, useMemo, useState } from 'react';
import { Notice } from '../elements/problem.js';
import { noteLastWorkspace } from '../session/last-workspace.js';
import { usePage } from '../session/page-context.js';
import { sitesQuery } from '../sites/sites.queries.js';
import { workspacesQuery } from '../workspaces/workspaces.queries.js';
import { AddressNotice } from './address-notice.js';
import { AwayBanner } from './away-banner.js';
import { Invitation } from './invitation.js';
import { Navigation } from './navigation.js';
import { PlaceChoice } from './place-choice.js';
import { SchemeSwitch } from './scheme-switch.js';
import { Known, Screen } from './screen.js';
import style from './shell.module.css';
import { SignOut } from './sign-out.js';
import { type WorkspaceContext, WorkspaceContextProvider } from './workspace-context.js';
import { WorkspaceSwitch } from './workspace-switch.js';

/** The frame of every screen: who, which workspace, which site, and where to go. */
export function Shell() {
  const { api, session } = usePage();
  const { workspaceId } = useParams({ from: '/w/$workspaceId' });
  const workspaces = useQuery(workspacesQuery(api));
  const own = workspaces.data?.filter(({ membership }) => membership === 'accepted');
  const invited = workspaces.data?.filter(({ membership }) => membership === 'invited') ?? [];
  const named = own?.find(({ id }) => id === workspaceId);
  // What a switch has left: Back shows nothing of it by itself.
  const [left, setLeft] = useState<readonly string[]>([]);
  const workspace = left.includes(workspaceId) ? undefined : named;
  const shown = workspace?.id;
  useEffect(() => {
    if (shown !== undefined) noteLastWorkspace(shown);
  }, [shown]);
  // Its members are refused everything in it.
  const usable = workspace?.suspended === true ? undefined : workspace;
  const onReturn = (): void => setLeft(left.filter((id) => id !== workspaceId));
  return (
    <>
      <a className={style['skip']} href="#main">
        Skip to the content
      </a>
      <header className={style['bar']}>
        <span className={style['brand']}>Truetally</span>
        {workspace !== undefined && (
          <WorkspaceSwitch workspaces={own ?? []} current={workspace} onSwitch={setLeft} />
        )}
        {usable !== undefined && <SiteSwitch workspace={usable} />}
        <SchemeSwitch />
        <span className={`${style['choice']} ${style['reader']}`}>
          <span className={style['who']}>{session.name}</span>
          <SignOut />
        </span>
      </header>
      <div className={style['body']}>
        <nav className={style['navigation']} aria-label="Screens">
          {usable !== undefined && <Navigation workspace={usable} />}
        </nav>
        <main id="main" className={style['main']} tabIndex={-1}>
          <AwayBanner />
          <AddressNotice />
          {invited.map((one) => (
            <Invitation key={one.id} workspace={one} />
          ))}
          <Known query={workspaces}>
            {() =>
              usable !== undefined ? (
                <Inside workspace={usable} />
              ) : workspace !== undefined ? (
                <SuspendedWorkspace name={workspace.name} />
              ) : named !== undefined ? (
                <LeftWorkspace name={named.name} onReturn={onReturn} />
              ) : (
                <NoWorkspace />
              )
            }
          </Known>
        </main>
      </div>
    </>
  );
}

function SiteSwitch({ workspace }: { readonly workspace: OwnWorkspace }) {
  const { api } = usePage();
  const sites = useQuery(sitesQuery(api, workspace.id));
  const { site } = useSearch({ from: '/w/$workspaceId' });
  const navigate = useNavigate();
  const choose = (chosen: string): void => {
    void navigate({ to: '.', search: (search: object) => ({ ...search, site: chosen }) });
  };
  const known = sites.data ?? [];
  const current = known.find(({ id }) => id === site) ?? known[0];
  if (current === undefined) return null;
  return <PlaceChoice label="Site" current={current.id} places={known} onChoose={choose} />;
}

function Inside({ workspace }: { readonly workspace: OwnWorkspace }) {
  const { api } = usePage();
  const sites = useQuery(sitesQuery(api, workspace.id));
  const search = useSearch({ from: '/w/$workspaceId' });
  const context = useMemo((): WorkspaceContext => {
    const known = sites.data ?? [];
    const site = known.find(({ id }) => id === search.site) ?? known[0];
    return {
      workspace,
      sites: known,
      site,
      zone: site?.timezone ?? 'UTC',
      mayWrite: workspace.role !== 'analyst',
    };
  }, [workspace, sites.data, search.site]);
  return (
    <WorkspaceContextProvider value={context}>
      <Known query={sites}>
        {() => (
          <>
            {search.site !== undefined && search.site !== context.site?.id && (
              <Notice>
                <p role="status">
                  The address names a site that this workspace does not have
                  {context.site !== undefined && `: ${context.site.name} is shown instead`}.
                </p>
              </Notice>
            )}
            <Outlet />
          </>
        )}
      </Known>
    </WorkspaceContextProvider>
  );
}

function SuspendedWorkspace({ name }: { readonly name: string }) {
  return (
    <Screen title="Suspended">
      <p>
        <bdi>{name}</bdi> is suspended by whoever runs this installation: nothing is stored for it and nothing
        is shown, until it is active again. What was stored before is kept.
      </p>
    </Screen>
  );
}

function LeftWorkspace({ name, onReturn }: { readonly name: string; readonly onReturn: () => void }) {
  return (
    <Screen title="Another workspace">
      <p>
        This address belongs to <bdi>{name}</bdi>, which you have left.
      </p>
      <button type="button" onClick={onReturn}>
        Go back to <bdi>{name}</bdi>
      </button>
    </Screen>
  );
}

function NoWorkspace() {
  return (
    <Screen title="Not found">
      <p>
        There is no such workspace, or you are not a member of it. <Link to="/">Your workspaces</Link>
      </p>
    </Screen>
  );
}
