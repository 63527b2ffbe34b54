import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { IntegrationResource, SiteResource } from '@truetally/node';
import { useState } from 'react';
import style from '../elements/elements.module.css';
import { DeleteNamed } from '../layout/delete-named.js';
import { Known } from '../layout/screen.js';
import { SiteScreen } from '../layout/site-screen.js';
import { keyOfRead, useRead } from '../layout/use-read.js';
import { useSiteOf, useWorkspace } from '../layout/workspace-context.js';
import { useDraft } from '../session/use-draft.js';
import { type IntegrationDraft, IntegrationForm, PROVIDER_WORDS } from './integration-form.js';
import { IntegrationState } from './integration-state.js';
import { Settlements } from './settlements.js';

export function IntegrationScreen() {
  return <SiteScreen title="Integration">{(site) => <One site={site} />}</SiteScreen>;
}

function One({ site }: { readonly site: SiteResource }) {
  const { integrationId } = useParams({ from: '/w/$workspaceId/integrations/$integrationId' });
  const integration = useRead<IntegrationResource>(`/integrations/${encodeURIComponent(integrationId)}`);
  const siteOf = useSiteOf(site);
  return (
    <Known query={integration}>
      {(data) => {
        const own = siteOf(data);
        return (
          <>
            <h2>{PROVIDER_WORDS[data.provider]}</h2>
            <dl className={style['facts']}>
              <dt>Last synchronised ({own.timezone})</dt>
              <dd>
                <IntegrationState integration={data} zone={own.timezone} />
              </dd>
              <dt>Address</dt>
              <dd>{data.base_url === null ? 'the network’s own' : <code>{data.base_url}</code>}</dd>
              <dt>Credentials</dt>
              <dd>stored encrypted, never shown</dd>
            </dl>
            <Controls site={own} integration={data} />
            {data.provider !== 'product_feed' && <Settlements integration={data} zone={own.timezone} />}
          </>
        );
      }}
    </Known>
  );
}

function Controls({
  site,
  integration,
}: {
  readonly site: SiteResource;
  readonly integration: IntegrationResource;
}) {
  const { workspace, mayWrite } = useWorkspace();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const draft = useDraft<IntegrationDraft>(`integration:${integration.id}`);
  const [asked, setAsked] = useState<'credentials' | 'delete' | undefined>(draft.kept && 'credentials');
  const close = (): void => {
    draft.forget();
    setAsked(undefined);
  };
  const path = `/integrations/${integration.id}`;
  if (!mayWrite) return null;
  return (
    <>
      <div className={style['actions']}>
        <button type="button" onClick={() => setAsked('credentials')}>
          Change the credentials
        </button>
        <button type="button" onClick={() => setAsked('delete')}>
          Delete
        </button>
      </div>
      {asked === 'credentials' && (
        <IntegrationForm site={site} known={integration} draft={draft} onClose={close} />
      )}
      {asked === 'delete' && (
        <DeleteNamed
          what={PROVIDER_WORDS[integration.provider]}
          path={path}
          version={integration.version}
          consequence="Nothing is synchronised any more. Settlements that it brought stay in the report."
          onClose={close}
          onDeleted={() => {
            cache.removeQueries({ queryKey: keyOfRead(workspace.id, path) });
            void cache.invalidateQueries({ queryKey: ['w', workspace.id] });
            void navigate({
              to: '/w/$workspaceId/integrations',
              params: { workspaceId: workspace.id },
              search: { site: site.id },
            });
          }}
        />
      )}
    </>
  );
}
