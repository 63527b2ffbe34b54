import { Controller, Get } from '@nestjs/common';
import { TopicResource } from '@truetally/contracts/operations';
import type { Exchange } from '../http/exchange.js';
import { Credential, AnswersPageOf } from '../http/route-rules.js';
import { TopicReader } from './topic-reader.js';

@Controller('api/admin')
export class ReadTopicsController {
  constructor(private readonly topics: TopicReader) {}

  @Get('topics')
  @Credential('admin')
  @AnswersPageOf(TopicResource)
  read(exchange: Exchange): Promise<void> {
    return this.topics.read(exchange);
  }
}
