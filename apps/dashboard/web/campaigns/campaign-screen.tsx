import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { SiteResource } from '@truetally/node';
import { useState } from 'react';
import style from '../elements/elements.module.css';
import { DeleteNamed } from '../layout/delete-named.js';
import { Known } from '../layout/screen.js';
import { SiteScreen } from '../layout/site-screen.js';
import { useRead } from '../layout/use-read.js';
import { useSiteOf, useWorkspace } from '../layout/workspace-context.js';
import { CampaignEditor } from './campaign-editor.js';
import { type Campaign, InExperiment, Schedule, useRunningExperiments } from './campaigns-screen.js';
import { Preview } from './preview.js';
import { VisitCheck } from './visit-check.js';

export function NewCampaignScreen() {
  const { type = 'overlay' } = useSearch({ from: '/w/$workspaceId/campaigns/new' });
  return (
    <SiteScreen title={`New ${type}`} roles={['owner', 'admin']}>
      {(site) => <CampaignEditor key={`${site.id} ${type}`} site={site} type={type} campaign={undefined} />}
    </SiteScreen>
  );
}

export function CampaignScreen() {
  const { campaignId } = useParams({ from: '/w/$workspaceId/campaigns/$campaignId' });
  return (
    <SiteScreen title="Campaign">
      {(site) => <OneCampaign key={campaignId} site={site} campaignId={campaignId} />}
    </SiteScreen>
  );
}

function OneCampaign({ site, campaignId }: { readonly site: SiteResource; readonly campaignId: string }) {
  const { workspace, mayWrite } = useWorkspace();
  const siteOf = useSiteOf(site);
  const campaign = useRead<Campaign>(`/campaigns/${encodeURIComponent(campaignId)}`);
  const running = useRunningExperiments(site.id);
  return (
    <Known query={campaign}>
      {(data) => {
        const own = siteOf(data);
        return (
          <>
            <dl className={style['facts']}>
              <dt>Campaign id</dt>
              <dd>
                <code>{data.id}</code>
              </dd>
              <dt>In a running experiment</dt>
              <dd>
                <InExperiment
                  campaignId={data.id}
                  running={running}
                  workspaceId={workspace.id}
                  siteId={own.id}
                />
              </dd>
            </dl>
            {mayWrite ? (
              <>
                <CampaignEditor site={own} type={data.type} campaign={data} />
                <Delete campaign={data} site={own} />
              </>
            ) : (
              <Shown campaign={data} site={own} />
            )}
          </>
        );
      }}
    </Known>
  );
}

/** For a role that may not change it. */
function Shown({ campaign, site }: { readonly campaign: Campaign; readonly site: SiteResource }) {
  const { name, type, status, schedule, targeting, content } = campaign;
  return (
    <>
      <h2>{name}</h2>
      <dl className={style['facts']}>
        <dt>Status</dt>
        <dd>{status}</dd>
        <dt>Shown ({site.timezone})</dt>
        <dd>
          <Schedule schedule={schedule} zone={site.timezone} />
        </dd>
      </dl>
      <Preview site={site} type={type} name={name} content={content} />
      <VisitCheck fields={{ name, status, schedule, targeting, content }} />
      <pre>
        <code>{JSON.stringify({ targeting, content }, null, 2)}</code>
      </pre>
    </>
  );
}

function Delete({ campaign, site }: { readonly campaign: Campaign; readonly site: SiteResource }) {
  const { workspace } = useWorkspace();
  const navigate = useNavigate();
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <div className={style['actions']}>
        <button type="button" onClick={() => setAsked(true)}>
          Delete
        </button>
      </div>
      {isAsked && (
        <DeleteNamed
          what={campaign.name}
          path={`/campaigns/${campaign.id}`}
          consequence="Pages stop showing it within seconds."
          onClose={() => setAsked(false)}
          onDeleted={() =>
            void navigate({
              to: '/w/$workspaceId/campaigns',
              params: { workspaceId: workspace.id },
              search: { site: site.id },
            })
          }
        />
      )}
    </>
  );
}
