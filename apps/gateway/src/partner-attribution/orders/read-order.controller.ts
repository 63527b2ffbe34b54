import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import { OrderResource } from '@truetally/contracts/attribution';
import type { EdgeResponse } from '../../http/exchange.js';
import { Credential, KnownQuery, Answers } from '../../http/route-rules.js';
import { ORDER_QUERY, OrderReader } from './order-reader.js';

@Controller('api/v1/partner-attribution')
export class ReadOrderController {
  constructor(@Inject(OrderReader) private readonly reader: OrderReader) {}

  @Get('orders/:order_id')
  @Credential('attribution-reader')
  @KnownQuery(ORDER_QUERY)
  @Answers(OrderResource)
  read(@Res() response: EdgeResponse, @Param('order_id') orderId: string): Promise<void> {
    return this.reader.read(response.exchange, orderId);
  }
}
