import { Controller, Delete, Get, Post } from '@nestjs/common';
import { MediaResource, MEDIA_FIELD } from '@truetally/contracts/management';
import { DeletedResource } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Exchange, Params } from '../http/exchange.js';
import { Answers, AnswersPageOf, Credential, KnownQuery, ReceivesBody } from '../http/route-rules.js';
import { ResourceApi } from '../ask/resource.js';
import { PAGE_PARAMETERS } from '../http/page-query.js';
import { MediaLinks } from './media-links.js';
import { MediaUploader } from './media-uploader.js';

const MEDIA_FORM = {
  type: 'object',
  properties: { [MEDIA_FIELD]: { type: 'string', contentMediaType: 'application/octet-stream' } },
  required: [MEDIA_FIELD],
};

/** Interface page, section 9. Pictures are immutable: a change is a new upload. */
@Controller('api/v1/media')
export class MediaController {
  constructor(
    private readonly api: ResourceApi,
    private readonly uploader: MediaUploader,
    private readonly links: MediaLinks,
  ) {}

  @Post()
  @Credential('management-writer')
  @ReceivesBody({ 'multipart/form-data': MEDIA_FORM })
  @Answers(MediaResource, 201)
  create(exchange: Exchange): Promise<void> {
    return this.uploader.upload(exchange);
  }

  @Get()
  @Credential('management-reader')
  @KnownQuery(PAGE_PARAMETERS)
  @AnswersPageOf(MediaResource)
  list(exchange: Exchange): Promise<void> {
    return this.api.list(exchange, { to: OPERATIONS.listMedia, present: this.links.present });
  }

  @Get(':media_id')
  @Credential('management-reader')
  @Answers(MediaResource)
  read(exchange: Exchange, params: Params): Promise<void> {
    return this.api.read(exchange, { to: OPERATIONS.readMedia, params, present: this.links.present });
  }

  @Delete(':media_id')
  @Credential('management-writer')
  @Answers(DeletedResource)
  delete(exchange: Exchange, params: Params): Promise<void> {
    return this.api.delete(exchange, { to: OPERATIONS.deleteMedia, params });
  }
}
