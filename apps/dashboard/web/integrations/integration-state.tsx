import type { IntegrationResource } from '@truetally/node';
import style from '../elements/elements.module.css';
import { Instant } from '../elements/instant.js';

/** Whether the last synchronisation went well, and what it failed with. */
export function IntegrationState({
  integration: { status, last_error: error, last_sync_at: at },
  zone,
}: {
  readonly integration: IntegrationResource;
  readonly zone: string;
}) {
  return (
    <>
      <span className={style['badge']}>{status}</span>{' '}
      {at === null ? 'never synchronised' : <Instant at={at} zone={zone} />}
      {error !== null && <p className={style['error']}>{error}</p>}
    </>
  );
}
