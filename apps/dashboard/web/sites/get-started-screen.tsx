import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { NewApiKeyResource, SiteResource } from '@truetally/node';
import { useState } from 'react';
import { curlOf } from '../domain/curl.js';
import { ActionButton } from '../elements/action-button.js';
import { Copyable } from '../elements/copyable.js';
import { Dialog } from '../elements/dialog.js';
import style from '../elements/elements.module.css';
import { Instant } from '../elements/instant.js';
import { Notice, Problem } from '../elements/problem.js';
import { useLostFocus } from '../elements/use-lost-focus.js';
import { ForRoles } from '../layout/for-roles.js';
import { Screen } from '../layout/screen.js';
import { useLiveEvents } from '../layout/use-live-events.js';
import { useShown } from '../layout/use-shown.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { useOneStream } from '../session/one-stream.js';
import { usePage } from '../session/page-context.js';
import { NewSite } from './new-site-screen.js';
import { StorefrontLine } from './storefront-line.js';

/** From nothing to the first event, in one page. */
export function GetStartedScreen() {
  const { site, workspace } = useWorkspace();
  const navigate = useNavigate();
  const [isAnother, setAnother] = useState(false);
  const close = (): void => setAnother(false);
  const choose = (made: SiteResource): void => {
    close();
    void navigate({ to: '.', search: { site: made.id } });
  };
  return (
    <Screen title="Get started">
      <ForRoles roles={['owner', 'admin']}>
        <h2>1. Your shop</h2>
        {site === undefined ? (
          <NewSite onMade={choose} />
        ) : (
          <>
            <p>
              <strong>
                <bdi>{site.name}</bdi>
              </strong>{' '}
              ({site.domain}), times in {site.timezone}.
            </p>
            <div className={style['actions']}>
              <button type="button" onClick={() => setAnother(true)}>
                Add another shop
              </button>
            </div>
            {isAnother && (
              <Dialog title="Another shop" onClose={close}>
                <NewSite onMade={choose} onClose={close} />
              </Dialog>
            )}
            <FirstEvent key={`${workspace.id} ${site.id}`} site={site} />
          </>
        )}
      </ForRoles>
    </Screen>
  );
}

/** A key, a command with it, and its event as it arrives. */
function FirstEvent({ site }: { readonly site: SiteResource }) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const cache = useQueryClient();
  const place = useLostFocus<HTMLHeadingElement>();
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const [session] = useState(() => `get-started-${crypto.randomUUID().slice(0, 8)}`);
  const create = useMutation({
    mutationFn: () =>
      api<NewApiKeyResource>({
        method: 'POST',
        path: `/sites/${site.id}/api-keys`,
        workspaceId: workspace.id,
        idempotencyKey,
        body: { name: 'Get started', scopes: ['events:write'] },
      }),
    onSuccess: () => cache.invalidateQueries({ queryKey: ['w', workspace.id, 'api-keys', site.id] }),
    // The answer holds the key: it goes when this screen is left.
    gcTime: 0,
  });
  const key = create.data?.key;
  return (
    <>
      <h2 ref={place} tabIndex={-1}>
        2. A key for your backend
      </h2>
      {create.error !== null && <Problem error={create.error} />}
      {create.data === undefined ? (
        <div className={style['actions']}>
          <ActionButton isBusy={create.isPending} onClick={() => create.mutate()}>
            Make a key
          </ActionButton>
        </div>
      ) : typeof key === 'string' ? (
        <Made />
      ) : (
        <Notice>
          <p>This key was made before and is not shown again; reload this page to make another one.</p>
        </Notice>
      )}
      <h2>3. Send an event</h2>
      {typeof key === 'string' ? (
        <Command site={site} secret={key} session={session} />
      ) : (
        <p>The command with your key stands here once there is one.</p>
      )}
      <h2>4. See it arrive</h2>
      <Arrival site={site} session={session} />
      <h2>5. The line for your shop’s pages</h2>
      <StorefrontLine site={site} />
    </>
  );
}

function Made() {
  const place = useLostFocus<HTMLParagraphElement>();
  return (
    <p ref={place} tabIndex={-1}>
      It stands in the command below, and nowhere else: it is stored as a hash only. Copy it before you leave
      this screen.
    </p>
  );
}

function Command({
  site,
  secret,
  session,
}: {
  readonly site: SiteResource;
  readonly secret: string;
  readonly session: string;
}) {
  const { apiBaseUrl } = usePage();
  const event = {
    event_type: 'page_view',
    session_id: session,
    context: { page_url: `https://${site.domain}/`, user_agent: 'Mozilla/5.0 (my backend)' },
  };
  return <Copyable name="the command" text={curlOf(`${apiBaseUrl}/events/track`, secret, event)} />;
}

/** The live stream, of this session alone. */
function Arrival({ site, session }: { readonly site: SiteResource; readonly session: string }) {
  const { workspace } = useWorkspace();
  const isShown = useShown();
  const { isHeld, isElsewhere, take } = useOneStream(isShown);
  const query = { site_id: site.id, session_id: session };
  const { live, isConnected, error, tryAgain } = useLiveEvents(query, isHeld);
  const [newest] = live.rows;
  if (error !== undefined) return <Problem error={error} onRetry={tryAgain} />;
  if (isElsewhere) {
    return (
      <Notice>
        <p>Another tab of this browser shows live events.</p>
        <button type="button" onClick={take}>
          Show them here
        </button>
      </Notice>
    );
  }
  return (
    <div role="status">
      {newest?.kind === 'event' ? (
        <p>
          <strong>Arrived</strong> at <Instant at={newest.event.received_at} zone={site.timezone} /> (
          {site.timezone}), as{' '}
          <Link
            to="/w/$workspaceId/trail"
            params={{ workspaceId: workspace.id }}
            search={{ site: site.id, id: newest.event.event_id }}
          >
            {newest.event.event_id}
          </Link>
        </p>
      ) : (
        <p>{isConnected ? 'Waiting for your event' : 'Connecting'}</p>
      )}
    </div>
  );
}
