// The files of a day. Their columns are the contract with readers: a change raises SCHEMA_VERSION. The guide's tables are
// generated from these (docs/guide/lake.md).

/** Since version 2, doubles are rounded, and prices that equal `open` are null. Version 1 has the same columns. */
export const SCHEMA_VERSION = 2

/** Prices of candles that are null in files if they equal `open`. */
export const PRICES_LIKE_OPEN: readonly string[] = ['high', 'low', 'close']

type Column = readonly [name: string, type: string, meaning: string]

export interface LakeTable {
  about: string
  /** Columns by which the rows are sorted. */
  order: string
  columns: readonly Column[]
  /** Columns whose sums are in the manifest. Amounts are added whatever their tokens: only to compare. */
  sums: readonly string[]
}

const BLOCK = ['block_number', 'BIGINT', 'block'] as const
const TRANSACTION = ['transaction_index', 'INTEGER', 'place of the transaction in the block'] as const
const POSITION = ['position', 'INTEGER', 'place of the trade among those of the transaction'] as const
const LOG = ['log_index', 'INTEGER', 'place of the log in the block'] as const
const TIME = ['block_time', 'TIMESTAMPTZ', 'time of the block'] as const
const HASH = ['tx_hash', 'BLOB', 'hash of the transaction'] as const
const KEY = ['pool_key', 'BIGINT', 'the last eight bytes of the pool, signed'] as const
const POOL = ['pool', 'BLOB', 'address or id of the pool; null if several pools of these tokens share its key'] as const
const VALUE = ['volume_usd', 'DECIMAL(38,8)', 'value in USD; null if unpriced'] as const
const SUMMED = ['volume_usd', 'DECIMAL(38,8)', 'sum of the known values in USD'] as const
const FLAGS = 'bits, in the order of the flags of `/v1/swaps`'

function amount(name: string, meaning: string): readonly Column[] {
  return [
    [name, 'BLOB', `${meaning}, in base units`],
    [`${name}_double`, 'DOUBLE', 'the same, rounded'],
  ]
}

function price(name: string, meaning: string): readonly Column[] {
  return [
    [name, 'BLOB', `${meaning}: USD per base unit times 10^42`],
    [`${name}_double`, 'DOUBLE', 'the same in USD per whole token; null if its decimals are unknown'],
  ]
}

export const TABLES = {
  swaps: {
    about: 'A row for each trade.',
    order: 'block_number, transaction_index, position',
    columns: [
      BLOCK,
      TRANSACTION,
      POSITION,
      TIME,
      HASH,
      ['trader', 'BLOB', 'account that signed the transaction'],
      ['settled_for', 'BLOB', 'owner of the order; null unless it was settled for somebody'],
      ['sell_token', 'BLOB', 'token that the trader gave'],
      ['sell_native', 'BOOLEAN', 'whether that was the coin itself'],
      ...amount('sell_amount', 'what the trader gave'),
      ['buy_token', 'BLOB', 'token that the trader got'],
      ['buy_native', 'BOOLEAN', 'whether that was the coin itself'],
      ...amount('buy_amount', 'what the trader got'),
      VALUE,
      ['usd_source', 'VARCHAR', 'what the value comes from; null if unpriced'],
      ['flags', 'SMALLINT', FLAGS],
    ],
    sums: ['sell_amount', 'buy_amount', 'volume_usd'],
  },
  hops: {
    about: 'A row for each hop, also those of trades with one hop.',
    order: 'pool_key, block_number, log_index',
    columns: [
      POOL,
      KEY,
      BLOCK,
      TRANSACTION,
      LOG,
      POSITION,
      TIME,
      ['token_in', 'BLOB', 'token that the pool received'],
      ...amount('amount_in', 'what the pool received'),
      ['token_out', 'BLOB', 'token that the pool paid'],
      ...amount('amount_out', 'what the pool paid'),
      VALUE,
      ['flags', 'SMALLINT', FLAGS],
      ['sets_price', 'BOOLEAN', 'whether prices of candles follow from it'],
    ],
    sums: ['amount_in', 'amount_out', 'volume_usd'],
  },
  candles: {
    about:
      'Minutes with hops: a row for each side of a pool, and a row without a pool for each token, which has no prices: those are medians over its pools, and follow from `flows` and the rows of pools.',
    order: 'token, pool_key NULLS FIRST, minute',
    columns: [
      ['token', 'BLOB', 'the token whose candle this is'],
      ['pool', 'BLOB', 'the pool, as in `hops`; null in rows of the whole token'],
      ['pool_key', 'BIGINT', 'the last eight bytes of the pool, signed; null in rows of the whole token'],
      ['other', 'BLOB', 'the other token; null in rows of the whole token'],
      ['minute', 'TIMESTAMPTZ', 'start of the minute'],
      ['trades', 'INTEGER', 'number of hops'],
      ['unpriced', 'INTEGER', 'number of hops without a value'],
      SUMMED,
      ['buys', 'INTEGER', 'number of hops that bought the token'],
      ['buy_volume_usd', 'DECIMAL(38,8)', 'their known value in USD'],
      ...price('open', 'first price; null if no hop sets one'),
      ...price('high', 'highest price; null if it equals `open`'),
      ...price('low', 'lowest price; null if it equals `open`'),
      ...price('close', 'last price; null if it equals `open`'),
      ['open_at', 'BIGINT', 'place of the first hop that sets a price: block times 2^20, plus the log'],
      ['close_at', 'BIGINT', 'place of the last one'],
    ],
    sums: ['trades', 'volume_usd'],
  },
  flows: {
    about:
      'What buyers of a token paid into a pool in an hour, minus what sellers got. The weights of pools follow from it.',
    order: 'token, pool_key, hour',
    columns: [
      ['token', 'BLOB', 'the token'],
      ['pool', 'BLOB', 'the pool; null if several pools of the hour share its key'],
      KEY,
      ['hour', 'TIMESTAMPTZ', 'start of the hour'],
      ['hops', 'INTEGER', 'number of hops that set a price'],
      ['net_usd', 'DECIMAL(38,8)', 'the flow in USD'],
    ],
    sums: ['hops', 'net_usd'],
  },
  liquidity: {
    about: 'A row for each time that liquidity was added or removed.',
    order: 'pool, block_number, log_index',
    columns: [
      ['pool', 'BLOB', 'address or id of the pool'],
      BLOCK,
      TRANSACTION,
      LOG,
      TIME,
      HASH,
      ['account', 'BLOB', 'who added or removed it; null if unknown'],
      ['added', 'BOOLEAN', 'added, or removed'],
      ['amounts', 'BLOB[]', 'amounts by coin of the pool, in base units; null if unknown'],
      ['amounts_double', 'DOUBLE[]', 'the same, rounded'],
      ...amount('liquidity', 'liquidity of a range of ticks'),
      ['tick_lower', 'INTEGER', 'lower end of the range'],
      ['tick_upper', 'INTEGER', 'upper end of the range'],
      ['value_usd', 'DECIMAL(38,8)', 'value in USD; null if unknown'],
    ],
    sums: ['liquidity', 'value_usd'],
  },
  pools: {
    about: 'The pools whose keys the other files have, as known when the day was written.',
    order: 'address',
    columns: [
      ['address', 'BLOB', 'address or id'],
      KEY,
      ['dex', 'VARCHAR', 'name of the deployment'],
      ['factory', 'BLOB', 'the contract that confirmed the pool'],
      ['token0', 'BLOB', 'first token'],
      ['token1', 'BLOB', 'second token'],
      ['fee', 'INTEGER', 'fee in millionths'],
      ['tick_spacing', 'INTEGER', 'distance of ticks; null without ticks'],
      ['coins', 'BLOB[]', 'all coins, if there can be more than two'],
      ['underlying', 'BLOB[]', 'coins behind those'],
      ['hooks', 'BLOB', 'contract of its hooks'],
    ],
    sums: [],
  },
  tokens: {
    about: 'The tokens that the other files name, as known when the day was written.',
    order: 'address',
    columns: [
      ['address', 'BLOB', 'address'],
      ['symbol', 'VARCHAR', 'as listed, or as its contract claims'],
      ['name', 'VARCHAR', 'as listed, or as its contract claims'],
      ['decimals', 'INTEGER', 'null if unknown'],
    ],
    sums: [],
  },
  day_totals: {
    about: 'One row, none on a day without trades.',
    order: 'swaps',
    columns: [
      ['swaps', 'BIGINT', 'number of trades'],
      ['unpriced', 'BIGINT', 'those without a value'],
      ['flagged', 'BIGINT', 'those with flags'],
      SUMMED,
    ],
    sums: ['swaps', 'volume_usd'],
  },
} as const satisfies Record<string, LakeTable>

export type TableName = keyof typeof TABLES
export const TABLE_NAMES = Object.keys(TABLES) as TableName[]
