import { Controller, Get } from '@nestjs/common';
import type { Exchange, Params } from '../http/exchange.js';
import { AnswersFile, Cacheable, Credential } from '../http/route-rules.js';
import { SdkFiles } from './sdk-files.js';

/** Interface page, section 9: the script of storefront pages. */
@Controller('sdk/v1')
export class ReadSdkFileController {
  constructor(private readonly files: SdkFiles) {}

  @Get(':file')
  @Cacheable()
  @Credential('public')
  @AnswersFile('text/javascript', 'application/json')
  read(exchange: Exchange, { file }: Params<'file'>): Promise<void> {
    return this.files.answer(exchange, file);
  }
}
