import { Injectable } from '@nestjs/common';
import {
  type AssignSession,
  type AssignSessionBody,
  readAssignSessionBody,
} from '@truetally/contracts/experiments';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Asker } from '../ask/ask.js';
import { isBotUserAgent } from '../http/bot-user-agent.js';
import type { Exchange } from '../http/exchange.js';
import { answer, refuse } from '../http/respond.js';
import { NetworkNames } from './network-names.js';
import { deviceClassOf, HTTP_LIBRARY } from './device-class.js';

const CREATED = 201;
const OK = 200;
const MAX_USER_AGENT_CHARACTERS = 1_024;
const NOBODY = JSON.stringify({ assignments: [] });

/**
 * A session and its arms: admitted, validated, assigned (interface page, section 7). Bots are never assigned.
 */
@Injectable()
export class SessionAssigner {
  constructor(
    private readonly asker: Asker,
    private readonly networks: NetworkNames,
  ) {}

  async assign(exchange: Exchange): Promise<void> {
    const { siteId } = exchange.callerOfSite();
    const body = readAssignSessionBody(exchange.takeBody());
    if (!body.ok) return refuse(exchange, 'broken-rules', body.error);
    const userAgent = (exchange.request.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT_CHARACTERS);
    if (isBotUserAgent(userAgent) && !HTTP_LIBRARY.test(userAgent)) return answer(exchange, OK, NOBODY);
    const network = this.networks.of(exchange.request, siteId);
    const question = { ...questionOf(siteId, body.value, userAgent), network };
    const assigned = await this.asker.find(exchange, OPERATIONS.assignSession, question);
    if (assigned === undefined) return;
    const { assignments, is_new } = assigned;
    answer(exchange, is_new ? CREATED : OK, JSON.stringify({ assignments }));
  }
}

function questionOf(siteId: string, body: AssignSessionBody, userAgent: string): AssignSession {
  return {
    site_id: siteId,
    session_id: body.session_id,
    campaign_id: body.campaign_id?.toLowerCase() ?? null,
    experiment_ids: body.experiment_ids?.map((id) => id.toLowerCase()) ?? null,
    touch_ids: [...new Set(body.touch_ids ?? [])],
    device: deviceClassOf(userAgent),
  };
}
