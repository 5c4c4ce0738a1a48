// The producing service: node dist/main-shop.js NUMBER_OF_ORDERS
import pg from 'pg';
import { placeOrders } from './shop/place-orders.ts';

const pool = new pg.Pool({ connectionString: process.env['SHOP_DATABASE_URL'] });
await placeOrders(pool, Number(process.argv[2] ?? 10));
await pool.end();
