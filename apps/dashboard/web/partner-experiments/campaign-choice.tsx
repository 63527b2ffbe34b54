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
                {items.map(({ id, name, status }) => (
                  <div key={id} className={style['option']}>
                    <input
                      type="checkbox"
                      id={`campaign-${id}`}
                      checked={chosen.includes(id)}
                      onChange={() => toggle(id)}
                    />
                    <label htmlFor={`campaign-${id}`}>
                      {name} ({status})
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
