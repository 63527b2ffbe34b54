import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { SiteResource } from '@truetally/node';
import { useState } from 'react';
import style from '../elements/elements.module.css';
import { DeleteNamed } from '../layout/delete-named.js';
import { Screen } from '../layout/screen.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { SITE_SETTINGS } from './site-settings.js';
import { SiteSettingsForm } from './site-settings-form.js';
import { StorefrontLine } from './storefront-line.js';

/** A site's settings with their meaning: the address names the site, whichever is chosen above. */
export function SiteSettingsScreen() {
  const { siteId } = useParams({ from: '/w/$workspaceId/sites/$siteId' });
  const { sites, mayWrite } = useWorkspace();
  const site = sites.find(({ id }) => id === siteId);
  return (
    <Screen title="Settings of a site">
      {site === undefined ? (
        <p>Not found: there is no such site in this workspace.</p>
      ) : (
        <>
          <h2>{site.name}</h2>
          <p>
            Site id <code>{site.id}</code>
          </p>
          {mayWrite ? <SiteSettingsForm key={site.id} site={site} /> : <Shown site={site} />}
          <h2>The line for its pages</h2>
          <StorefrontLine site={site} />
          {mayWrite && <Delete site={site} />}
        </>
      )}
    </Screen>
  );
}

/** For a role that may not change them. */
function Shown({ site }: { readonly site: SiteResource }) {
  return (
    <dl className={style['facts']}>
      {SITE_SETTINGS.map(({ path, label, meaning, valueOf }) => (
        <div key={path} className={style['fact']}>
          <dt>{label}</dt>
          <dd>
            {valueOf(site)}
            <p className={style['hint']}>{meaning}</p>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Delete({ site }: { readonly site: SiteResource }) {
  const { workspace } = useWorkspace();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const [isAsked, setAsked] = useState(false);
  const leave = async (): Promise<void> => {
    await navigate({ to: '/w/$workspaceId/sites', params: { workspaceId: workspace.id }, search: {} });
    await cache.invalidateQueries({ queryKey: ['w', workspace.id, 'sites'] });
  };
  return (
    <>
      <h2>Deleting it</h2>
      <p>Its keys and pages are refused at once, and everything that is stored of it is erased.</p>
      <button type="button" onClick={() => setAsked(true)}>
        Delete this site
      </button>
      {isAsked && (
        <DeleteNamed
          what={site.name}
          path={`/sites/${site.id}`}
          version={site.version}
          consequence="Its keys, events, orders and reports go with it."
          onClose={() => setAsked(false)}
          onDeleted={() => void leave()}
        />
      )}
    </>
  );
}
