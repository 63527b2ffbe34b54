import { Link } from '@tanstack/react-router';
import type { ExperimentResource, ListCampaignsResponses, SiteResource } from '@truetally/node';
import { type ReactNode, useState } from 'react';
import style from '../elements/elements.module.css';
import { More } from '../elements/more.js';
import { Notice } from '../elements/problem.js';
import { Items } from '../layout/list.js';
import { useList } from '../layout/use-read.js';
import { useWorkspace } from '../layout/workspace-context.js';

type Campaign = ListCampaignsResponses[200]['data']['items'][number];

const PAGE_ITEMS = 200;
/** Of a site, running and paused ones together (interface page, section 7). */
const LIVE_AT_ONCE = 50;

/** Which campaigns of the surface the treatment sees; another surface takes another one of these. */
export function CampaignChoice({
  site,
  surface,
  chosen,
  error,
  onChoose,
}: {
  readonly site: SiteResource;
  readonly surface: ExperimentResource['surface'];
  readonly chosen: readonly string[];
  readonly error: string | undefined;
  readonly onChoose: (ids: readonly string[]) => void;
}) {
  const campaigns = useList<Campaign>('/campaigns', { site_id: site.id, type: surface, limit: PAGE_ITEMS });
  const ofSite = { site_id: site.id, limit: LIVE_AT_ONCE };
  const running = useList<ExperimentResource>('/partner-experiments', { ...ofSite, state: 'running' });
  const paused = useList<ExperimentResource>('/partner-experiments', { ...ofSite, state: 'paused' });
  const holders = [running, paused].flatMap(({ data }) => data?.pages.flatMap(({ items }) => items) ?? []);
  const standing = ({ id, status }: Campaign): string => {
    const other = holders.find(({ campaign_ids: ids }) => ids.includes(id));
    // A running or paused experiment keeps its campaigns.
    return other === undefined
      ? status
      : `${status}; ${other.name} has it and is ${other.state}, so that this one cannot start`;
  };
  // One that is not listed stays where it is when it is taken out, and can be put back.
  const [before] = useState(chosen);
  const toggle = (id: string): void =>
    onChoose(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <div className={style['field']}>
      <fieldset>
        <legend>Campaigns of the treatment</legend>
        <Items list={campaigns}>
          {(items, refusal) => (
            <>
              {items.length === 0 && <NoCampaign site={site} surface={surface} />}
              <div className={style['choices']}>
                {items.map((campaign) => (
                  <Choice key={campaign.id} id={campaign.id} {...{ chosen, toggle }}>
                    <bdi>{campaign.name}</bdi> ({standing(campaign)})
                  </Choice>
                ))}
                {[...new Set([...before, ...chosen])]
                  .filter((id) => items.every((one) => one.id !== id))
                  .map((id) => (
                    <Choice key={id} id={id} {...{ chosen, toggle }}>
                      <code>{id}</code> ({campaigns.hasNextPage ? 'further down' : 'deleted'})
                    </Choice>
                  ))}
              </div>
              {refusal}
              <More
                name="campaigns"
                isLoading={campaigns.isFetchingNextPage}
                onMore={campaigns.hasNextPage ? () => void campaigns.fetchNextPage() : undefined}
              />
            </>
          )}
        </Items>
      </fieldset>
      {error !== undefined && (
        <p className={style['error']} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

function Choice({
  id,
  chosen,
  toggle,
  children,
}: {
  readonly id: string;
  readonly chosen: readonly string[];
  readonly toggle: (id: string) => void;
  readonly children: ReactNode;
}) {
  return (
    <div className={style['option']}>
      <input
        type="checkbox"
        id={`campaign-${id}`}
        checked={chosen.includes(id)}
        onChange={() => toggle(id)}
      />
      <label htmlFor={`campaign-${id}`}>{children}</label>
    </div>
  );
}

function NoCampaign({
  site,
  surface,
}: {
  readonly site: SiteResource;
  readonly surface: ExperimentResource['surface'];
}) {
  const { workspace } = useWorkspace();
  return (
    <Notice>
      <p>
        This site has no {surface} campaign yet.{' '}
        <Link
          to="/w/$workspaceId/campaigns/new"
          params={{ workspaceId: workspace.id }}
          search={{ site: site.id, type: surface }}
        >
          Add a campaign
        </Link>
      </p>
    </Notice>
  );
}
