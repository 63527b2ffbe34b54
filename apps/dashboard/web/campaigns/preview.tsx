import type { ProductResource, SiteResource } from '@truetally/node';
import { useEffect, useRef, useState } from 'react';
import type { CampaignType } from '../domain/campaign-form.js';
import style from '../elements/elements.module.css';
import { useList } from '../layout/use-read.js';
import type { PreviewMessage } from '../preview/preview-message.js';
import own from './campaigns.module.css';

const MOST_PRODUCTS = 50;

interface Previewed {
  readonly type: CampaignType;
  readonly name: string;
  readonly content: Readonly<Record<string, unknown>>;
}

/** What a shop shows of it, by the renderer that shops load. */
export function Preview({ site, ...shown }: Previewed & { readonly site: SiteResource }) {
  return shown.type === 'recommendation' ? (
    <WithProducts site={site} {...shown} />
  ) : (
    <Frame {...shown} items={[]} />
  );
}

/** Which products a session is recommended depends on it; the newest ones stand for them. */
function WithProducts({ site, ...shown }: Previewed & { readonly site: SiteResource }) {
  const { count } = shown.content;
  const wanted = typeof count === 'number' && count >= 1 ? Math.min(Math.floor(count), MOST_PRODUCTS) : 1;
  const products = useList<ProductResource>('/products', { site_id: site.id, limit: wanted });
  const items = (products.data?.pages[0]?.items ?? []).map(({ product_id, title, url, price, currency }) => ({
    product_id,
    title,
    url,
    // A picture of the shop would be asked of another host.
    image_url: null,
    price,
    currency,
  }));
  return <Frame {...shown} items={items} />;
}

function Frame({ type, name, content, items }: Previewed & Pick<PreviewMessage, 'items'>) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [readyTimes, setReadyTimes] = useState(0);
  const message = JSON.stringify({ type, name, content, items } satisfies PreviewMessage);
  useEffect(() => {
    const onMessage = ({ source, origin, data }: MessageEvent<unknown>): void => {
      // A sandboxed page has no origin; who it is, its window says.
      if (source !== frame.current?.contentWindow || origin !== 'null' || data !== 'ready') return;
      setReadyTimes((times) => times + 1);
    };
    window.addEventListener('message', onMessage);
    return () => window.removeEventListener('message', onMessage);
  }, []);
  const show = (): void => frame.current?.contentWindow?.postMessage(JSON.parse(message), '*');
  useEffect(() => {
    if (readyTimes > 0) frame.current?.contentWindow?.postMessage(JSON.parse(message), '*');
  }, [message, readyTimes]);
  return (
    <section aria-labelledby="preview">
      <h2 id="preview">Preview</h2>
      <iframe
        ref={frame}
        className={own['frame']}
        src="/dashboard/preview.html"
        sandbox="allow-scripts"
        title="Preview"
      />
      <div className={style['actions']}>
        <button type="button" onClick={show}>
          Show it again
        </button>
        <span className={style['quiet']}>It appears at once here, and its links lead nowhere.</span>
      </div>
    </section>
  );
}
