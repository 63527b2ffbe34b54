import { Injectable } from '@nestjs/common';
import { RuntimeTokenRequest } from '@truetally/contracts/runtime';
import { compileReader } from '@truetally/contracts/validation';
import { RUNTIME_TOKEN_SECONDS, RuntimeTokens } from '../credentials/runtime-token.js';
import { SiteDirectory } from '../credentials/site-directory.js';
import type { Exchange } from '../http/exchange.js';
import { answer, refuse } from '../http/respond.js';

const readRequest = compileReader(RuntimeTokenRequest);

/** A page exchanges its public site id and its origin for a token (interface page, section 2). */
@Injectable()
export class RuntimeTokenIssuer {
  constructor(
    private readonly sites: SiteDirectory,
    private readonly tokens: RuntimeTokens,
  ) {}

  async issue(exchange: Exchange): Promise<void> {
    const { origin } = exchange;
    if (origin === undefined) return refuse(exchange, 'subject-refused');
    const request = readRequest(exchange.takeBody());
    if (!request.ok) return refuse(exchange, 'broken-rules', request.error);
    const site = this.sites.active(request.value.site_id.toLowerCase());
    if (site === undefined || !site.allowedOrigins.has(origin)) {
      // A page that gets no token sends nothing: the merchant sees it among the refused requests.
      exchange.refusedSiteId = site?.siteId;
      return refuse(exchange, 'subject-refused');
    }
    const { token, expiresAtMs } = await this.tokens.issue(site.siteId, origin);
    const data = {
      token,
      token_type: 'Bearer',
      expires_in: RUNTIME_TOKEN_SECONDS,
      expires_at: new Date(expiresAtMs).toISOString(),
      site_id: site.siteId,
    };
    answer(exchange, 201, JSON.stringify(data));
  }
}
