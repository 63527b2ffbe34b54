import { randomBytes } from 'node:crypto';
import { Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { API_KEY_RANDOM_BYTES, mintApiKey } from '@truetally/contracts/credentials';
import {
  ApiKeyResource,
  NewApiKeyResource,
  ApiKeyBody,
  RotateApiKeyBody,
} from '@truetally/contracts/management';
import { DeletedResource } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Exchange, Params } from '../http/exchange.js';
import { Answers, AnswersPageOf, Credential, JsonBody, KnownQuery } from '../http/route-rules.js';
import { KnownChanges } from './known-changes.js';
import { type CommandTarget, ResourceApi } from '../ask/resource.js';
import { PAGE_PARAMETERS } from '../http/page-query.js';

@Controller('api/v1/sites/:site_id/api-keys')
export class ApiKeysController {
  constructor(
    private readonly api: ResourceApi,
    private readonly known: KnownChanges,
  ) {}

  @Post()
  @Credential('management-writer')
  @JsonBody(ApiKeyBody)
  @Answers(NewApiKeyResource, 201)
  create(exchange: Exchange, params: Params): Promise<void> {
    const isKnown = this.known.apiKey;
    return this.api.create(exchange, { to: OPERATIONS.createApiKey, params, isKnown, ...minting() });
  }

  @Get()
  @Credential('management-reader')
  @KnownQuery(PAGE_PARAMETERS)
  @AnswersPageOf(ApiKeyResource)
  list(exchange: Exchange, params: Params): Promise<void> {
    return this.api.list(exchange, { to: OPERATIONS.listApiKeys, params });
  }

  @Get(':key_id')
  @Credential('management-reader')
  @Answers(ApiKeyResource)
  read(exchange: Exchange, params: Params): Promise<void> {
    return this.api.read(exchange, { to: OPERATIONS.readApiKey, params });
  }

  @Patch(':key_id')
  @Credential('management-writer')
  @JsonBody(ApiKeyBody)
  @Answers(ApiKeyResource)
  update(exchange: Exchange, params: Params): Promise<void> {
    const isKnown = this.known.apiKey;
    return this.api.change(exchange, { to: OPERATIONS.updateApiKey, params, isKnown });
  }

  @Post(':key_id/rotate')
  @Credential('management-writer')
  @JsonBody(RotateApiKeyBody, { isOptional: true })
  @Answers(NewApiKeyResource)
  rotate(exchange: Exchange, params: Params): Promise<void> {
    const isKnown = this.known.apiKey;
    const target = { to: OPERATIONS.rotateApiKey, params, isKnown, ...minting() };
    return this.api.change(exchange, target);
  }

  @Delete(':key_id')
  @Credential('management-writer')
  @Answers(DeletedResource)
  revoke(exchange: Exchange, params: Params): Promise<void> {
    const isKnown = this.known.revocation;
    return this.api.delete(exchange, { to: OPERATIONS.revokeApiKey, params, isKnown });
  }
}

/** A key's text stays in this process and in one answer: only its prefix and hash are sent on. */
function minting(): Required<Pick<CommandTarget, 'oneTime' | 'prepare'>> {
  const { key, prefix, hash } = mintApiKey(randomBytes(API_KEY_RANDOM_BYTES));
  return {
    // All fields of a rotation's body have defaults, so that it may be absent.
    prepare: (fields = {}) => ({ body: { fields, prefix, hash } }),
    oneTime: () => ({ key }),
  };
}
