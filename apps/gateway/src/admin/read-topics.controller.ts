import { Controller, Get, Inject, Res } from '@nestjs/common';
import { TopicResource } from '@truetally/contracts/operations';
import type { EdgeResponse } from '../http/exchange.js';
import { Credential, AnswersPageOf } from '../http/route-rules.js';
import { TopicReader } from './topic-reader.js';

@Controller('api/admin')
export class ReadTopicsController {
  constructor(@Inject(TopicReader) private readonly topics: TopicReader) {}

  @Get('topics')
  @Credential('admin')
  @AnswersPageOf(TopicResource)
  read(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.topics.read(exchange);
  }
}
