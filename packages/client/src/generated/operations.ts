// Generated from the OpenAPI document: `npx vitest run packages/client -u` writes it.

export type QuoteResponse = {
  result: Quote
}

export type Quote = {
  /** The selected network */
  network: "bsc" | "eth" | "polygon"
  sell_token: TokenMetadata
  buy_token: TokenMetadata
  /** Amount of buy_token received for 1 unit of sell_token, including fees and price impact but not gas */
  price: string
}

export type TokenMetadata = {
  /** Token name */
  name: string
  /** Token symbol */
  symbol: string
  /** Number of decimals of the token */
  decimals: string
  /** Token contract address with EIP-55 checksum; empty for the native coin of the network */
  address: string
}

export type Failure = {
  /** What went wrong, in plain words */
  error: string
}

export type SwapTransactions = SwapTransaction[]

export type SwapTransaction = {
  /** Transaction hash */
  tx_hash: string
  /** Block in which the swap was recorded */
  block_number: string
  sell_token: SwapTokenLeg
  buy_token: SwapTokenLeg
  /** Value of the swap in USD; also 0.00000000 if no price is known */
  trade_volume_usd: string
}

export type SwapTokenLeg = {
  /** Token name */
  name: string
  /** Token symbol */
  symbol: string
  /** Number of decimals of the token */
  decimals: string
  /** Token contract address with EIP-55 checksum; empty for the native coin of the network */
  address: string
  /** Amount in the token's smallest unit */
  amount: string
  /** Exact amount in whole units, with at least eight fractional digits */
  amount_decimal: string
}

export type DayVolumes = DayVolume[]

export type DayVolume = {
  /** The day (UTC) */
  date: string
  /** Number of distinct addresses that traded on that day */
  address_count: string
  /** Trade volume of that day in USD */
  trade_volume_usd: string
}

export type Networks = {
  data: Network[]
}

export type Network = {
  /** The value of the parameter `network` */
  network: "bsc" | "eth" | "polygon"
  chain_id: number
  /** The coin itself; its address is empty */
  coin: {
    address: string
    /** From the contract or the curated list; anyone can write this text */
    symbol: string | null
    name: string | null
    /** Null: the contract returns no usable value */
    decimals: string | null
  }
  /** The contract that wraps the coin */
  wrapped_coin: {
    address: string
    /** From the contract or the curated list; anyone can write this text */
    symbol: string | null
    name: string | null
    /** Null: the contract returns no usable value */
    decimals: string | null
  }
  /** The stablecoins that are used to value trades */
  stablecoins: PoolToken[]
  /** The same as in `/status` */
  ready: boolean
  /** `false` while the indexer cannot prove the receipts of the blocks that it reads */
  proven: boolean
  /** The chain's head when the last block was indexed */
  chain_head: string | null
  /** The last indexed block; null if there is none yet */
  indexed_block: string | null
  indexed_block_time: string | null
  /** Blocks up to this one cannot be rolled back */
  final_block: string | null
  /** Number of blocks between the head and `indexed_block` */
  lag_blocks: number | null
  /** Age of `indexed_block` */
  lag_seconds: number | null
  coverage: NetworkCoverage
  /** Trades and candles before this time were deleted (`RETENTION_DAYS`); null if none were */
  kept_since: string | null
  /** Number of verified pools with at least one trade */
  pools: number
  /** Number of tokens in these pools or on the curated list */
  tokens: number
  /** Number of DEXes that have such a pool */
  protocols: number
}

export type PoolToken = {
  address: string
  /** From the contract or the curated list; anyone can write this text */
  symbol: string | null
  name: string | null
  /** Null: the contract returns no usable value */
  decimals: string | null
}

export type NetworkCoverage = {
  /** Every block from here to `indexed_block` is indexed; null while that block is in no such range */
  from_block: string | null
  /** Time of `from_block` */
  since: string | null
  /** Number of final blocks since the start whose trades are stored */
  done_blocks: number
  /** Number of final blocks since the start */
  total_blocks: number
  /** Number of block ranges that are missing between the start and `indexed_block` */
  gaps: number
}

export type CodedFailure = {
  /** What went wrong, in plain words */
  error: string
  /** `invalid_parameter`: A parameter is missing, repeated or malformed. `unknown_parameter`: The parameter does not exist here. `invalid_cursor`: The cursor does not belong to a page of this list. `malformed_request`: The request itself is malformed. `unknown_key`: The API key is unknown. `not_found`: This path does not exist, or the object is not indexed. `network_not_indexed`: This server does not index the network. `method_not_allowed`: This path does not support the method. `request_timeout`: The request took too long to arrive. `body_too_large`: The body is too large. `url_too_long`: The URL is too long. `unsupported_media_type`: The body is not JSON. `rate_limited`: Too many requests; `Retry-After` says when to retry. `internal`: A server error. `query_timeout`: The database took too long; use a narrower time range or filter. `unavailable`: Temporarily unavailable; `Retry-After` says when to retry */
  code: "invalid_parameter" | "unknown_parameter" | "invalid_cursor" | "malformed_request" | "unknown_key" | "not_found" | "network_not_indexed" | "method_not_allowed" | "request_timeout" | "body_too_large" | "url_too_long" | "unsupported_media_type" | "rate_limited" | "internal" | "query_timeout" | "unavailable"
}

export type SearchResult = {
  /** Best match first */
  tokens: TokenFigures[]
  /** Pools that match, and pools of the best tokens; best match first */
  pools: Pool[]
}

export type TokenFigures = {
  network: "bsc" | "eth" | "polygon"
  address: string
  /** From the contract or the curated list; anyone can write this text */
  symbol: string | null
  name: string | null
  /** Null: the contract returns no usable value */
  decimals: string | null
  /** Whether the token is on the curated list, so that its symbol can be trusted */
  listed: boolean
  /** USD per whole token, by the last trade within two days that has a value; null if there is none */
  price_usd: string | null
  /** Change of the price in percent since 5 minutes ago, rounded toward zero */
  price_change_5m: string | null
  /** Change of the price in percent since an hour ago, rounded toward zero */
  price_change_1h: string | null
  /** Change of the price in percent since 6 hours ago, rounded toward zero */
  price_change_6h: string | null
  /** Change of the price in percent since a day ago, rounded toward zero */
  price_change_24h: string | null
  volume_24h_usd: string
  swaps_24h: number
  /** How many of them have no known value */
  unpriced_swaps_24h: number
  /** Value of the tokens with a trusted price in the pool, or in all pools of the token; null if unknown */
  liquidity_usd: string | null
  /** Minute of the first stored swap */
  first_seen: string | null
  /** Whether 24 full hours of trades determine how much each pool counts in the price, like `weighted` in `/v1/candles`; null if there is no price */
  price_weighted: boolean | null
  /** What the contract reports, in base units, read about once a day; null if it reports none or was not read yet */
  total_supply: string | null
  /** Fully diluted value: `price_usd` of the whole `total_supply`, rounded down */
  fdv_usd: string | null
}

export type Pool = {
  network: "bsc" | "eth" | "polygon"
  /** The pool's contract; or the contract of its vault or manager, followed by the pool's address or id there */
  address: string
  /** Name of the DEX */
  protocol: string
  /** The contract that confirms the pool */
  factory: string
  tokens: PoolToken[]
  /** Null if it varies or is unknown */
  fee_millionths: number | null
  tick_spacing: number | null
  /** A contract that may change the amounts and fees of every swap; null if there is none */
  hooks: string | null
  /** State at the indexed head; null if it has not been read yet, is known to be wrong, or the pool is `not_quoted` */
  state: {
    /** The block after which the pool had this state */
    block_number: string
    /** `pair`, `concentrated`, or the name of the formula of the pool */
    kind: string
    /** For other kinds: at most how much of each of the `tokens` the pool can pay out */
    balances: string[] | null
    /** Reserve of the first token; null unless the pool is a pair */
    reserve0: string | null
    reserve1: string | null
    /** Null if the pool has no concentrated liquidity */
    sqrt_price_x96: string | null
    tick: number | null
    /** Liquidity in range */
    liquidity: string | null
  } | null
  /** Why quotes do not use the pool. `unknown-code`: no known factory deployed it. `unknown-rate`: a contract that the creator of the pool chose sets one of its rates. `hooks`: its hooks may change or refuse swaps. Null if quotes use the pool, or leave it out for another reason, such as a kind that is not quoted */
  not_quoted: "unknown-code" | "unknown-rate" | "hooks" | null
  /** The token whose price is shown: of the two, the one that is not money. Its price comes from its trades against the other one */
  base_token: string
  /** Price of the base token in the other token by the last trade that sets `price_usd`, with up to 18 digits */
  price_quote: string | null
  /** USD per whole token, by the last trade within two days that has a value; null if there is none */
  price_usd: string | null
  /** Change of the price in percent since 5 minutes ago, rounded toward zero */
  price_change_5m: string | null
  /** Change of the price in percent since an hour ago, rounded toward zero */
  price_change_1h: string | null
  /** Change of the price in percent since 6 hours ago, rounded toward zero */
  price_change_6h: string | null
  /** Change of the price in percent since a day ago, rounded toward zero */
  price_change_24h: string | null
  volume_24h_usd: string
  swaps_24h: number
  /** How many of them have no known value */
  unpriced_swaps_24h: number
  /** Value of the tokens with a trusted price in the pool, or in all pools of the token; null if unknown */
  liquidity_usd: string | null
  /** Minute of the first stored swap */
  first_seen: string | null
  /** Time of the block that created the pool; null if the block that created the pool, or an event that says so, was not read */
  created_at: string | null
  created_block: string | null
  /** The transaction that created the pool */
  created_tx: string | null
  /** The account that signed that transaction */
  creator: string | null
}

export type Swap = {
  /** Time of the block */
  time: string
  network: "bsc" | "eth" | "polygon"
  block_number: string
  tx_hash: string
  transaction_index: number
  /** Position of the trade within its transaction */
  position: number
  /** The account that signed the transaction; null if unknown */
  trader: string | null
  /** The account for which a settlement traded, according to its event; null for other trades */
  settled_for: string | null
  sell_token: SwapLeg
  buy_token: SwapLeg
  /** Whether the trader bought or sold the token that is not money (`base_token` of `/v1/pools`); null if both tokens are money of the same kind, or neither is money */
  side: "buy" | "sell" | null
  /** What a whole token of that kind cost, or brought, in the other token: the ratio of the two amounts, rounded down to 18 digits. Null if `side` or the decimals are unknown, or an amount is zero */
  price: string | null
  /** Null if no price is known */
  trade_volume_usd: string | null
  /** Where the value comes from (docs/internals/usd.md); null if there is none */
  usd_source: "stablecoin" | "route-stablecoin" | "native" | "anchor" | null
  /** What is unusual about the value. `capped`: the value is limited to what the pools held, or leaves out money that only went round within the transaction. `partial`: the account also gave or got something else; or what it traded is shown only by a token that anybody could have created, so the tokens are those of the pools; or a fee in coins, which logs do not show, may have been taken from what it bought; or the value of part of the trade is unknown. `depegged`: a stablecoin that sets the value is off its peg. `disagreement`: the values of the two legs differ by more than 5 %. `jit-liquidity`: the transaction added the liquidity that it swapped with, and removed it afterwards. `amounts-differ`: an amount, or the price that both amounts give, differs by more than a fifth from the pools' amounts. `old-price`: most of the money that sets the price was in pools that had not traded for half an hour. `unconfirmed`: the transfers into and out of a pool do not confirm the event of the pool; if they show amounts, those count. `closed-loop`: all value went round: nobody outside the pools gave or got more than 1 % of it in the transaction, as in arbitrage and wash trading. `settlement`: an order that the event of a settlement states, of which pools filled only a part or nothing; the rest counts only as far as the order's owner paid or received it */
  flags: ("depegged" | "disagreement" | "capped" | "partial" | "jit-liquidity" | "amounts-differ" | "old-price" | "unconfirmed" | "closed-loop" | "settlement")[]
  /** The hops of the trade, in order; empty if not stored, or if no pool took part in the order. If several trades of a transaction share a hop, the whole hop is listed with the trade that has the largest part of it */
  hops: SwapHop[]
  /** `false` while the chain can still roll the block back */
  final: boolean
}

export type SwapLeg = {
  name: string | null
  symbol: string | null
  /** Null if the contract returns no usable value */
  decimals: string | null
  /** Address with EIP-55 checksum; empty for the coin of the network */
  address: string
  /** Amount in base units */
  amount: string
  /** Exact amount in whole units; null if the decimals are unknown */
  amount_decimal: string | null
}

export type SwapHop = {
  /** Name of the DEX */
  protocol: string | null
  /** The pool's contract; or the contract of its vault or manager, followed by the pool's address or id there */
  pool: string | null
  log_index: number
  /** The token that the pool received; the coin appears as its wrapper */
  token_in: string
  amount_in: string
  /** The token that the pool paid out; the coin appears as its wrapper */
  token_out: string
  amount_out: string
  trade_volume_usd: string | null
}

export type Transaction = {
  network: "bsc" | "eth" | "polygon"
  tx_hash: string
  block_number: string
  /** Time of the block */
  time: string
  /** `false` while the chain can still roll the block back */
  final: boolean
  transaction_index: number
  /** The account that signed the transaction; null if unknown */
  trader: string | null
  /** The trades, in their order within the transaction */
  trades: ExplainedTrade[]
  /** `false` if the transaction has more than the 1,000 trades of this response */
  complete: boolean
  /** Every token of the trades and hops; symbols and names are what contracts claim */
  tokens: PoolToken[]
}

export type ExplainedTrade = {
  /** Position of the trade within its transaction */
  position: number
  /** The account for which a settlement traded, according to its event; null for other trades */
  settled_for: string | null
  sell_token: SwapLeg
  buy_token: SwapLeg
  /** Whether the trader bought or sold the token that is not money (`base_token` of `/v1/pools`); null if both tokens are money of the same kind, or neither is money */
  side: "buy" | "sell" | null
  /** What a whole token of that kind cost, or brought, in the other token: the ratio of the two amounts, rounded down to 18 digits. Null if `side` or the decimals are unknown, or an amount is zero */
  price: string | null
  /** Null if no price is known */
  trade_volume_usd: string | null
  /** Where the value comes from (docs/internals/usd.md); null if there is none */
  usd_source: "stablecoin" | "route-stablecoin" | "native" | "anchor" | null
  /** What is unusual about the value. `capped`: the value is limited to what the pools held, or leaves out money that only went round within the transaction. `partial`: the account also gave or got something else; or what it traded is shown only by a token that anybody could have created, so the tokens are those of the pools; or a fee in coins, which logs do not show, may have been taken from what it bought; or the value of part of the trade is unknown. `depegged`: a stablecoin that sets the value is off its peg. `disagreement`: the values of the two legs differ by more than 5 %. `jit-liquidity`: the transaction added the liquidity that it swapped with, and removed it afterwards. `amounts-differ`: an amount, or the price that both amounts give, differs by more than a fifth from the pools' amounts. `old-price`: most of the money that sets the price was in pools that had not traded for half an hour. `unconfirmed`: the transfers into and out of a pool do not confirm the event of the pool; if they show amounts, those count. `closed-loop`: all value went round: nobody outside the pools gave or got more than 1 % of it in the transaction, as in arbitrage and wash trading. `settlement`: an order that the event of a settlement states, of which pools filled only a part or nothing; the rest counts only as far as the order's owner paid or received it */
  flags: ("depegged" | "disagreement" | "capped" | "partial" | "jit-liquidity" | "amounts-differ" | "old-price" | "unconfirmed" | "closed-loop" | "settlement")[]
  /** The hops as in `/v1/swaps`, in order, with the amounts of the pools; empty if none is stored with this trade */
  hops: ExplainedHop[]
  /** Net amounts of the hops; null if the hops are not stored with this trade, or do not net to two tokens. What the account itself gave and got is in `sell_token` and `buy_token` */
  through_pools: {
    /** What entered the first pools; the coin appears as its wrapper */
    sell: {
      name: string | null
      symbol: string | null
      /** Null if the contract returns no usable value */
      decimals: string | null
      /** Address with EIP-55 checksum; empty for the coin of the network */
      address: string
      /** Amount in base units */
      amount: string
      /** Exact amount in whole units; null if the decimals are unknown */
      amount_decimal: string | null
    }
    /** What left the last pools */
    buy: {
      name: string | null
      symbol: string | null
      /** Null if the contract returns no usable value */
      decimals: string | null
      /** Address with EIP-55 checksum; empty for the coin of the network */
      address: string
      /** Amount in base units */
      amount: string
      /** Exact amount in whole units; null if the decimals are unknown */
      amount_decimal: string | null
    }
  } | null
  /** Why the row is as it is, as far as stored data shows */
  notes: TradeNote[]
}

export type ExplainedHop = {
  /** Name of the DEX */
  protocol: string | null
  /** The pool's contract; or the contract of its vault or manager, followed by the pool's address or id there */
  pool: string | null
  log_index: number
  /** The token that the pool received; the coin appears as its wrapper */
  token_in: string
  amount_in: string
  /** The token that the pool paid out; the coin appears as its wrapper */
  token_out: string
  amount_out: string
  trade_volume_usd: string | null
  /** Flags that keep this hop out of prices and candles */
  flags: ("depegged" | "disagreement" | "capped" | "partial" | "jit-liquidity" | "amounts-differ" | "old-price" | "unconfirmed" | "closed-loop" | "settlement")[]
}

export type TradeNote = {
  /** The part of the trade that the note explains */
  about: "row" | "sell" | "buy" | "value"
  /** A code for programs; for a flag, its name */
  code: string
  /** The note in plain words; never contains text from a contract */
  text: string
}

export type TokenWithFlow = {
  network: "bsc" | "eth" | "polygon"
  address: string
  /** From the contract or the curated list; anyone can write this text */
  symbol: string | null
  name: string | null
  /** Null: the contract returns no usable value */
  decimals: string | null
  /** Whether the token is on the curated list, so that its symbol can be trusted */
  listed: boolean
  /** USD per whole token, by the last trade within two days that has a value; null if there is none */
  price_usd: string | null
  /** Change of the price in percent since 5 minutes ago, rounded toward zero */
  price_change_5m: string | null
  /** Change of the price in percent since an hour ago, rounded toward zero */
  price_change_1h: string | null
  /** Change of the price in percent since 6 hours ago, rounded toward zero */
  price_change_6h: string | null
  /** Change of the price in percent since a day ago, rounded toward zero */
  price_change_24h: string | null
  volume_24h_usd: string
  swaps_24h: number
  /** How many of them have no known value */
  unpriced_swaps_24h: number
  /** Value of the tokens with a trusted price in the pool, or in all pools of the token; null if unknown */
  liquidity_usd: string | null
  /** Minute of the first stored swap */
  first_seen: string | null
  /** Whether 24 full hours of trades determine how much each pool counts in the price, like `weighted` in `/v1/candles`; null if there is no price */
  price_weighted: boolean | null
  /** What the contract reports, in base units, read about once a day; null if it reports none or was not read yet */
  total_supply: string | null
  /** Fully diluted value: `price_usd` of the whole `total_supply`, rounded down */
  fdv_usd: string | null
  flow: Flow
}

/** Swaps of the last 5 minutes, hour, 6 hours and day; of a pool, of its `base_token` */
export type Flow = {
  '5m': FlowWindow
  '1h': FlowWindow
  '6h': FlowWindow
  '24h': FlowWindow
}

export type FlowWindow = {
  swaps: number
  volume_usd: string
  /** Number of swaps that pay the token out; null while swaps of an older version are not counted yet */
  buys: number | null
  /** Number of all other swaps of the token; null while swaps of an older version are not counted yet */
  sells: number | null
  /** Volume of the buys; null while swaps of an older version are not counted yet */
  buy_volume_usd: string | null
  /** Volume of the sells; null while swaps of an older version are not counted yet */
  sell_volume_usd: string | null
  /** Number of accounts that signed a buy; null if there are more than 200,000 swaps, or while they are being counted */
  buyers: number | null
  /** Number of accounts that signed a sell; null if there are more than 200,000 swaps, or while they are being counted */
  sellers: number | null
  /** Number of accounts that signed a swap; null if there are more than 200,000 swaps, or while they are being counted */
  traders: number | null
}

export type TokenDetails = {
  network: "bsc" | "eth" | "polygon"
  address: string
  /** From the contract or the curated list; anyone can write this text */
  symbol: string | null
  name: string | null
  /** Null: the contract returns no usable value */
  decimals: string | null
  /** Whether the token is on the curated list, so that its symbol can be trusted */
  listed: boolean
  /** USD per whole token, by the last trade within two days that has a value; null if there is none */
  price_usd: string | null
  /** Change of the price in percent since 5 minutes ago, rounded toward zero */
  price_change_5m: string | null
  /** Change of the price in percent since an hour ago, rounded toward zero */
  price_change_1h: string | null
  /** Change of the price in percent since 6 hours ago, rounded toward zero */
  price_change_6h: string | null
  /** Change of the price in percent since a day ago, rounded toward zero */
  price_change_24h: string | null
  volume_24h_usd: string
  swaps_24h: number
  /** How many of them have no known value */
  unpriced_swaps_24h: number
  /** Value of the tokens with a trusted price in the pool, or in all pools of the token; null if unknown */
  liquidity_usd: string | null
  /** Minute of the first stored swap */
  first_seen: string | null
  /** Whether 24 full hours of trades determine how much each pool counts in the price, like `weighted` in `/v1/candles`; null if there is no price */
  price_weighted: boolean | null
  /** What the contract reports, in base units, read about once a day; null if it reports none or was not read yet */
  total_supply: string | null
  /** Fully diluted value: `price_usd` of the whole `total_supply`, rounded down */
  fdv_usd: string | null
  flow: Flow
  /** The newest final trade that has a value and no flag; null if a bounded search finds none */
  last_trade: {
    time: string
    tx_hash: string
    /** The trade's value divided by the amount of the token, rounded down; one trade, not an average */
    price_usd: string
  } | null
}

export type PoolWithFlow = {
  network: "bsc" | "eth" | "polygon"
  /** The pool's contract; or the contract of its vault or manager, followed by the pool's address or id there */
  address: string
  /** Name of the DEX */
  protocol: string
  /** The contract that confirms the pool */
  factory: string
  tokens: PoolToken[]
  /** Null if it varies or is unknown */
  fee_millionths: number | null
  tick_spacing: number | null
  /** A contract that may change the amounts and fees of every swap; null if there is none */
  hooks: string | null
  /** State at the indexed head; null if it has not been read yet, is known to be wrong, or the pool is `not_quoted` */
  state: {
    /** The block after which the pool had this state */
    block_number: string
    /** `pair`, `concentrated`, or the name of the formula of the pool */
    kind: string
    /** For other kinds: at most how much of each of the `tokens` the pool can pay out */
    balances: string[] | null
    /** Reserve of the first token; null unless the pool is a pair */
    reserve0: string | null
    reserve1: string | null
    /** Null if the pool has no concentrated liquidity */
    sqrt_price_x96: string | null
    tick: number | null
    /** Liquidity in range */
    liquidity: string | null
  } | null
  /** Why quotes do not use the pool. `unknown-code`: no known factory deployed it. `unknown-rate`: a contract that the creator of the pool chose sets one of its rates. `hooks`: its hooks may change or refuse swaps. Null if quotes use the pool, or leave it out for another reason, such as a kind that is not quoted */
  not_quoted: "unknown-code" | "unknown-rate" | "hooks" | null
  /** The token whose price is shown: of the two, the one that is not money. Its price comes from its trades against the other one */
  base_token: string
  /** Price of the base token in the other token by the last trade that sets `price_usd`, with up to 18 digits */
  price_quote: string | null
  /** USD per whole token, by the last trade within two days that has a value; null if there is none */
  price_usd: string | null
  /** Change of the price in percent since 5 minutes ago, rounded toward zero */
  price_change_5m: string | null
  /** Change of the price in percent since an hour ago, rounded toward zero */
  price_change_1h: string | null
  /** Change of the price in percent since 6 hours ago, rounded toward zero */
  price_change_6h: string | null
  /** Change of the price in percent since a day ago, rounded toward zero */
  price_change_24h: string | null
  volume_24h_usd: string
  swaps_24h: number
  /** How many of them have no known value */
  unpriced_swaps_24h: number
  /** Value of the tokens with a trusted price in the pool, or in all pools of the token; null if unknown */
  liquidity_usd: string | null
  /** Minute of the first stored swap */
  first_seen: string | null
  /** Time of the block that created the pool; null if the block that created the pool, or an event that says so, was not read */
  created_at: string | null
  created_block: string | null
  /** The transaction that created the pool */
  created_tx: string | null
  /** The account that signed that transaction */
  creator: string | null
  flow: Flow
}

export type PoolTrade = {
  /** Time of the block */
  time: string
  block_number: string
  tx_hash: string
  transaction_index: number
  /** Position, within the transaction, of the trade of `/v1/swaps` to which the hop belongs */
  position: number
  log_index: number
  /** The account that signed the transaction; null if unknown */
  trader: string | null
  /** `buy`: the pool paid out the base token; `sell`: it received it */
  side: "buy" | "sell"
  /** Of the two tokens, the one that is not money, as in `/v1/pools` */
  base_token: {
    name: string | null
    symbol: string | null
    /** Null if the contract returns no usable value */
    decimals: string | null
    /** Address with EIP-55 checksum; empty for the coin of the network */
    address: string
    /** Amount in base units */
    amount: string
    /** Exact amount in whole units; null if the decimals are unknown */
    amount_decimal: string | null
  }
  quote_token: SwapLeg
  /** USD per whole base token, rounded down to 18 digits. The prices of candles come from these; null if the hop sets none */
  price_usd: string | null
  /** Quote tokens per base token, rounded down to 18 digits; null if decimals are unknown or an amount is zero */
  price_quote: string | null
  /** Null if the value is unknown */
  volume_usd: string | null
  /** What is unusual about the value, as in `/v1/swaps`; such a hop sets no price */
  flags: ("depegged" | "disagreement" | "capped" | "partial" | "jit-liquidity" | "amounts-differ" | "old-price" | "unconfirmed" | "closed-loop" | "settlement")[]
  /** `false` while the chain can still roll the block back */
  final: boolean
}

export type LiquidityInterval = {
  /** Start of the interval */
  time: string
  /** Number of events that added liquidity */
  adds: number
  /** Number of events that removed liquidity */
  removes: number
  /** The tokens of the pool */
  tokens: LiquidityFlow[]
  /** Value of what was added; null if the value of one of the events is unknown */
  added_usd: string | null
  removed_usd: string | null
  /** `added_usd` less `removed_usd` */
  net_usd: string | null
  /** Value of what the pool held at the end of the interval, at the prices then, as `liquidity_usd` of a pool; in a longer interval that is not over, at its last full hour. Null before the state of the pool was first known, until the end of the interval is final, if unknown, and for intervals shorter than an hour */
  liquidity_usd: string | null
}

export type LiquidityFlow = {
  address: string
  /** Amount in base units; null if one of the events does not tell it */
  added: string | null
  removed: string | null
  /** `added` less `removed` */
  net: string | null
  /** Amount that the pool held at the end of the interval (see `liquidity_usd`) */
  held: string | null
}

export type Protocols = {
  /** Sorted by network and name */
  data: Protocol[]
}

export type Protocol = {
  network: "bsc" | "eth" | "polygon"
  name: string
  /** Number of verified pools with at least one trade */
  pools: number
}

export type Candle = {
  /** The token whose price is shown; the coin appears as its wrapper */
  token: string
  /** Start of the interval */
  time: string
  /** First price of a whole token, in USD or in the quote token (`currency`); null if unknown */
  open: string | null
  /** Highest price of a whole token, in USD or in the quote token (`currency`); null if unknown */
  high: string | null
  /** Lowest price of a whole token, in USD or in the quote token (`currency`); null if unknown */
  low: string | null
  /** Last price of a whole token, in USD or in the quote token (`currency`); null if unknown */
  close: string | null
  /** For a token over all its pools: whether the preceding 24 hours of trades determine how much each pool counts. `false` if part of these hours is not indexed, or if the pools have only just begun to trade. Null if there are no prices, and for candles of one pool or pair */
  weighted: boolean | null
  /** Volume of the swaps whose value is known */
  volume_usd: string
  /** Number of swap events of pools; 0 only with `fill` */
  swaps: number
  /** How many of them have no known value */
  unpriced_swaps: number
  /** Number of swaps that pay the token out; null while swaps of an older version are not counted yet */
  buys: number | null
  /** Number of all other swaps of the token; null while swaps of an older version are not counted yet */
  sells: number | null
  /** Volume of the buys; null while swaps of an older version are not counted yet */
  buy_volume_usd: string | null
  /** Volume of the sells; null while swaps of an older version are not counted yet */
  sell_volume_usd: string | null
  /** Whether the prices are the close of an earlier candle (`fill`) */
  filled: boolean
}

export type LiquidityEvent = {
  /** Time of the block */
  time: string
  network: "bsc" | "eth" | "polygon"
  block_number: string
  tx_hash: string
  transaction_index: number
  log_index: number
  kind: "add" | "remove"
  /** The account that signed the transaction; null if unknown */
  account: string | null
  /** Name of the DEX */
  protocol: string
  /** The pool's contract; or the contract of its vault or manager, followed by the pool's address or id there */
  pool: string
  /** All tokens of the pool */
  tokens: LiquidityToken[]
  /** Value of the tokens with a trusted price before the block, nothing for the others, as `liquidity_usd` of a pool; null without such a token, or if the amounts are unknown */
  value_usd: string | null
  /** Concentrated liquidity between the two ticks; null for other pools */
  liquidity: string | null
  tick_lower: number | null
  tick_upper: number | null
  /** `false` while the chain can still roll the block back */
  final: boolean
}

export type LiquidityToken = {
  name: string | null
  symbol: string | null
  /** Null if the contract returns no usable value */
  decimals: string | null
  /** Address with EIP-55 checksum; empty for the coin of the network */
  address: string
  /** Amount in base units, without collected fees; null if the event does not tell it */
  amount: string | null
  /** Exact amount in whole units; null if the decimals are unknown */
  amount_decimal: string | null
}

export type VolumeInterval = {
  /** Start of the interval */
  time: string
  /** Volume of the trades that have a value */
  volume_usd: string
  /** Number of trades of the network; for a protocol, pool or token, the number of its swap events */
  trades: number
  /** How many of them have no known value */
  unpriced_trades: number
  /** Number of distinct addresses that signed trades; null if not counted */
  traders: number | null
  /** Why `traders` is null. `too-many-trades`: the network has more than 200,000 trades on the days of the page, so traders are counted only for whole days. `not-kept`: the rows were deleted */
  traders_unknown: "too-many-trades" | "not-kept" | null
}

export type WashFlags = {
  /** The days that have been checked: those that are over, final and fully indexed */
  days: WashDay[]
  /** At most 1,000 pools, by newest day, then by volume */
  pools: WashPool[]
}

export type WashDay = {
  date: string
  network: "bsc" | "eth" | "polygon"
  /** Volume of all pools of the network on that day */
  trade_volume_usd: string
  /** The part of `trade_volume_usd` in trades that went through a flagged pool */
  flagged_volume_usd: string
  flagged_pools: number
}

export type WashPool = {
  date: string
  network: "bsc" | "eth" | "polygon"
  /** The pool. For settlement orders that no pool filled, the addresses of their two tokens, one after the other */
  pool: string
  swaps: number
  traders: number
  trade_volume_usd: string
  /** Volume of addresses that reversed their own trades */
  round_trip_volume_usd: string
  /** Volume of the busiest addresses */
  top_traders_volume_usd: string
  /** Volume in amounts that one address bought and another sold */
  matched_volume_usd: string
  flags: ("round-trips" | "few-traders" | "matched-amounts")[]
}

export type AmountQuote = {
  network: "bsc" | "eth" | "polygon"
  sell_token: TokenMetadata
  buy_token: TokenMetadata
  side: "in" | "out"
  /** Base units */
  amount_in: string
  /** Exact amount in whole units */
  amount_in_decimal: string
  /** Base units */
  amount_out: string
  /** Exact amount in whole units */
  amount_out_decimal: string
  /** `side=in` with `slippage_bps`: amount_out x (10,000 - slippage_bps) / 10,000, rounded down */
  min_out: string | null
  /** `side=out` with `slippage_bps`: amount_in x (10,000 + slippage_bps) / 10,000, rounded up */
  max_in: string | null
  /** Routes that share the amount; empty for the coin and its wrapper */
  parts: QuotePart[]
  /** Whole units of the token bought per whole unit of the token sold, with 18 significant digits, rounded down */
  price: string
  /** The price of an infinitely small amount along the same parts, without fees; null if unknown */
  mid_price: string | null
  /** 1 - price / mid_price, rounded toward zero: fees and price movement together */
  price_impact: string | null
  /** Fees paid to pools, per token; null if the fee of a hop is unknown */
  fees: QuoteFee[] | null
  fees_usd: string | null
  /** Value by the prices of `/v1/prices`; null if there is no price */
  amount_in_usd: string | null
  amount_out_usd: string | null
  /** Units of gas, estimated by a constant for each kind of hop */
  gas_estimate: number
  /** Always null, because the base fee of blocks is not stored */
  gas_usd: string | null
  sell_transfers: TransferEvidence
  buy_transfers: TransferEvidence
  /** `unlisted-route`: the route passes through a token that is not on the curated list, because no route through listed tokens has pools of at least 1,000 USD each. `unlisted-token`: the token sold or bought is not on the curated list. `unproven`: that token is unlisted and no receipts show that its transfers arrive in full, or the token is listed and receipts show that less arrived than was sent */
  flags: ("unlisted-route" | "unlisted-token" | "unproven")[]
  block: QuotedBlock
  /** `unread-pools`: a pool whose state has not been read yet might improve the quote; null otherwise */
  partial: "unread-pools" | null
}

export type QuotePart = {
  /** Share of amount_in, from 0 to 1, rounded down */
  share: string
  amount_in: string
  amount_out: string
  hops: QuoteHop[]
}

export type QuoteHop = {
  /** The pool's contract; or the contract of its vault or manager, followed by the pool's address or id there */
  pool: string
  /** Name of the DEX; null if not known yet */
  protocol: string | null
  /** The coin appears as its wrapper */
  token_in: string
  token_out: string
  /** Base units */
  amount_in: string
  /** Base units */
  amount_out: string
  /** Fee in base units of the input, rounded up; null if the fee is not a share of the input */
  fee: string | null
}

export type QuoteFee = {
  token: string
  /** Base units */
  amount: string
  usd: string | null
}

export type TransferEvidence = {
  /** Whether transfers of the token arrive in full. `trusted`: the token is the coin, an anchor or on the curated list. `moves`: receipts show that its transfers arrive in full. `none`: neither, or pools paid out a listed token and less arrived, so the amounts may be wrong */
  proof: "trusted" | "moves" | "none"
  /** Number of transactions of the last week that moved the token from one pool to another; not counted if `proof` is `trusted` */
  moves: number
  /** How many of them delivered less than was sent */
  short: number
}

export type QuotedBlock = {
  number: string
  hash: string
  time: string
  /** Seconds since that time, by the clock of the server */
  age_s: number
}

export type QuoteAnswers = {
  network: "bsc" | "eth" | "polygon"
  block: QuotedBlock
  quotes: QuoteAnswer[]
}

export type QuoteAnswer = {
  /** Position of the quote in the request, starting at 0 */
  index: number
  /** The status that `/v1/quote` would have */
  status: number
  /** Null if the quote failed */
  quote: {
    network: "bsc" | "eth" | "polygon"
    sell_token: TokenMetadata
    buy_token: TokenMetadata
    side: "in" | "out"
    /** Base units */
    amount_in: string
    /** Exact amount in whole units */
    amount_in_decimal: string
    /** Base units */
    amount_out: string
    /** Exact amount in whole units */
    amount_out_decimal: string
    /** `side=in` with `slippage_bps`: amount_out x (10,000 - slippage_bps) / 10,000, rounded down */
    min_out: string | null
    /** `side=out` with `slippage_bps`: amount_in x (10,000 + slippage_bps) / 10,000, rounded up */
    max_in: string | null
    /** Routes that share the amount; empty for the coin and its wrapper */
    parts: QuotePart[]
    /** Whole units of the token bought per whole unit of the token sold, with 18 significant digits, rounded down */
    price: string
    /** The price of an infinitely small amount along the same parts, without fees; null if unknown */
    mid_price: string | null
    /** 1 - price / mid_price, rounded toward zero: fees and price movement together */
    price_impact: string | null
    /** Fees paid to pools, per token; null if the fee of a hop is unknown */
    fees: QuoteFee[] | null
    fees_usd: string | null
    /** Value by the prices of `/v1/prices`; null if there is no price */
    amount_in_usd: string | null
    amount_out_usd: string | null
    /** Units of gas, estimated by a constant for each kind of hop */
    gas_estimate: number
    /** Always null, because the base fee of blocks is not stored */
    gas_usd: string | null
    sell_transfers: TransferEvidence
    buy_transfers: TransferEvidence
    /** `unlisted-route`: the route passes through a token that is not on the curated list, because no route through listed tokens has pools of at least 1,000 USD each. `unlisted-token`: the token sold or bought is not on the curated list. `unproven`: that token is unlisted and no receipts show that its transfers arrive in full, or the token is listed and receipts show that less arrived than was sent */
    flags: ("unlisted-route" | "unlisted-token" | "unproven")[]
    block: QuotedBlock
    /** `unread-pools`: a pool whose state has not been read yet might improve the quote; null otherwise */
    partial: "unread-pools" | null
  } | null
  /** Null if the quote succeeded */
  failure: {
    /** What went wrong, in plain words */
    error: string
    /** `invalid_parameter`: A parameter is missing, repeated or malformed. `unknown_parameter`: The parameter does not exist here. `invalid_cursor`: The cursor does not belong to a page of this list. `malformed_request`: The request itself is malformed. `unknown_key`: The API key is unknown. `not_found`: This path does not exist, or the object is not indexed. `network_not_indexed`: This server does not index the network. `method_not_allowed`: This path does not support the method. `request_timeout`: The request took too long to arrive. `body_too_large`: The body is too large. `url_too_long`: The URL is too long. `unsupported_media_type`: The body is not JSON. `rate_limited`: Too many requests; `Retry-After` says when to retry. `internal`: A server error. `query_timeout`: The database took too long; use a narrower time range or filter. `unavailable`: Temporarily unavailable; `Retry-After` says when to retry */
    code: "invalid_parameter" | "unknown_parameter" | "invalid_cursor" | "malformed_request" | "unknown_key" | "not_found" | "network_not_indexed" | "method_not_allowed" | "request_timeout" | "body_too_large" | "url_too_long" | "unsupported_media_type" | "rate_limited" | "internal" | "query_timeout" | "unavailable"
  } | null
}

export type Depth = {
  network: "bsc" | "eth" | "polygon"
  token: TokenMetadata
  against: TokenMetadata
  /** The pool's contract; or the contract of its vault or manager, followed by the pool's address or id there */
  pool: string | null
  /** `token` is sold, and its price falls; null if a route, or a USD price of `token`, is missing */
  sell: {
    /** The amount whose price is the reference; null for a pool */
    reference_amount: string | null
    /** Of the reference amount, worth 100 USD, or of an infinitely small amount for a pool; fees included, in `against` per whole `token`, with 18 significant digits, rounded down */
    reference_price: string
    /** For 10, 50, 100, 200, 500 bps; one is missing if even the smallest amount moves the price further. 0.1 % more than a level (or one base unit) moves it further, or is refused */
    levels: DepthLevel[]
  } | null
  /** `token` is bought, and its price rises; null if a route, or a USD price of `against`, is missing */
  buy: {
    /** The amount whose price is the reference; null for a pool */
    reference_amount: string | null
    /** Of the reference amount, worth 100 USD, or of an infinitely small amount for a pool; fees included, in `against` per whole `token`, with 18 significant digits, rounded down */
    reference_price: string
    /** For 10, 50, 100, 200, 500 bps; one is missing if even the smallest amount moves the price further. 0.1 % more than a level (or one base unit) moves it further, or is refused */
    levels: DepthLevel[]
  } | null
  block: QuotedBlock
  /** `unread-pools`: a pool whose state has not been read yet might add depth; null otherwise */
  partial: "unread-pools" | null
}

export type DepthLevel = {
  /** How far the price may move, in hundredths of a percent */
  bps: number
  /** The largest amount that moves it no further, in base units */
  amount_in: string
  amount_in_decimal: string
  /** What that amount buys, in base units */
  amount_out: string
  amount_out_decimal: string
  /** The average price of this amount, in `against` per whole `token`, with 18 significant digits, rounded down */
  price: string
  /** Value of the amount of `against`, by the prices of `/v1/prices` */
  value_usd: string | null
}

export type TokenPrices = {
  network: "bsc" | "eth" | "polygon"
  /** The past time of the prices; null if they are current */
  at: string | null
  /** The block at which the market was priced; null with `at` */
  block: {
    number: string
    hash: string
    time: string
    /** Seconds since that time, by the clock of the server */
    age_s: number
  } | null
  /** In the order of the request */
  prices: TokenPrice[]
}

export type TokenPrice = {
  /** The requested token, with its EIP-55 checksum */
  token: string
  /** USD per whole token, with at most 18 significant digits, rounded down; null if unknown */
  price_usd: string | null
  /** `reference`: the price of an anchor in its reference pools. `market`: what selling a small amount along `route` yields now. `trades`: the price from the trades of two days, as in `/v1/tokens` */
  source: "reference" | "market" | "trades" | null
  /** The pools through which the token is sold, up to a token with a reference price */
  route: PriceHop[]
  /** What can be sold along the route for 2 % less than the price; null without a route */
  depth_usd: string | null
  /** Age of the price: seconds since the block of the pool states, null for a price from trades. With `at`: seconds from the end of the minute of the last trade to `at` */
  age_s: number | null
  /** `thin`: the depth is less than 1,000 USD. `unproven`: no receipts show that a transfer of the token arrives in full. `short`: within the last week, less of the token arrived than was sent. `depegged`: the token, or the token at the end of its route, is a stablecoin off its peg. `old`: a reference price is old. `differs`: the price from trades differs by more than a tenth. `partial`: some pools have not been read yet. `unlisted-route`: the route passes through a token that is not on the curated list. `unweighted`: the price comes from trades, and its `price_weighted` is false */
  flags: ("thin" | "unproven" | "short" | "depegged" | "old" | "differs" | "partial" | "unlisted-route" | "unweighted")[]
}

export type PriceHop = {
  /** The pool's contract; or the contract of its vault or manager, followed by the pool's address or id there */
  pool: string
  token_out: string
}

export type StreamEvent = {
  event: "head"
  data: StreamHead
  /** Send it as `Last-Event-ID` or `last_event_id` to continue after this event */
  id?: string
  } | {
  event: "swap"
  data: StreamSwap
  } | {
  event: "liquidity"
  data: StreamLiquidity
  } | {
  event: "removed"
  data: StreamRemoved
  } | {
  event: "candle"
  data: StreamCandle
  } | {
  event: "price"
  data: StreamPrice
  } | {
  event: "pool"
  data: StreamPool
  } | {
  event: "alert"
  data: StreamAlert
  } | {
  event: "reset"
  data: StreamReset
  } | {
  event: "slow"
  data: StreamSlow
}

/** Every change of the network up to this point has been sent */
export type StreamHead = {
  network: "bsc" | "eth" | "polygon"
  /** Last indexed block; null if there is none yet */
  block_number: string | null
  /** Time of that block */
  time: string | null
  /** Trades up to this block are final; null if none is final yet */
  final_block: string | null
}

/** A trade as in `/v1/swaps`. It is final once the `final_block` of a `head` has reached its block */
export type StreamSwap = {
  /** Time of the block */
  time: string
  network: "bsc" | "eth" | "polygon"
  block_number: string
  tx_hash: string
  transaction_index: number
  /** Position of the trade within its transaction */
  position: number
  /** The account that signed the transaction; null if unknown */
  trader: string | null
  /** The account for which a settlement traded, according to its event; null for other trades */
  settled_for: string | null
  sell_token: SwapLeg
  buy_token: SwapLeg
  /** Whether the trader bought or sold the token that is not money (`base_token` of `/v1/pools`); null if both tokens are money of the same kind, or neither is money */
  side: "buy" | "sell" | null
  /** What a whole token of that kind cost, or brought, in the other token: the ratio of the two amounts, rounded down to 18 digits. Null if `side` or the decimals are unknown, or an amount is zero */
  price: string | null
  /** Null if no price is known */
  trade_volume_usd: string | null
  /** Where the value comes from (docs/internals/usd.md); null if there is none */
  usd_source: "stablecoin" | "route-stablecoin" | "native" | "anchor" | null
  /** What is unusual about the value. `capped`: the value is limited to what the pools held, or leaves out money that only went round within the transaction. `partial`: the account also gave or got something else; or what it traded is shown only by a token that anybody could have created, so the tokens are those of the pools; or a fee in coins, which logs do not show, may have been taken from what it bought; or the value of part of the trade is unknown. `depegged`: a stablecoin that sets the value is off its peg. `disagreement`: the values of the two legs differ by more than 5 %. `jit-liquidity`: the transaction added the liquidity that it swapped with, and removed it afterwards. `amounts-differ`: an amount, or the price that both amounts give, differs by more than a fifth from the pools' amounts. `old-price`: most of the money that sets the price was in pools that had not traded for half an hour. `unconfirmed`: the transfers into and out of a pool do not confirm the event of the pool; if they show amounts, those count. `closed-loop`: all value went round: nobody outside the pools gave or got more than 1 % of it in the transaction, as in arbitrage and wash trading. `settlement`: an order that the event of a settlement states, of which pools filled only a part or nothing; the rest counts only as far as the order's owner paid or received it */
  flags: ("depegged" | "disagreement" | "capped" | "partial" | "jit-liquidity" | "amounts-differ" | "old-price" | "unconfirmed" | "closed-loop" | "settlement")[]
  /** The hops of the trade, in order; empty if not stored, or if no pool took part in the order. If several trades of a transaction share a hop, the whole hop is listed with the trade that has the largest part of it */
  hops: SwapHop[]
}

/** An event as in `/v1/liquidity_events`, final like a trade */
export type StreamLiquidity = {
  /** Time of the block */
  time: string
  network: "bsc" | "eth" | "polygon"
  block_number: string
  tx_hash: string
  transaction_index: number
  log_index: number
  kind: "add" | "remove"
  /** The account that signed the transaction; null if unknown */
  account: string | null
  /** Name of the DEX */
  protocol: string
  /** The pool's contract; or the contract of its vault or manager, followed by the pool's address or id there */
  pool: string
  /** All tokens of the pool */
  tokens: LiquidityToken[]
  /** Value of the tokens with a trusted price before the block, nothing for the others, as `liquidity_usd` of a pool; null without such a token, or if the amounts are unknown */
  value_usd: string | null
  /** Concentrated liquidity between the two ticks; null for other pools */
  liquidity: string | null
  tick_lower: number | null
  tick_upper: number | null
}

/** The trades, liquidity events and pools of these blocks were removed. Those that remain are sent again after this event */
export type StreamRemoved = {
  network: "bsc" | "eth" | "polygon"
  from_block: string
  to_block: string
}

/** The current candle of a token and a minute */
export type StreamCandle = {
  /** Address with EIP-55 checksum; the coin appears as its wrapper */
  token: string
  /** Start of the interval */
  time: string
  /** First price of a whole token, in USD or in the quote token (`currency`); null if unknown */
  open: string | null
  /** Highest price of a whole token, in USD or in the quote token (`currency`); null if unknown */
  high: string | null
  /** Lowest price of a whole token, in USD or in the quote token (`currency`); null if unknown */
  low: string | null
  /** Last price of a whole token, in USD or in the quote token (`currency`); null if unknown */
  close: string | null
  /** For a token over all its pools: whether the preceding 24 hours of trades determine how much each pool counts. `false` if part of these hours is not indexed, or if the pools have only just begun to trade. Null if there are no prices, and for candles of one pool or pair */
  weighted: boolean | null
  /** Volume of the swaps whose value is known */
  volume_usd: string
  /** Number of swap events of pools; 0 if all were removed */
  swaps: number
  /** How many of them have no known value */
  unpriced_swaps: number
  /** Number of swaps that pay the token out; null while swaps of an older version are not counted yet */
  buys: number | null
  /** Number of all other swaps of the token; null while swaps of an older version are not counted yet */
  sells: number | null
  /** Volume of the buys; null while swaps of an older version are not counted yet */
  buy_volume_usd: string | null
  /** Volume of the sells; null while swaps of an older version are not counted yet */
  sell_volume_usd: string | null
  network: "bsc" | "eth" | "polygon"
}

/** The price of a token has changed */
export type StreamPrice = {
  network: "bsc" | "eth" | "polygon"
  /** Address with EIP-55 checksum; the coin appears as its wrapper */
  token: string
  /** What the contract calls itself */
  symbol: string | null
  /** The price as in `/v1/tokens` */
  price_usd: string | null
  /** Whether the last of the token's hops that were added bought or sold it; null if hops were only removed */
  side: "buy" | "sell" | null
  /** The price is that after this block, the last indexed one */
  block_number: string
  /** Time of that block */
  time: string
}

/** A pool was created. A later event of the same pool replaces it */
export type StreamPool = {
  network: "bsc" | "eth" | "polygon"
  /** The pool's contract; or the contract of its vault or manager, followed by the pool's address or id there */
  address: string
  /** Name of the DEX */
  protocol: string
  tokens: PoolToken[]
  /** Null if it varies or is unknown */
  fee_millionths: number | null
  /** The account that signed that transaction */
  creator: string | null
  /** Time of the block that created the pool */
  created_at: string
  created_block: string
  /** The transaction that created the pool */
  created_tx: string
  /** Its first known liquidity, as in `/v1/pools`. The event is sent again once it is known */
  liquidity_usd: string | null
}

/** A rule of the operator came true, or is retracted */
export type StreamAlert = {
  /** Of the alert; its retraction has the same one */
  id: string
  /** Grows with each alert of the network */
  sequence: number
  /** `retracted`: a reorg removed the cause of an alert that was `fired` */
  status: "fired" | "retracted"
  /** Its name in the file of rules */
  rule: string
  kind: "price" | "change" | "trade" | "new_pool" | "liquidity_removed" | "behind"
  network: "bsc" | "eth" | "polygon"
  block_number: string
  block_hash: string
  /** Time of that block */
  time: string
  /** The token of the rule */
  token: string | null
  /** The pool of the rule, or the one that the alert is about */
  pool: string | null
  /** Of a change */
  window: string | null
  /** Of `price` and `change` */
  price_usd: string | null
  /** Of the price, or of the liquidity (`liquidity_removed`) */
  change_percent: string | null
  /** Of a trade */
  volume_usd: string | null
  /** Of a new pool */
  liquidity_usd: string | null
  /** Of a network that is behind */
  seconds_behind: number | null
  /** Of a trade */
  tx_hash: string | null
}

/** Discard the trades, liquidity events and pools of these blocks, and read them from `/v1/swaps`, `/v1/liquidity_events` and `/v1/pools` */
export type StreamReset = {
  network: "bsc" | "eth" | "polygon"
  /** `resume`: events after the given id are no longer kept. `history`: blocks older than those that the stream keeps have changed. `network`: any row of the network may have changed, or the network has been added or removed */
  reason: "resume" | "history" | "network"
  /** First block; null for all blocks */
  from_block: string | null
  /** Last block; null for all blocks */
  to_block: string | null
  /** Use `from` and `to` as the parameters of the list. Null if the blocks have no rows, or for all blocks */
  from: string | null
  to: string | null
}

/** The client reads too slowly: more events wait than the server keeps, so it ends the connection */
export type StreamSlow = {
  message: string
}

export type BatchAnswer = {
  responses: BatchResponse[]
}

export type BatchResponse = {
  status: number
  /** The response body of this request */
  body: Record<string, unknown>
}

export type Batch = {
  requests: BatchRequest[]
}

export type BatchRequest = {
  /** Path and query of a GET under `/v1`; `limit` at most 100 */
  path: string
  /** If present, the request is a POST with this JSON as its body */
  body?: Record<string, unknown>
}

export type UdfConfig = {
  supported_resolutions: string[]
  supports_search: boolean
  supports_group_request: boolean
  supports_marks: boolean
  supports_timescale_marks: boolean
  supports_time: boolean
  exchanges: ({
    value: string
    name: string
    desc: string
  })[]
  symbols_types: ({
    name: string
    value: string
  })[]
}

export type UdfError = {
  s: "error"
  errmsg: string
  error: string
}

export type UdfSymbol = {
  ticker: string
  name: string
  description: string
  type: "token" | "pool"
  session: "24x7"
  timezone: "Etc/UTC"
  exchange: string
  listed_exchange: string
  format: "price"
  minmov: 1
  /** A power of ten, so that the last price has six digits */
  pricescale: number
  currency_code: string
  has_intraday: true
  has_daily: true
  has_weekly_and_monthly: true
  intraday_multipliers: string[]
  supported_resolutions: string[]
  volume_precision: number
  data_status: "streaming"
}

export type UdfSearchResult = {
  symbol: string
  full_name: string
  description: string
  exchange: string
  ticker: string
  type: "token" | "pool"
}

export type UdfHistory = {
  s: "ok"
  /** Start of each bar, in seconds since 1970 */
  t: number[]
  o: number[]
  h: number[]
  l: number[]
  c: number[]
  /** Volume in USD */
  v: number[]
  } | {
  s: "no_data"
  nextTime?: number
}

export type DexscreenerLatestBlock = {
  block: DexscreenerBlock
}

export type DexscreenerBlock = {
  blockNumber: number
  /** In seconds since 1970 */
  blockTimestamp: number
}

export type DexscreenerAsset = {
  asset: {
    id: string
    /** The address if the contract has none */
    name: string
    symbol: string
    /** In whole tokens */
    totalSupply?: string
  }
}

export type DexscreenerPair = {
  pair: {
    /** The pool's `address` in `/v1`; in a pool of several tokens, followed by the two tokens */
    id: string
    dexKey: string
    /** The coin appears as its wrapper */
    asset0Id: string
    asset1Id: string
    createdAtBlockNumber?: number
    createdAtBlockTimestamp?: number
    createdAtTxnId?: string
    /** Left out if it varies */
    feeBps?: number
  }
}

export type DexscreenerEvents = {
  events: (DexscreenerSwap | DexscreenerJoinExit)[]
}

export type DexscreenerSwap = {
  block: DexscreenerBlock
  txnId: string
  txnIndex: number
  /** Index of the log in its block */
  eventIndex: number
  /** The account for which a settlement traded, or else the signer; null if it is unknown */
  maker: string | null
  /** The pool's `address` in `/v1`; in a pool of several tokens, followed by the two tokens */
  pairId: string
  eventType: "swap"
  /** In whole tokens */
  asset0In?: string
  /** In whole tokens */
  asset1In?: string
  /** In whole tokens */
  asset0Out?: string
  /** In whole tokens */
  asset1Out?: string
  /** Price of `asset0` in `asset1`: the ratio of the two amounts */
  priceNative: string
}

export type DexscreenerJoinExit = {
  block: DexscreenerBlock
  txnId: string
  txnIndex: number
  /** Index of the log in its block */
  eventIndex: number
  /** The account for which a settlement traded, or else the signer; null if it is unknown */
  maker: string | null
  /** The pool's `address` in `/v1`; in a pool of several tokens, followed by the two tokens */
  pairId: string
  /** Whether the account added or removed liquidity */
  eventType: "join" | "exit"
  amount0: string
  amount1: string
}

export type Health = {
  status: "ok"
}

export type Status = {
  ready: boolean
  networks: NetworkStatus[]
  /** Days that are still being filled in; searches by trader or transaction are slower on them */
  unindexed_days: string[]
}

export type NetworkStatus = {
  network: "bsc" | "eth" | "polygon"
  /** Whether the start window is indexed, the head is recent, and the most traded pools have been read */
  ready: boolean
  /** The chain's head when the last block was indexed */
  chain_head: number | null
  /** The last indexed block */
  indexed_block: number | null
  indexed_block_time: string | null
  /** Blocks up to this one cannot be rolled back */
  final_block: number | null
  lag_blocks: number | null
  /** Age of the last indexed block */
  lag_seconds: number | null
  /** The first block to index; null until the node has reported it */
  start_block: number | null
  /** Block ranges whose swaps are stored */
  covered: BlockRange[]
  /** Block ranges that are missing between the start and the last indexed block */
  gaps: BlockRange[]
  backfill: BackfillStatus
  /** Rows that an older version derived by different rules. They are served as they are; once no block is missing, the indexer derives them again, newest first */
  old_rows: {
    /** Number of final blocks since the start that have such rows */
    blocks: number
    /** Time until no such block is left; null if unknown */
    eta_seconds: number | null
  } | null
  /** Why this network makes no progress; null if it does */
  degraded: string | null
  /** Since when blocks have been read without proof, because no endpoint serves the receipts of whole blocks; null if they are proven */
  unproven: string | null
  /** Blocks that are read without proof because their headers have unknown fields. The chain has forked: update dexfeed */
  unknown_headers: {
    /** The first of these blocks */
    from_block: number
    /** Names of the unknown fields */
    fields: string[]
    since: string
  } | null
  /** Number of pools with trades in the last day whose state has not been read yet; quotes do not use them */
  pools_without_state: number
  /** Blocks that wait until the keys of their pools inside managers (Uniswap V4) are found in old logs. After ten minutes the network counts as ready without them */
  awaiting_keys: {
    /** Number of blocks that wait */
    blocks: number
    /** Number of pools whose keys are missing */
    pools: number
    /** Since when the indexer has been looking for these keys */
    since: string
  } | null
  /** Which venues to add next; null while nothing is counted, because the indexer reads no whole blocks */
  unread_venues: {
    /** Number of recent receipts that look like a swap, in a sample of one block in eight */
    receipts: number
    /** Share of these receipts, from 0 to 1, that no known venue explains */
    unread_share: number
    /** The contracts that emitted these swaps, most frequent first */
    venues: ({
      /** The contract that emitted the event */
      emitter: string
      /** First topic of that event */
      topic: string
      receipts: number
    })[]
  } | null
  /** Which budgets of RPC endpoints are too low to follow the head; null if none is */
  budget_shortfall: string | null
  /** Requests that the process at the head sent to each RPC endpoint in the last minute; empty if unknown */
  endpoints: EndpointUse[]
  /** The queue of history jobs; null if unknown */
  queue: {
    waiting: number
    /** Number of jobs that a worker is running */
    taken: number
    /** Number of jobs that failed and will be retried */
    failed: number
    /** Number of workers in all processes; null while no block is missing */
    workers: number | null
  } | null
}

export type BlockRange = {
  from: number
  to: number
}

export type BackfillStatus = {
  /** Number of final blocks since the start whose swaps are stored */
  done_blocks: number
  /** Number of final blocks since the start */
  total_blocks: number
  /** Null if no gap is being filled */
  blocks_per_s: number | null
  /** Time until everything is stored at that speed */
  eta_seconds: number | null
}

export type EndpointUse = {
  /** Position of the endpoint in <NETWORK>_RPC_URL, starting at 1 */
  endpoint: number
  /** Number of requests; each item of a batch counts */
  items: number
  /** How many of them the endpoint refused because of its rate limit */
  refused: number
  /** How many of them failed for another reason */
  failed: number
  /** Configured or learnt budget per second, in requests or compute units; null if no limit is known */
  budget_per_s: number | null
}

/** The parameters and the result of each operation. */
export interface Operations {
  /** The current swap price of a pair of tokens */
  getQuote: {
    parameters: {
      /** Contract address or symbol of the token to sell. If a symbol is not supported, use the contract address instead. For the native coin, use its symbol, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address. */
      sellToken: string
      /** Contract address or symbol of the token to buy. If a symbol is not supported, use the contract address instead. For the native coin, use its symbol, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address. */
      buyToken: string
      /** The blockchain network, in any case. */
      network?: "bsc" | "eth" | "polygon"
    }
    result: QuoteResponse
  }
  /** The swap transactions of the last 24 hours */
  listSwaps: {
    parameters: {
      /** The blockchain network, in any case. */
      network?: "bsc" | "eth" | "polygon"
      /** Rows per page, 1 to 10000; without it, the response is the whole list. */
      limit?: number | string
      /** Continues after a page. Take it from the `next` link in the header `Link`. */
      cursor?: string
    }
    result: SwapTransactions
  }
  /** Trade volume and number of trading addresses per day, for today and the six days before */
  listDayVolumes: {
    parameters: Record<string, never>
    result: DayVolumes
  }
  /** The indexed networks: what a client needs to start */
  listNetworks: {
    parameters: Record<string, never>
    result: Networks
  }
  /** Tokens and pools by symbol, name, pair, address or id */
  search: {
    parameters: {
      /** The beginning of a symbol or name, two of them separated by a slash, the address of a token or pool, or the id of a pool; in any case */
      q: string
      /** The blockchain network, in any case. */
      network?: "bsc" | "eth" | "polygon"
      /** Maximum number of tokens, and of pools: 1 to 50, default 10. */
      limit?: number | string
    }
    result: SearchResult
  }
  /** Trades of all stored days, with filters */
  searchSwaps: {
    parameters: {
      /** The blockchain network, in any case. */
      network?: "bsc" | "eth" | "polygon"
      /** Only trades that sell or buy this token: its contract address, or with `network` its symbol. The wrapped coin also finds the coin. If a symbol is not supported, use the contract address instead. For the native coin, use its symbol, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address, or leave it empty. */
      token?: string
      /** Only trades that sell this token: its contract address, or with `network` its symbol. The wrapped coin also finds the coin. If a symbol is not supported, use the contract address instead. For the native coin, use its symbol, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address, or leave it empty. */
      sell_token?: string
      /** Only trades that buy this token: its contract address, or with `network` its symbol. The wrapped coin also finds the coin. If a symbol is not supported, use the contract address instead. For the native coin, use its symbol, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address, or leave it empty. */
      buy_token?: string
      /** Only trades that went through this pool: its contract address, or its 32-byte id, optionally preceded by the address of its manager or vault */
      pool?: string
      /** Name of a DEX, from `/v1/protocols` */
      protocol?: string
      /** Only trades that this account signed */
      trader?: string
      /** Only trades of this transaction */
      tx_hash?: string
      /** Only blocks at this time or later: an ISO 8601 time with Z or an offset, a date, or seconds since 1970 */
      from?: string
      /** Only blocks before this time: an ISO 8601 time with Z or an offset, a date, or seconds since 1970 */
      to?: string
      /** Only trades worth at least this much */
      min_usd?: string
      /** Only trades worth at most this much */
      max_usd?: string
      /** Maximum number of rows per page: 1 to 1000, default 100. */
      limit?: number | string
      /** Default `desc`. */
      order?: "asc" | "desc"
      /** Requests another page of this list: `next` or `prev` of a page with the same parameters. */
      cursor?: string
    }
    result: {
      /** The rows. A page may have fewer than `limit` rows, or none, although `next` or `prev` is not null */
      data: Swap[]
      /** Cursor of the page after this one; null if there is none */
      next: string | null
      /** Cursor of the page before this one; null if there is none */
      prev: string | null
    }
  }
  /** The trades of a transaction, with their hops and an explanation */
  getTransaction: {
    parameters: {
      /** The blockchain network, in any case. */
      network: "bsc" | "eth" | "polygon"
      /** The hash of the transaction */
      tx_hash: string
    }
    result: Transaction
  }
  /** Tokens with at least one trade in an indexed pool, and tokens on the curated list */
  listTokens: {
    parameters: {
      /** The blockchain network, in any case. */
      network?: "bsc" | "eth" | "polygon"
      /** Only these tokens: up to 100 symbols or contract addresses, separated by commas. The coin is its symbol, the zero address, or empty */
      token?: string
      /** A contract address, or the beginning of a symbol or name; the case of A to Z does not matter */
      search?: string
      /** Only tokens on the curated list, or only the others */
      listed?: "true" | "false"
      /** The order of the list; rows with unknown values come last */
      order_by?: "volume" | "liquidity" | "price_change" | "age" | "swaps" | "volume_5m" | "price_change_5m" | "swaps_5m" | "volume_1h" | "price_change_1h" | "swaps_1h" | "volume_6h" | "price_change_6h" | "swaps_6h"
      /** Only rows with at least this 24-hour volume in USD */
      min_volume?: string
      /** Only rows with at least this liquidity in USD */
      min_liquidity?: string
      /** Maximum number of rows per page: 1 to 1000, default 100. */
      limit?: number | string
      /** Default `asc`, or `desc` with `order_by`. */
      order?: "asc" | "desc"
      /** Requests another page of this list: `next` or `prev` of a page with the same parameters. */
      cursor?: string
    }
    result: {
      /** The rows. A page may have fewer than `limit` rows, or none, although `next` or `prev` is not null */
      data: TokenWithFlow[]
      /** Cursor of the page after this one; null if there is none */
      next: string | null
      /** Cursor of the page before this one; null if there is none */
      prev: string | null
    }
  }
  /** A token */
  getToken: {
    parameters: {
      /** The blockchain network, in any case. */
      network: "bsc" | "eth" | "polygon"
      /** The token's contract address or symbol; the coin is shown as its wrapper. If a symbol is not supported, use the contract address instead. For the native coin, use its symbol, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address. */
      address: string
    }
    result: TokenDetails
  }
  /** Verified pools */
  listPools: {
    parameters: {
      /** The blockchain network, in any case. */
      network?: "bsc" | "eth" | "polygon"
      /** Only pools of this token: its contract address, or with `network` its symbol. Some managers have pools of the coin itself. If a symbol is not supported, use the contract address instead. For the native coin, use its symbol, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address, or leave it empty. */
      token?: string
      /** Together with `token`: only pools of these two tokens. If a symbol is not supported, use the contract address instead. For the native coin, use its symbol, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address, or leave it empty. */
      other_token?: string
      /** Name of a DEX, from `/v1/protocols` */
      protocol?: string
      /** The order of the list; rows with unknown values come last */
      order_by?: "volume" | "liquidity" | "price_change" | "age" | "swaps" | "volume_5m" | "price_change_5m" | "swaps_5m" | "volume_1h" | "price_change_1h" | "swaps_1h" | "volume_6h" | "price_change_6h" | "swaps_6h" | "created"
      /** Only rows with at least this 24-hour volume in USD */
      min_volume?: string
      /** Only rows with at least this liquidity in USD */
      min_liquidity?: string
      /** Only pools created at this time or later; without those whose creation was not read: an ISO 8601 time with Z or an offset, a date, or seconds since 1970 */
      created_after?: string
      /** Maximum number of rows per page: 1 to 1000, default 100. */
      limit?: number | string
      /** Default `asc`, or `desc` with `order_by`. */
      order?: "asc" | "desc"
      /** Requests another page of this list: `next` or `prev` of a page with the same parameters. */
      cursor?: string
    }
    result: {
      /** The rows. A page may have fewer than `limit` rows, or none, although `next` or `prev` is not null */
      data: PoolWithFlow[]
      /** Cursor of the page after this one; null if there is none */
      next: string | null
      /** Cursor of the page before this one; null if there is none */
      prev: string | null
    }
  }
  /** A pool */
  getPool: {
    parameters: {
      /** The blockchain network, in any case. */
      network: "bsc" | "eth" | "polygon"
      /** The pool: its contract address, or its 32-byte id, optionally preceded by the address of its manager or vault */
      address: string
    }
    result: PoolWithFlow
  }
  /** The trades of a pool: its swap events, with side and price */
  listPoolTrades: {
    parameters: {
      /** The blockchain network, in any case. */
      network: "bsc" | "eth" | "polygon"
      /** The pool: its contract address, or its 32-byte id, optionally preceded by the address of its manager or vault */
      address: string
      /** Only blocks at this time or later: an ISO 8601 time with Z or an offset, a date, or seconds since 1970 */
      from?: string
      /** Only blocks before this time: an ISO 8601 time with Z or an offset, a date, or seconds since 1970 */
      to?: string
      /** Maximum number of rows per page: 1 to 1000, default 100. */
      limit?: number | string
      /** Default `desc`. */
      order?: "asc" | "desc"
      /** Requests another page of this list: `next` or `prev` of a page with the same parameters. */
      cursor?: string
    }
    result: {
      /** The rows. A page may have fewer than `limit` rows, or none, although `next` or `prev` is not null */
      data: PoolTrade[]
      /** Cursor of the page after this one; null if there is none */
      next: string | null
      /** Cursor of the page before this one; null if there is none */
      prev: string | null
    }
  }
  /** Liquidity of a pool over time: what it held, what was added and removed */
  listPoolLiquidity: {
    parameters: {
      /** The blockchain network, in any case. */
      network: "bsc" | "eth" | "polygon"
      /** The pool: its contract address, or its 32-byte id, optionally preceded by the address of its manager or vault */
      address: string
      interval: "1m" | "5m" | "15m" | "30m" | "1h" | "4h" | "1d" | "1w"
      /** Only intervals that begin at this time or later: an ISO 8601 time with Z or an offset, a date, or seconds since 1970 */
      from?: string
      /** Only intervals that begin before this time: an ISO 8601 time with Z or an offset, a date, or seconds since 1970 */
      to?: string
      /** Maximum number of rows per page: 1 to 1000, default 100. */
      limit?: number | string
      /** Default `desc`. */
      order?: "asc" | "desc"
      /** Requests another page of this list: `next` or `prev` of a page with the same parameters. */
      cursor?: string
    }
    result: {
      /** The rows. A page may have fewer than `limit` rows, or none, although `next` or `prev` is not null */
      data: LiquidityInterval[]
      /** Cursor of the page after this one; null if there is none */
      next: string | null
      /** Cursor of the page before this one; null if there is none */
      prev: string | null
    }
  }
  /** The DEXes that have stored pools */
  listProtocols: {
    parameters: Record<string, never>
    result: Protocols
  }
  /** Open, high, low, close and volume of tokens, over all their pools, in one pool, or against another token */
  listCandles: {
    parameters: {
      /** The blockchain network, in any case. */
      network: "bsc" | "eth" | "polygon"
      /** The tokens whose prices are shown; default: the `base_token` of `pool`: up to 10 symbols or contract addresses, separated by commas. The coin is its symbol, the zero address, or empty */
      token?: string
      /** Only swaps of this pool: its contract address, or its 32-byte id, optionally preceded by the address of its manager or vault */
      pool?: string
      /** Only swaps against this token (contract address or symbol), in all pools of the pair. If a symbol is not supported, use the contract address instead. For the native coin, use its symbol, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address, or leave it empty. */
      against?: string
      interval: "1m" | "5m" | "15m" | "30m" | "1h" | "4h" | "1d" | "1w"
      /** Currency of the prices; default `usd`. `quote`: the other token of `pool`, or `against`. Open and close are then exact; high is at most, and low at least, what the swaps reached, by what the quote token moved in USD within a minute. The volume remains in USD. */
      currency?: "usd" | "quote"
      /** Whether intervals whose swaps set no price get the last close before them as their prices (`filled`). Intervals before the first price, and empty ones that are not indexed, are still left out. */
      fill?: "true" | "false"
      /** Only intervals that begin at this time or later: an ISO 8601 time with Z or an offset, a date, or seconds since 1970 */
      from?: string
      /** Only intervals that begin before this time: an ISO 8601 time with Z or an offset, a date, or seconds since 1970 */
      to?: string
      /** Maximum number of rows per page: 1 to 1000, default 100. */
      limit?: number | string
      /** Default `desc`. */
      order?: "asc" | "desc"
      /** Requests another page of this list: `next` or `prev` of a page with the same parameters. */
      cursor?: string
    }
    result: {
      /** The rows. A page may have fewer than `limit` rows, or none, although `next` or `prev` is not null */
      data: Candle[]
      /** Cursor of the page after this one; null if there is none */
      next: string | null
      /** Cursor of the page before this one; null if there is none */
      prev: string | null
    }
  }
  /** Liquidity added to pools and removed from them */
  listLiquidityEvents: {
    parameters: {
      /** The blockchain network, in any case. */
      network: "bsc" | "eth" | "polygon"
      /** Only events of this pool: its contract address, or its 32-byte id, optionally preceded by the address of its manager or vault */
      pool?: string
      /** Only transactions that this account signed */
      account?: string
      /** Only additions, or only removals */
      kind?: "add" | "remove"
      /** Only blocks at this time or later: an ISO 8601 time with Z or an offset, a date, or seconds since 1970 */
      from?: string
      /** Only blocks before this time: an ISO 8601 time with Z or an offset, a date, or seconds since 1970 */
      to?: string
      /** Only events worth at least this much */
      min_usd?: string
      /** Maximum number of rows per page: 1 to 1000, default 100. */
      limit?: number | string
      /** Default `desc`. */
      order?: "asc" | "desc"
      /** Requests another page of this list: `next` or `prev` of a page with the same parameters. */
      cursor?: string
    }
    result: {
      /** The rows. A page may have fewer than `limit` rows, or none, although `next` or `prev` is not null */
      data: LiquidityEvent[]
      /** Cursor of the page after this one; null if there is none */
      next: string | null
      /** Cursor of the page before this one; null if there is none */
      prev: string | null
    }
  }
  /** Trades, traders and volume per hour or day, for a network, a protocol, a pool or a token */
  listVolume: {
    parameters: {
      /** The blockchain network, in any case. */
      network: "bsc" | "eth" | "polygon"
      interval: "1h" | "1d"
      /** Name of a DEX, from `/v1/protocols` */
      protocol?: string
      /** Only swaps of this pool: its contract address, or its 32-byte id, optionally preceded by the address of its manager or vault */
      pool?: string
      /** Only swaps of this token (contract address or symbol), in all pools; the coin counts as its wrapper. If a symbol is not supported, use the contract address instead. For the native coin, use its symbol, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address, or leave it empty. */
      token?: string
      /** Only intervals that begin at this time or later: an ISO 8601 time with Z or an offset, a date, or seconds since 1970 */
      from?: string
      /** Only intervals that begin before this time: an ISO 8601 time with Z or an offset, a date, or seconds since 1970 */
      to?: string
      /** Maximum number of rows per page: 1 to 1000, default 100. */
      limit?: number | string
      /** Default `desc`. */
      order?: "asc" | "desc"
      /** Requests another page of this list: `next` or `prev` of a page with the same parameters. */
      cursor?: string
    }
    result: {
      /** The rows. A page may have fewer than `limit` rows, or none, although `next` or `prev` is not null */
      data: VolumeInterval[]
      /** Cursor of the page after this one; null if there is none */
      next: string | null
      /** Cursor of the page before this one; null if there is none */
      prev: string | null
    }
  }
  /** Pools with signs of wash trading, on the days of `/api/trade_volume_usd_7d` */
  listWashFlags: {
    parameters: Record<string, never>
    result: WashFlags
  }
  /** What an amount of a token buys, or what it costs to buy an amount */
  quoteAmount: {
    parameters: {
      /** The blockchain network, in any case. */
      network: "bsc" | "eth" | "polygon"
      /** Contract address or symbol of the token to sell; `sellToken` means the same. If a symbol is not supported, use the contract address instead. For the native coin, use its symbol, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address, or leave it empty. */
      sell: string
      /** Contract address or symbol of the token to buy; `buyToken` means the same. If a symbol is not supported, use the contract address instead. For the native coin, use its symbol, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address, or leave it empty. */
      buy: string
      /** Whole units of the token sold (`side=in`) or bought (`side=out`), with at most as many fractional digits as the token has decimals. Either this or `amount_raw` must be given */
      amount?: string
      /** The same amount in base units */
      amount_raw?: number | string
      /** `in` (default): sells exactly the amount. `out`: buys the amount for the smallest input */
      side?: "in" | "out"
      /** Maximum number of pools per route; default 3 */
      max_hops?: "1" | "2" | "3"
      /** Maximum number of routes that share the amount; default 4 */
      max_splits?: "1" | "2" | "3" | "4"
      /** Uses only pools of these DEXes (names from `/v1/protocols`), separated by commas */
      protocols?: string
      /** Leaves out these pools: their identifiers, separated by commas */
      exclude_pools?: string
      /** How much worse the trade may become, in hundredths of a percent; determines `min_out` or `max_in` */
      slippage_bps?: string
    }
    result: AmountQuote
  }
  /** Up to 100 quotes, all at the same block */
  quoteMany: {
    parameters: {
      /** The blockchain network, in any case. */
      network: "bsc" | "eth" | "polygon"
      /** Each quote has the parameters of `/v1/quote` except `network`, as strings */
      quotes: (Record<string, unknown>)[]
    }
    result: QuoteAnswers
  }
  /** How much of a token can be sold or bought until its price has moved by 0.1 % to 5 % */
  getDepth: {
    parameters: {
      /** The blockchain network, in any case. */
      network: "bsc" | "eth" | "polygon"
      /** Contract address or symbol of the token that is sold and bought. If a symbol is not supported, use the contract address instead. For the native coin, use its symbol, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address, or leave it empty. */
      token: string
      /** Contract address or symbol of the token that is paid for it; with the `pool` of two tokens, it may be left out. If a symbol is not supported, use the contract address instead. For the native coin, use its symbol, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address, or leave it empty. */
      against?: string
      /** Only this pool: its contract address, or its 32-byte id, optionally preceded by the address of its manager or vault */
      pool?: string
    }
    result: Depth
  }
  /** USD prices of up to 90 tokens, with their source and depth */
  getPrices: {
    parameters: {
      /** The blockchain network, in any case. */
      network: "bsc" | "eth" | "polygon"
      /** The tokens, also as `token`: up to 90 symbols or contract addresses, separated by commas. The coin is its symbol, the zero address, or empty */
      tokens: string
      /** Returns the prices at this past time, from the trades of the two days before it, counting only full minutes. There is no route or depth then, and no flag except `unweighted`: an ISO 8601 time with Z or an offset, a date, or seconds since 1970 */
      at?: string
    }
    result: TokenPrices
  }
  /** USD prices of up to 1000 tokens */
  findPrices: {
    parameters: {
      /** The blockchain network, in any case. */
      network: "bsc" | "eth" | "polygon"
      /** The tokens: symbols or contract addresses. The coin is its symbol, the zero address, or empty */
      tokens: string[]
      /** Returns the prices at this past time, from the trades of the two days before it, counting only full minutes. There is no route or depth then, and no flag except `unweighted`: an ISO 8601 time with Z or an offset, a date, or seconds since 1970 */
      at?: string
    }
    result: TokenPrices
  }
  /** Several reads in one request */
  batch: {
    parameters: Batch
    result: BatchAnswer
  }
  /** What the UDF data feed supports */
  udfConfig: {
    parameters: Record<string, never>
    result: UdfConfig
  }
  /** A symbol of the UDF data feed */
  udfSymbols: {
    parameters: {
      /** A ticker: `bsc:token:<address>` (in USD), `bsc:pool:<address>` (its base token in USD), or `bsc:pool:<address>:quote` (in the quote token) */
      symbol: string
    }
    result: UdfSymbol
  }
  /** Symbols of the UDF data feed by symbol, name, pair, address or id */
  udfSearch: {
    parameters: {
      /** As `q` of `/v1/search` */
      query?: string
      /** A network; empty for all */
      exchange?: string
      /** `token` or `pool`; empty for both */
      type?: string
      /** Maximum number of symbols, at most 50 */
      limit?: number | string
    }
    result: UdfSearchResult[]
  }
  /** The bars of a symbol of the UDF data feed */
  udfHistory: {
    parameters: {
      /** A ticker: `bsc:token:<address>` (in USD), `bsc:pool:<address>` (its base token in USD), or `bsc:pool:<address>:quote` (in the quote token) */
      symbol: string
      /** In minutes, or `1D`, `1W` */
      resolution: "1" | "5" | "15" | "30" | "60" | "240" | "1D" | "1W"
      /** First bar, in seconds since 1970; ignored if `countback` is given */
      from?: string
      /** Only bars that begin before this time, in seconds since 1970 */
      to: string
      /** Number of bars before `to` */
      countback?: number | string
    }
    result: UdfHistory
  }
  /** The server's time, in seconds since 1970 */
  udfTime: {
    parameters: Record<string, never>
    result: number
  }
  /** DEX Screener adapter: the last block up to which every block is indexed */
  dexscreenerLatestBlock: {
    parameters: {
      /** The blockchain network, in any case. */
      network: "bsc" | "eth" | "polygon"
    }
    result: DexscreenerLatestBlock
  }
  /** DEX Screener adapter: a token */
  dexscreenerAsset: {
    parameters: {
      /** The blockchain network, in any case. */
      network: "bsc" | "eth" | "polygon"
      /** The address of the token */
      id: string
    }
    result: DexscreenerAsset
  }
  /** DEX Screener adapter: a pool, or two tokens of a pool of several */
  dexscreenerPair: {
    parameters: {
      /** The blockchain network, in any case. */
      network: "bsc" | "eth" | "polygon"
      /** The `pairId` of an event */
      id: string
    }
    result: DexscreenerPair
  }
  /** DEX Screener adapter: swaps and liquidity events of all pools in a range of blocks */
  dexscreenerEvents: {
    parameters: {
      /** The blockchain network, in any case. */
      network: "bsc" | "eth" | "polygon"
      /** The first block */
      fromBlock: string
      /** The last block */
      toBlock: string
    }
    result: DexscreenerEvents
  }
  /** Whether the process runs */
  getLiveness: {
    parameters: Record<string, never>
    result: Health
  }
  /** Whether every network has indexed its start window, is up to date, and has read its most traded pools */
  getReadiness: {
    parameters: Record<string, never>
    result: Health
  }
  /** Head, indexed block, lag and gaps of every network */
  getStatus: {
    parameters: Record<string, never>
    result: Status
  }
  /** The OpenAPI document */
  getOpenApiDocument: {
    parameters: Record<string, never>
    result: Record<string, unknown>
  }
}

/** The method and path of each operation. */
export const OPERATIONS = {
  getQuote: { method: 'GET', path: '/api/quote', inPath: [], isList: false },
  listSwaps: { method: 'GET', path: '/api/swaps_24h', inPath: [], isList: false },
  listDayVolumes: { method: 'GET', path: '/api/trade_volume_usd_7d', inPath: [], isList: false },
  listNetworks: { method: 'GET', path: '/v1/networks', inPath: [], isList: false },
  search: { method: 'GET', path: '/v1/search', inPath: [], isList: false },
  searchSwaps: { method: 'GET', path: '/v1/swaps', inPath: [], isList: true },
  getTransaction: { method: 'GET', path: '/v1/transactions/{network}/{tx_hash}', inPath: ['network','tx_hash'], isList: false },
  listTokens: { method: 'GET', path: '/v1/tokens', inPath: [], isList: true },
  getToken: { method: 'GET', path: '/v1/tokens/{network}/{address}', inPath: ['network','address'], isList: false },
  listPools: { method: 'GET', path: '/v1/pools', inPath: [], isList: true },
  getPool: { method: 'GET', path: '/v1/pools/{network}/{address}', inPath: ['network','address'], isList: false },
  listPoolTrades: { method: 'GET', path: '/v1/pools/{network}/{address}/trades', inPath: ['network','address'], isList: true },
  listPoolLiquidity: { method: 'GET', path: '/v1/pools/{network}/{address}/liquidity', inPath: ['network','address'], isList: true },
  listProtocols: { method: 'GET', path: '/v1/protocols', inPath: [], isList: false },
  listCandles: { method: 'GET', path: '/v1/candles', inPath: [], isList: true },
  listLiquidityEvents: { method: 'GET', path: '/v1/liquidity_events', inPath: [], isList: true },
  listVolume: { method: 'GET', path: '/v1/volume', inPath: [], isList: true },
  listWashFlags: { method: 'GET', path: '/v1/wash_flags', inPath: [], isList: false },
  quoteAmount: { method: 'GET', path: '/v1/quote', inPath: [], isList: false },
  quoteMany: { method: 'POST', path: '/v1/quotes', inPath: [], isList: false },
  getDepth: { method: 'GET', path: '/v1/depth', inPath: [], isList: false },
  getPrices: { method: 'GET', path: '/v1/prices', inPath: [], isList: false },
  findPrices: { method: 'POST', path: '/v1/prices', inPath: [], isList: false },
  batch: { method: 'POST', path: '/v1/batch', inPath: [], isList: false },
  udfConfig: { method: 'GET', path: '/udf/config', inPath: [], isList: false },
  udfSymbols: { method: 'GET', path: '/udf/symbols', inPath: [], isList: false },
  udfSearch: { method: 'GET', path: '/udf/search', inPath: [], isList: false },
  udfHistory: { method: 'GET', path: '/udf/history', inPath: [], isList: false },
  udfTime: { method: 'GET', path: '/udf/time', inPath: [], isList: false },
  dexscreenerLatestBlock: { method: 'GET', path: '/adapters/dexscreener/{network}/latest-block', inPath: ['network'], isList: false },
  dexscreenerAsset: { method: 'GET', path: '/adapters/dexscreener/{network}/asset', inPath: ['network'], isList: false },
  dexscreenerPair: { method: 'GET', path: '/adapters/dexscreener/{network}/pair', inPath: ['network'], isList: false },
  dexscreenerEvents: { method: 'GET', path: '/adapters/dexscreener/{network}/events', inPath: ['network'], isList: false },
  getLiveness: { method: 'GET', path: '/livez', inPath: [], isList: false },
  getReadiness: { method: 'GET', path: '/readyz', inPath: [], isList: false },
  getStatus: { method: 'GET', path: '/status', inPath: [], isList: false },
  getOpenApiDocument: { method: 'GET', path: '/openapi.json', inPath: [], isList: false },
} as const

/** The parameters and the events of each stream. */
export interface Streams {
  /** Changes as they happen: trades, liquidity, one-minute candles, prices, new pools, alerts */
  stream: {
    parameters: {
      /** The blockchain network, in any case. */
      network?: "bsc" | "eth" | "polygon"
      /** Only trades that sell or buy one of these tokens; symbols need `network`: up to 50 symbols or contract addresses, separated by commas. The coin is its symbol, the zero address, or empty */
      token?: string
      /** Only trades that sell this token: its contract address, or with `network` its symbol. The wrapped coin also finds the coin. If a symbol is not supported, use the contract address instead. For the native coin, use its symbol, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address, or leave it empty. */
      sell_token?: string
      /** Only trades that buy this token: its contract address, or with `network` its symbol. The wrapped coin also finds the coin. If a symbol is not supported, use the contract address instead. For the native coin, use its symbol, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address, or leave it empty. */
      buy_token?: string
      /** Only trades that went through this pool: its contract address, or its 32-byte id, optionally preceded by the address of its manager or vault */
      pool?: string
      /** Name of a DEX, from `/v1/protocols` */
      protocol?: string
      /** Only trades that this account signed */
      trader?: string
      /** Only trades of this transaction */
      tx_hash?: string
      /** Only blocks at this time or later: an ISO 8601 time with Z or an offset, a date, or seconds since 1970 */
      from?: string
      /** Only blocks before this time: an ISO 8601 time with Z or an offset, a date, or seconds since 1970 */
      to?: string
      /** Only trades worth at least this much */
      min_usd?: string
      /** Only trades worth at most this much */
      max_usd?: string
      /** Which events to send besides those that every stream has; default `swap`. */
      events?: string
      /** For clients that cannot send the header `Last-Event-ID`. The header takes precedence. */
      last_event_id?: string
    }
    event: StreamEvent
  }
}

/** The path of each stream. */
export const STREAMS = {
  stream: { path: '/v1/stream' },
} as const
