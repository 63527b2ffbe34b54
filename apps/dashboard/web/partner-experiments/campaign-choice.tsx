import type { ExperimentResource, ListCampaignsResponses, SiteResource } from '@truetally/node';
import style from '../elements/elements.module.css';
import { Notice } from '../elements/problem.js';
import { Known } from '../layout/screen.js';
import { useList } from '../layout/use-read.js';

type Campaign = ListCampaignsResponses[200]['data']['items'][number];

const PAGE_ITEMS = 200;

/** Which campaigns of the surface the treatment sees. */
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
  const running = useList<ExperimentResource>('/partner-experiments', { site_id: site.id, state: 'running' });
  const deciding = running.data?.pages.flatMap((page) => page.items) ?? [];
  const standing = ({ id, status }: Campaign): string => {
    const other = deciding.find(({ campaign_ids: ids }) => ids.includes(id));
    // A campaign is decided about by one running experiment at most.
    return other === undefined
      ? status
      : `${status}; ${other.name} runs on it, so that this one cannot start`;
  };
  const toggle = (id: string): void =>
    onChoose(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <div className={style['field']}>
      <fieldset>
        <legend>Campaigns of the treatment</legend>
        <Known query={campaigns}>
          {({ pages }) => {
            const items = pages.flatMap((page) => page.items);
            return items.length === 0 ? (
              <Notice>
                <p>This site has no {surface} campaign yet.</p>
              </Notice>
            ) : (
              <div className={style['choices']}>
                {items.map((campaign) => (
                  <div key={campaign.id} className={style['option']}>
                    <input
                      type="checkbox"
                      id={`campaign-${campaign.id}`}
                      checked={chosen.includes(campaign.id)}
                      onChange={() => toggle(campaign.id)}
                    />
                    <label htmlFor={`campaign-${campaign.id}`}>
                      <bdi>{campaign.name}</bdi> ({standing(campaign)})
                    </label>
                  </div>
                ))}
              </div>
            );
          }}
        </Known>
        {campaigns.hasNextPage && (
          <button type="button" onClick={() => void campaigns.fetchNextPage()}>
            More campaigns
          </button>
        )}
      </fieldset>
      {error !== undefined && (
        <p className={style['error']} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
