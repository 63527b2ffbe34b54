import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import { MEDIA_TYPES } from '@truetally/contracts/management';
import type { EdgeResponse } from '../http/exchange.js';
import { Credential, AnswersFile, Cacheable } from '../http/route-rules.js';
import { MediaFileReader } from './media-file-reader.js';

@Controller('api/v1/public/media')
export class ReadMediaFileController {
  constructor(@Inject(MediaFileReader) private readonly reader: MediaFileReader) {}

  @Get(':file')
  @Cacheable()
  @Credential('public')
  @AnswersFile(...Object.values(MEDIA_TYPES))
  read(@Res() { exchange }: EdgeResponse, @Param('file') file: string): Promise<void> {
    return this.reader.read(exchange, file);
  }
}
