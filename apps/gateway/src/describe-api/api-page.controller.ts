import { Controller, Get } from '@nestjs/common';
import type { Exchange, Params } from '../http/exchange.js';
import { AnswersFile, Cacheable, Credential } from '../http/route-rules.js';
import { ApiPage } from './api-page.js';

/** Interface page, section 11: the OpenAPI document for people. */
@Controller('api/docs')
export class ApiPageController {
  constructor(private readonly page: ApiPage) {}

  @Get()
  @Credential('public')
  @AnswersFile('text/html')
  @Cacheable()
  read(exchange: Exchange): Promise<void> {
    return this.page.answerPage(exchange);
  }

  @Get(':file')
  @Credential('public')
  @AnswersFile('text/javascript', 'text/css')
  @Cacheable()
  readFile(exchange: Exchange, { file }: Params<'file'>): Promise<void> {
    return this.page.answerFile(exchange, file);
  }
}
