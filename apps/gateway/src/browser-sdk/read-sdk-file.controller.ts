import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import type { EdgeResponse } from '../http/exchange.js';
import { AnswersFile, Cacheable, Credential } from '../http/route-rules.js';
import { SdkFiles } from './sdk-files.js';

/** Interface page, section 9: the script of storefront pages. */
@Controller('sdk/v1')
export class ReadSdkFileController {
  constructor(@Inject(SdkFiles) private readonly files: SdkFiles) {}

  @Get(':file')
  @Cacheable()
  @Credential('public')
  @AnswersFile('text/javascript', 'application/json')
  read(@Res() { exchange }: EdgeResponse, @Param('file') file: string): void {
    this.files.answer(exchange, file);
  }
}
