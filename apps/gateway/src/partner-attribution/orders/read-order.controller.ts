import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import type { EdgeResponse } from '../../http/exchange.js';
import { Credential, KnownQuery } from '../../http/route-rules.js';
import { SITE_PAGE_QUERY } from '../site-query.js';
import { OrderReader } from './order-reader.js';

@Controller('api/v1/partner-attribution')
export class ReadOrderController {
  constructor(@Inject(OrderReader) private readonly reader: OrderReader) {}

  @Get('orders/:order_id')
  @Credential('attribution-reader')
  @KnownQuery(...SITE_PAGE_QUERY)
  read(@Res() response: EdgeResponse, @Param('order_id') orderId: string): Promise<void> {
    return this.reader.read(response.exchange, orderId);
  }
}
