import { Link, useLocation } from '@tanstack/react-router';
import type { OwnWorkspace } from '@truetally/node';
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import style from './shell.module.css';

const SCREENS = [
  { to: 'get-started', title: 'Get started', roles: ['owner', 'admin'] },
  { to: 'overview', title: 'Overview', roles: ['owner', 'admin', 'analyst'] },
  { to: 'revenue', title: 'Revenue compared', roles: ['owner', 'admin', 'analyst'] },
  { to: 'funnel', title: 'Funnel', roles: ['owner', 'admin', 'analyst'] },
  { to: 'health', title: 'Health', roles: ['owner', 'admin', 'analyst'] },
  { to: 'trail', title: 'Where is my event', roles: ['owner', 'admin', 'analyst'] },
  { to: 'live', title: 'Live events', roles: ['owner', 'admin', 'analyst'] },
  { to: 'events', title: 'Events', roles: ['owner', 'admin', 'analyst'] },
  { to: 'orders', title: 'Orders', roles: ['owner', 'admin', 'analyst'] },
  { to: 'chain', title: 'Ledger', roles: ['owner', 'admin', 'analyst'] },
  { to: 'commission-rules', title: 'Commission rules', roles: ['owner', 'admin', 'analyst'] },
  { to: 'touches', title: 'Touches', roles: ['owner', 'admin', 'analyst'] },
  { to: 'publisher', title: 'Publisher', roles: ['owner'] },
  { to: 'integrations', title: 'Integrations', roles: ['owner', 'admin', 'analyst'] },
  { to: 'partner-experiments', title: 'Experiments', roles: ['owner', 'admin', 'analyst'] },
  { to: 'campaigns', title: 'Campaigns', roles: ['owner', 'admin', 'analyst'] },
  { to: 'products', title: 'Products', roles: ['owner', 'admin', 'analyst'] },
  { to: 'media', title: 'Media', roles: ['owner', 'admin', 'analyst'] },
  { to: 'submissions', title: 'Submissions', roles: ['owner', 'admin', 'analyst'] },
  { to: 'workflows', title: 'Workflows', roles: ['owner', 'admin', 'analyst'] },
  { to: 'jobs', title: 'Jobs', roles: ['owner', 'admin', 'analyst'] },
  { to: 'profiles', title: 'Profiles', roles: ['owner', 'admin', 'analyst'] },
  { to: 'sites', title: 'Sites', roles: ['owner', 'admin', 'analyst'] },
  { to: 'api-keys', title: 'API keys', roles: ['owner', 'admin', 'analyst'] },
  { to: 'members', title: 'Members', roles: ['owner', 'admin', 'analyst'] },
  { to: 'audit-log', title: 'Audit log', roles: ['owner'] },
] as const;

/** Where to go in a workspace, as far as its member may. */
export function Navigation({ workspace }: { readonly workspace: OwnWorkspace }) {
  const path = useLocation({ select: ({ pathname }) => pathname });
  // On a narrow screen it is closed until it is asked for, and again on the screen that it leads to.
  const [openAt, setOpenAt] = useState<string>();
  const isOpen = openAt === path;
  const button = useRef<HTMLButtonElement>(null);
  useClosing(button, isOpen, () => setOpenAt(undefined));
  return (
    <>
      <button
        ref={button}
        type="button"
        className={style['menu']}
        aria-expanded={isOpen}
        aria-controls="screens"
        onClick={() => setOpenAt(isOpen ? undefined : path)}
      >
        Screens
      </button>
      <ul id="screens" className={isOpen ? undefined : style['closed']}>
        {SCREENS.filter(({ roles }) => (roles as readonly string[]).includes(workspace.role)).map(
          ({ to, title }) => (
            <li key={to}>
              <Link
                to={`/w/$workspaceId/${to}`}
                params={{ workspaceId: workspace.id }}
                search={({ site }: { site?: string }) => (site === undefined ? {} : { site })}
              >
                {title}
              </Link>
            </li>
          ),
        )}
      </ul>
    </>
  );
}

/** By Escape, which leaves the focus at the button, and by a click elsewhere. */
function useClosing(button: RefObject<HTMLButtonElement | null>, isOpen: boolean, onClose: () => void): void {
  const close = useEffectEvent(onClose);
  useEffect(() => {
    if (!isOpen) return;
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key !== 'Escape') return;
      close();
      button.current?.focus();
    };
    // The whole click: closing at its press would move what is pressed away.
    const onClick = ({ target }: MouseEvent): void => {
      const menu = button.current?.closest('nav');
      if (target instanceof Node && menu?.contains(target) === false) close();
    };
    document.addEventListener('keydown', onKey);
    document.addEventListener('click', onClick);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('click', onClick);
    };
  }, [button, isOpen]);
}
