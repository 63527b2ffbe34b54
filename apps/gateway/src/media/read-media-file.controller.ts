import { Controller, Get } from '@nestjs/common';
import { MEDIA_TYPES } from '@truetally/contracts/management';
import type { Exchange, Params } from '../http/exchange.js';
import { Credential, AnswersFile, Cacheable } from '../http/route-rules.js';
import { MediaFileReader } from './media-file-reader.js';

@Controller('api/v1/public/media')
export class ReadMediaFileController {
  constructor(private readonly reader: MediaFileReader) {}

  @Get(':file')
  @Cacheable()
  @Credential('public')
  @AnswersFile(...Object.values(MEDIA_TYPES))
  read(exchange: Exchange, { file }: Params<'file'>): Promise<void> {
    return this.reader.read(exchange, file);
  }
}
