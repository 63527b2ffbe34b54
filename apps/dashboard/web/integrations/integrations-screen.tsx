import { Link } from '@tanstack/react-router';
import type { IntegrationResource, SiteResource } from '@truetally/node';
import { useState } from 'react';
import style from '../elements/elements.module.css';
import { List } from '../layout/list.js';
import { SiteScreen } from '../layout/site-screen.js';
import { useList } from '../layout/use-read.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { useDraft } from '../session/use-draft.js';
import { type IntegrationDraft, IntegrationForm, PROVIDER_WORDS } from './integration-form.js';
import { IntegrationState } from './integration-state.js';

export function IntegrationsScreen() {
  return <SiteScreen title="Integrations">{(site) => <Integrations key={site.id} site={site} />}</SiteScreen>;
}

function Integrations({ site }: { readonly site: SiteResource }) {
  const { workspace, mayWrite } = useWorkspace();
  const draft = useDraft<IntegrationDraft>(`new-integration:${site.id}`);
  const [isAdding, setAdding] = useState(draft.kept !== undefined);
  const close = (): void => {
    draft.forget();
    setAdding(false);
  };
  const integrations = useList<IntegrationResource>('/integrations', { site_id: site.id });
  return (
    <>
      {mayWrite && (
        <div className={style['actions']}>
          <button type="button" onClick={() => setAdding(true)}>
            Add an integration
          </button>
        </div>
      )}
      {isAdding && <IntegrationForm site={site} draft={draft} onClose={close} />}
      <List
        list={integrations}
        name="integrations"
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Provider',
            cell: ({ id, provider }) => (
              <Link
                to="/w/$workspaceId/integrations/$integrationId"
                params={{ workspaceId: workspace.id, integrationId: id }}
                search={{ site: site.id }}
              >
                {PROVIDER_WORDS[provider]}
              </Link>
            ),
          },
          {
            title: `Last synchronised (${site.timezone})`,
            cell: (integration) => <IntegrationState integration={integration} zone={site.timezone} />,
          },
          { title: 'Address', cell: ({ base_url: url }) => (url === null ? 'its own' : <code>{url}</code>) },
        ]}
        empty={
          <p>
            No integration yet. One with a partner network brings settlements, what it pays for your links;
            one with a product feed keeps the products up to date.
          </p>
        }
      />
    </>
  );
}
