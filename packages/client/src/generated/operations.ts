// Generated from the OpenAPI document: `npx vitest run packages/client -u` writes it.

export type QuoteResponse = {
  result: Quote
}

export type Quote = {
  /** The selected network */
  network: "bsc" | "eth" | "polygon"
  sell_token: TokenMetadata
  buy_token: TokenMetadata
  /** Amount of buy_token received for 1 unit of sell_token: fees and price impact included, gas not */
  price: string
}

export type TokenMetadata = {
  /** Token name */
  name: string
  /** Token symbol */
  symbol: string
  /** Number of decimals of the token */
  decimals: string
  /** Token contract address with its EIP-55 checksum; empty for the native coin of the network */
  address: string
}

export type Failure = {
  /** What went wrong, as a message for people */
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
  /** Value of the swap in USD; 0.00000000 also when no price is known */
  trade_volume_usd: string
}

export type SwapTokenLeg = {
  /** Token name */
  name: string
  /** Token symbol */
  symbol: string
  /** Number of decimals of the token */
  decimals: string
  /** Token contract address with its EIP-55 checksum; empty for the native coin of the network */
  address: string
  /** Amount in the token's smallest unit */
  amount: string
  /** Amount in whole units, exact, at least eight fractional digits */
  amount_decimal: string
}

export type DayVolumes = DayVolume[]

export type DayVolume = {
  /** The day, UTC */
  date: string
  /** Distinct addresses that traded on that day */
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
  /** The stablecoins that trades are valued by */
  stablecoins: PoolToken[]
  /** As `/status` has it */
  ready: boolean
  /** False: the indexer reads blocks now whose receipts it cannot prove */
  proven: boolean
  /** The chain's head when the last block was indexed */
  chain_head: string | null
  /** The last indexed block; null before the first */
  indexed_block: string | null
  indexed_block_time: string | null
  /** Blocks up to here cannot be rolled back */
  final_block: string | null
  /** Blocks between the head and `indexed_block` */
  lag_blocks: number | null
  /** Age of `indexed_block` */
  lag_seconds: number | null
  coverage: NetworkCoverage
  /** Trades and candles before this moment were deleted (`RETENTION_DAYS`); null: none were */
  kept_since: string | null
  /** Verified pools that had at least one trade */
  pools: number
  /** Tokens of these pools and of the curated list */
  tokens: number
  /** DEXes that have such a pool */
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
  /** Final blocks since the start whose trades are stored */
  done_blocks: number
  /** Final blocks since the start */
  total_blocks: number
  /** Ranges that are missing between the start and `indexed_block` */
  gaps: number
}

export type CodedFailure = {
  /** What went wrong, as a message for people */
  error: string
  /** `invalid_parameter`: A parameter is missing, repeated or malformed. `unknown_parameter`: The parameter does not exist here. `invalid_cursor`: The cursor does not belong to a page of this list. `malformed_request`: The request itself is malformed. `unknown_key`: The API key is not known here. `not_found`: This path does not exist, or the object is not indexed. `network_not_indexed`: This server does not index the network. `method_not_allowed`: Another method is meant for this path. `request_timeout`: The request took too long to arrive. `body_too_large`: The body is too large. `url_too_long`: The URL is too long. `unsupported_media_type`: The body is not JSON. `rate_limited`: Too many requests; `Retry-After` says when to retry. `internal`: A fault of the server. `query_timeout`: The database took too long; use a narrower time range or filter. `unavailable`: Not available now; `Retry-After` says when to retry */
  code: "invalid_parameter" | "unknown_parameter" | "invalid_cursor" | "malformed_request" | "unknown_key" | "not_found" | "network_not_indexed" | "method_not_allowed" | "request_timeout" | "body_too_large" | "url_too_long" | "unsupported_media_type" | "rate_limited" | "internal" | "query_timeout" | "unavailable"
}

export type SearchResult = {
  /** The best first */
  tokens: TokenFigures[]
  /** Found themselves, or pools of the best tokens; the best first */
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
  /** On the curated list: its symbol may be trusted */
  listed: boolean
  /** Of a whole token, by its last trade of two days with a value; null without one */
  price_usd: string | null
  /** Percent against the price 5 minutes before, rounded toward zero */
  price_change_5m: string | null
  /** Percent against the price an hour before, rounded toward zero */
  price_change_1h: string | null
  /** Percent against the price 6 hours before, rounded toward zero */
  price_change_6h: string | null
  /** Percent against the price a day before, rounded toward zero */
  price_change_24h: string | null
  volume_24h_usd: string
  swaps_24h: number
  /** Those of them whose value is not known */
  unpriced_swaps_24h: number
  /** Money in the pool, or in all pools of the token: tokens with a trusted price. Null if unknown */
  liquidity_usd: string | null
  /** Minute of the first swap that is kept */
  first_seen: string | null
  /** Whether 24 whole hours weigh the pools of the price, as in `/v1/candles`; null without one */
  price_weighted: boolean | null
}

export type Pool = {
  network: "bsc" | "eth" | "polygon"
  /** The pool's contract, or its vault or manager and the pool's address or id there */
  address: string
  /** Name of the DEX */
  protocol: string
  /** The contract that confirms it */
  factory: string
  tokens: PoolToken[]
  /** Null if it varies or is unknown */
  fee_millionths: number | null
  tick_spacing: number | null
  /** A contract that may change amounts and fees of every swap */
  hooks: string | null
  /** At the indexed head; null if it is not read yet, is known to be wrong, or `not_quoted` */
  state: {
    /** The block that made it */
    block_number: string
    /** `pair`, `concentrated`, or the name of the exact maths of the pool */
    kind: string
    /** Of other kinds: what it can pay of each of `tokens` at most */
    balances: string[] | null
    /** Of the first token; null unless it is a pair */
    reserve0: string | null
    reserve1: string | null
    /** Null without concentrated liquidity */
    sqrt_price_x96: string | null
    tick: number | null
    /** In range */
    liquidity: string | null
  } | null
  /** Why quotes do not use it. `unknown-code`: no known factory deployed it. `unknown-rate`: a contract that its maker chose sets a rate of it. `hooks`: its hooks may change or refuse swaps. Null: they do, or for another reason, such as a kind that is not quoted */
  not_quoted: "unknown-code" | "unknown-rate" | "hooks" | null
  /** The token whose price is shown, in its trades against the other one: the one that is not money */
  base_token: string
  /** Of a whole token, by its last trade of two days with a value; null without one */
  price_usd: string | null
  /** Percent against the price 5 minutes before, rounded toward zero */
  price_change_5m: string | null
  /** Percent against the price an hour before, rounded toward zero */
  price_change_1h: string | null
  /** Percent against the price 6 hours before, rounded toward zero */
  price_change_6h: string | null
  /** Percent against the price a day before, rounded toward zero */
  price_change_24h: string | null
  volume_24h_usd: string
  swaps_24h: number
  /** Those of them whose value is not known */
  unpriced_swaps_24h: number
  /** Money in the pool, or in all pools of the token: tokens with a trusted price. Null if unknown */
  liquidity_usd: string | null
  /** Minute of the first swap that is kept */
  first_seen: string | null
}

export type Swap = {
  /** Of the block */
  time: string
  network: "bsc" | "eth" | "polygon"
  block_number: string
  tx_hash: string
  transaction_index: number
  /** Position of the trade within its transaction */
  position: number
  /** The account that signed; null if unknown */
  trader: string | null
  /** The account for which a settlement says that it acted */
  settled_for: string | null
  sell_token: SwapLeg
  buy_token: SwapLeg
  /** Null when no price is known */
  trade_volume_usd: string | null
  /** The source of the value: docs/internals/usd.md of the project */
  usd_source: "stablecoin" | "route-stablecoin" | "native" | "anchor" | null
  /** Marks on the value. `capped`: more than the pools held, or money that went round within the transaction; the value counts the rest. `partial`: the account also gave or got something else, or only a token that anybody could have made shows what it traded; then the tokens are the pools'; or a fee in coins, which no log shows, may have been taken from what it bought; or the value of a part of the trade is not known. `jit-liquidity`: the transaction added the liquidity that it swapped with, and removed it after. `amounts-differ`: an amount, or the price of the two, is more than a fifth off the pools' amounts. `old-price`: most of the money that sets the price was in pools without a trade for half an hour. `unconfirmed`: transfers into and out of a pool do not confirm its event; if they give amounts, these count. `closed-loop`: all value of the transaction went round; nobody outside of the pools gave or got more than 1 % of it, as in arbitrage and wash trading. `settlement`: an order that the event of a settlement tells, and that no pool moved, or not all of it; the rest counts as far as the order's owner paid or got it */
  flags: ("depegged" | "disagreement" | "capped" | "partial" | "jit-liquidity" | "amounts-differ" | "old-price" | "unconfirmed" | "closed-loop" | "settlement")[]
  /** The pools of the trade, in order; empty if not stored, and for an order that no pool has a part in. If several trades of a transaction share a hop, it is listed whole with the trade that has the largest part of it */
  hops: SwapHop[]
  /** False: the chain may still roll the block back */
  final: boolean
}

export type SwapLeg = {
  name: string | null
  symbol: string | null
  /** Null: the contract returns no usable value */
  decimals: string | null
  /** With its EIP-55 checksum; empty for the coin of the network */
  address: string
  /** In the token's smallest unit */
  amount: string
  /** In whole units, exact; null if the decimals are unknown */
  amount_decimal: string | null
}

export type SwapHop = {
  /** Name of the DEX */
  protocol: string | null
  /** The pool's contract, or its vault or manager and the pool's address or id there */
  pool: string | null
  log_index: number
  /** What the pool received; for the coin its wrapper */
  token_in: string
  amount_in: string
  /** What the pool paid; for the coin its wrapper */
  token_out: string
  amount_out: string
  trade_volume_usd: string | null
}

export type Transaction = {
  network: "bsc" | "eth" | "polygon"
  tx_hash: string
  block_number: string
  /** Of the block */
  time: string
  /** False: the chain may still roll the block back */
  final: boolean
  transaction_index: number
  /** The account that signed; null if unknown */
  trader: string | null
  /** In their order within the transaction */
  trades: ExplainedTrade[]
  /** False: it has more trades than the 1,000 of this response */
  complete: boolean
  /** Every token of the trades and hops: symbols and names are what contracts claim */
  tokens: PoolToken[]
}

export type ExplainedTrade = {
  /** Position of the trade within its transaction */
  position: number
  /** The account for which a settlement says that it acted */
  settled_for: string | null
  sell_token: SwapLeg
  buy_token: SwapLeg
  /** Null when no price is known */
  trade_volume_usd: string | null
  /** The source of the value: docs/internals/usd.md of the project */
  usd_source: "stablecoin" | "route-stablecoin" | "native" | "anchor" | null
  /** Marks on the value. `capped`: more than the pools held, or money that went round within the transaction; the value counts the rest. `partial`: the account also gave or got something else, or only a token that anybody could have made shows what it traded; then the tokens are the pools'; or a fee in coins, which no log shows, may have been taken from what it bought; or the value of a part of the trade is not known. `jit-liquidity`: the transaction added the liquidity that it swapped with, and removed it after. `amounts-differ`: an amount, or the price of the two, is more than a fifth off the pools' amounts. `old-price`: most of the money that sets the price was in pools without a trade for half an hour. `unconfirmed`: transfers into and out of a pool do not confirm its event; if they give amounts, these count. `closed-loop`: all value of the transaction went round; nobody outside of the pools gave or got more than 1 % of it, as in arbitrage and wash trading. `settlement`: an order that the event of a settlement tells, and that no pool moved, or not all of it; the rest counts as far as the order's owner paid or got it */
  flags: ("depegged" | "disagreement" | "capped" | "partial" | "jit-liquidity" | "amounts-differ" | "old-price" | "unconfirmed" | "closed-loop" | "settlement")[]
  /** As of `/v1/swaps`: the amounts of the pools, in order; empty if none is stored with this trade */
  hops: ExplainedHop[]
  /** The net of the hops; null if they are not stored with this trade, or do not net to two tokens. `sell_token` and `buy_token` are what the account gave and got */
  through_pools: {
    /** What entered the first pools; the coin as its wrapper */
    sell: {
      name: string | null
      symbol: string | null
      /** Null: the contract returns no usable value */
      decimals: string | null
      /** With its EIP-55 checksum; empty for the coin of the network */
      address: string
      /** In the token's smallest unit */
      amount: string
      /** In whole units, exact; null if the decimals are unknown */
      amount_decimal: string | null
    }
    /** What left the last ones */
    buy: {
      name: string | null
      symbol: string | null
      /** Null: the contract returns no usable value */
      decimals: string | null
      /** With its EIP-55 checksum; empty for the coin of the network */
      address: string
      /** In the token's smallest unit */
      amount: string
      /** In whole units, exact; null if the decimals are unknown */
      amount_decimal: string | null
    }
  } | null
  /** Why the row is as it is, as far as it is stored */
  notes: TradeNote[]
}

export type ExplainedHop = {
  /** Name of the DEX */
  protocol: string | null
  /** The pool's contract, or its vault or manager and the pool's address or id there */
  pool: string | null
  log_index: number
  /** What the pool received; for the coin its wrapper */
  token_in: string
  amount_in: string
  /** What the pool paid; for the coin its wrapper */
  token_out: string
  amount_out: string
  trade_volume_usd: string | null
  /** Marks that keep this hop out of prices and candles; empty: none */
  flags: ("depegged" | "disagreement" | "capped" | "partial" | "jit-liquidity" | "amounts-differ" | "old-price" | "unconfirmed" | "closed-loop" | "settlement")[]
}

export type TradeNote = {
  /** The part of the trade that it explains */
  about: "row" | "sell" | "buy" | "value"
  /** For programs; flags keep their names */
  code: string
  /** In plain words, without any text of a contract */
  text: string
}

export type TokenDetails = {
  network: "bsc" | "eth" | "polygon"
  address: string
  /** From the contract or the curated list; anyone can write this text */
  symbol: string | null
  name: string | null
  /** Null: the contract returns no usable value */
  decimals: string | null
  /** On the curated list: its symbol may be trusted */
  listed: boolean
  /** Of a whole token, by its last trade of two days with a value; null without one */
  price_usd: string | null
  /** Percent against the price 5 minutes before, rounded toward zero */
  price_change_5m: string | null
  /** Percent against the price an hour before, rounded toward zero */
  price_change_1h: string | null
  /** Percent against the price 6 hours before, rounded toward zero */
  price_change_6h: string | null
  /** Percent against the price a day before, rounded toward zero */
  price_change_24h: string | null
  volume_24h_usd: string
  swaps_24h: number
  /** Those of them whose value is not known */
  unpriced_swaps_24h: number
  /** Money in the pool, or in all pools of the token: tokens with a trusted price. Null if unknown */
  liquidity_usd: string | null
  /** Minute of the first swap that is kept */
  first_seen: string | null
  /** Whether 24 whole hours weigh the pools of the price, as in `/v1/candles`; null without one */
  price_weighted: boolean | null
  /** The newest final trade with a value without marks; null if a bounded search finds none */
  last_trade: {
    time: string
    tx_hash: string
    /** The trade's value divided by the amount of the token, rounded down; one trade, not an average */
    price_usd: string
  } | null
}

export type Protocols = {
  /** By network and name */
  data: Protocol[]
}

export type Protocol = {
  network: "bsc" | "eth" | "polygon"
  name: string
  /** Verified pools that had at least one trade */
  pools: number
}

export type Candle = {
  /** When the interval begins */
  time: string
  /** First price, in USD for a whole token; null where it is not known */
  open: string | null
  /** Highest price, in USD for a whole token; null where it is not known */
  high: string | null
  /** Lowest price, in USD for a whole token; null where it is not known */
  low: string | null
  /** Last price, in USD for a whole token; null where it is not known */
  close: string | null
  /** Of a token over all its pools: whether the 24 hours before weigh its pools. `false`: a part of them is not indexed, or its pools have just begun to trade. Null without prices, or of hops alone */
  weighted: boolean | null
  /** Of the swaps whose value is known */
  volume_usd: string
  /** Swap events of pools */
  swaps: number
  /** Those of them whose value is not known */
  unpriced_swaps: number
}

export type VolumeInterval = {
  /** When the interval begins */
  time: string
  /** Of the trades that have a value */
  volume_usd: string
  /** Trades of the network; of a protocol, pool or token its swap events */
  trades: number
  /** Those of them whose value is not known */
  unpriced_trades: number
  /** Distinct addresses that signed; null: not counted */
  traders: number | null
  /** Why `traders` is null. `too-many-trades`: the network has more than 200,000 trades on the days of the page, so they are counted for its whole days only. `not-kept`: the rows were deleted */
  traders_unknown: "too-many-trades" | "not-kept" | null
}

export type WashFlags = {
  /** The judged days: over, final and indexed as a whole */
  days: WashDay[]
  /** Newest day first, then by volume; at most 1,000 */
  pools: WashPool[]
}

export type WashDay = {
  date: string
  network: "bsc" | "eth" | "polygon"
  /** Of all pools of the network on that day */
  trade_volume_usd: string
  /** Of trades that pass a flagged pool; a part of the same total */
  flagged_volume_usd: string
  flagged_pools: number
}

export type WashPool = {
  date: string
  network: "bsc" | "eth" | "polygon"
  /** The pool. For orders of settlements that no pool filled: their two tokens, one after the other */
  pool: string
  swaps: number
  traders: number
  trade_volume_usd: string
  /** By addresses that reversed their own trades */
  round_trip_volume_usd: string
  /** By the busiest addresses */
  top_traders_volume_usd: string
  /** In amounts that one address bought and another sold */
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
  /** Whole units, exact */
  amount_in_decimal: string
  /** Base units */
  amount_out: string
  /** Whole units, exact */
  amount_out_decimal: string
  /** `side=in` with `slippage_bps`: amount_out x (10,000 - slippage_bps) / 10,000, rounded down */
  min_out: string | null
  /** `side=out` with `slippage_bps`: amount_in x (10,000 + slippage_bps) / 10,000, rounded up */
  max_in: string | null
  /** Empty between the coin and its wrapper */
  parts: QuotePart[]
  /** amount_out for one of amount_in in whole units, 18 significant digits, rounded down */
  price: string
  /** The same for an infinitely small amount along the same parts without fees; null if not known */
  mid_price: string | null
  /** 1 - price / mid_price: fees and the move of the price together, rounded toward zero */
  price_impact: string | null
  /** Paid to pools, by token; null if the fee of a hop is not known */
  fees: QuoteFee[] | null
  fees_usd: string | null
  /** By the prices of `/v1/prices`; null without one */
  amount_in_usd: string | null
  amount_out_usd: string | null
  /** Units of gas, by constants for each kind of hop */
  gas_estimate: number
  /** Null: the base fee of blocks is not stored */
  gas_usd: string | null
  sell_transfers: TransferEvidence
  buy_transfers: TransferEvidence
  /** `unlisted-route`: the route passes through a token that is not on the curated list, because no route through listed ones has pools of 1,000 USD each. `unlisted-token`: the token sold or bought is not on that list. `unproven`: nor do receipts show that it can be moved whole, or they show that a token of that list arrives short */
  flags: ("unlisted-route" | "unlisted-token" | "unproven")[]
  block: QuotedBlock
  /** `unread-pools`: a pool whose state is not read yet might improve the quote */
  partial: "unread-pools" | null
}

export type QuotePart = {
  /** Part of amount_in, out of 1, rounded down */
  share: string
  amount_in: string
  amount_out: string
  hops: QuoteHop[]
}

export type QuoteHop = {
  /** The pool's contract, or its vault or manager and the pool's address or id there */
  pool: string
  /** Name of the DEX; null if it is not known yet */
  protocol: string | null
  /** For the coin its wrapper */
  token_in: string
  token_out: string
  /** Base units */
  amount_in: string
  /** Base units */
  amount_out: string
  /** Of the input, in base units, rounded up; null if the fee is not a share of the input */
  fee: string | null
}

export type QuoteFee = {
  token: string
  /** Base units */
  amount: string
  usd: string | null
}

export type TransferEvidence = {
  /** `trusted`: the coin, an anchor or on the curated list. `moves`: receipts show that it arrives whole. `none`: neither, or pools paid a token of that list and less arrived. So the amounts may be wrong */
  proof: "trusted" | "moves" | "none"
  /** Transactions of the last week that carried it from one pool into another; not counted if trusted */
  moves: number
  /** Those of them in which less arrived than was sent */
  short: number
}

export type QuotedBlock = {
  number: string
  hash: string
  time: string
  /** Seconds since then, by the clock of the server */
  age_s: number
}

export type QuoteAnswers = {
  network: "bsc" | "eth" | "polygon"
  block: QuotedBlock
  quotes: QuoteAnswer[]
}

export type QuoteAnswer = {
  /** Its place in the request, from 0 */
  index: number
  /** As of `/v1/quote` */
  status: number
  /** Null if it failed */
  quote: {
    network: "bsc" | "eth" | "polygon"
    sell_token: TokenMetadata
    buy_token: TokenMetadata
    side: "in" | "out"
    /** Base units */
    amount_in: string
    /** Whole units, exact */
    amount_in_decimal: string
    /** Base units */
    amount_out: string
    /** Whole units, exact */
    amount_out_decimal: string
    /** `side=in` with `slippage_bps`: amount_out x (10,000 - slippage_bps) / 10,000, rounded down */
    min_out: string | null
    /** `side=out` with `slippage_bps`: amount_in x (10,000 + slippage_bps) / 10,000, rounded up */
    max_in: string | null
    /** Empty between the coin and its wrapper */
    parts: QuotePart[]
    /** amount_out for one of amount_in in whole units, 18 significant digits, rounded down */
    price: string
    /** The same for an infinitely small amount along the same parts without fees; null if not known */
    mid_price: string | null
    /** 1 - price / mid_price: fees and the move of the price together, rounded toward zero */
    price_impact: string | null
    /** Paid to pools, by token; null if the fee of a hop is not known */
    fees: QuoteFee[] | null
    fees_usd: string | null
    /** By the prices of `/v1/prices`; null without one */
    amount_in_usd: string | null
    amount_out_usd: string | null
    /** Units of gas, by constants for each kind of hop */
    gas_estimate: number
    /** Null: the base fee of blocks is not stored */
    gas_usd: string | null
    sell_transfers: TransferEvidence
    buy_transfers: TransferEvidence
    /** `unlisted-route`: the route passes through a token that is not on the curated list, because no route through listed ones has pools of 1,000 USD each. `unlisted-token`: the token sold or bought is not on that list. `unproven`: nor do receipts show that it can be moved whole, or they show that a token of that list arrives short */
    flags: ("unlisted-route" | "unlisted-token" | "unproven")[]
    block: QuotedBlock
    /** `unread-pools`: a pool whose state is not read yet might improve the quote */
    partial: "unread-pools" | null
  } | null
  /** Null if it did not fail */
  failure: {
    /** What went wrong, as a message for people */
    error: string
    /** `invalid_parameter`: A parameter is missing, repeated or malformed. `unknown_parameter`: The parameter does not exist here. `invalid_cursor`: The cursor does not belong to a page of this list. `malformed_request`: The request itself is malformed. `unknown_key`: The API key is not known here. `not_found`: This path does not exist, or the object is not indexed. `network_not_indexed`: This server does not index the network. `method_not_allowed`: Another method is meant for this path. `request_timeout`: The request took too long to arrive. `body_too_large`: The body is too large. `url_too_long`: The URL is too long. `unsupported_media_type`: The body is not JSON. `rate_limited`: Too many requests; `Retry-After` says when to retry. `internal`: A fault of the server. `query_timeout`: The database took too long; use a narrower time range or filter. `unavailable`: Not available now; `Retry-After` says when to retry */
    code: "invalid_parameter" | "unknown_parameter" | "invalid_cursor" | "malformed_request" | "unknown_key" | "not_found" | "network_not_indexed" | "method_not_allowed" | "request_timeout" | "body_too_large" | "url_too_long" | "unsupported_media_type" | "rate_limited" | "internal" | "query_timeout" | "unavailable"
  } | null
}

export type TokenPrices = {
  network: "bsc" | "eth" | "polygon"
  /** The past moment of the prices; null: now */
  at: string | null
  /** The block of the market; null with `at` */
  block: {
    number: string
    hash: string
    time: string
    /** Seconds since then, by the clock of the server */
    age_s: number
  } | null
  /** In the order of the request */
  prices: TokenPrice[]
}

export type TokenPrice = {
  /** As requested, with its checksum */
  token: string
  /** Of a whole token, at most 18 significant digits, rounded down; null if it is not known */
  price_usd: string | null
  /** `reference`: an anchor, by its reference pools. `market`: what selling a little brings now, along `route`. `trades`: by the trades of two days, as `/v1/tokens` has it */
  source: "reference" | "market" | "trades" | null
  /** The pools of a sale, up to a token with a reference price */
  route: PriceHop[]
  /** What can be sold along the route for 2 % less than the price; null without a route */
  depth_usd: string | null
  /** Seconds since the block of the state; null for a price by trades. With `at`: from the end of the minute of the trade to `at` */
  age_s: number | null
  /** `thin`: less than 1,000 USD of depth. `unproven`: no receipts show that it can be moved whole. `short`: it arrived short within a week. `depegged`: it, or the end of its route, is a stablecoin off its peg. `old`: a reference price is old. `differs`: trades say another price, by more than a tenth. `partial`: pools are not read yet. `unlisted-route`: the route passes through a token that is not on the curated list. `unweighted`: a price by trades, and its `price_weighted` is false */
  flags: ("thin" | "unproven" | "short" | "depegged" | "old" | "differs" | "partial" | "unlisted-route" | "unweighted")[]
}

export type PriceHop = {
  /** The pool's contract, or its vault or manager and the pool's address or id there */
  pool: string
  token_out: string
}

export type StreamEvent = {
  event: "head"
  data: StreamHead
  /** Continues from here, like `Last-Event-ID` or `last_event_id` */
  id?: string
  } | {
  event: "swap"
  data: StreamSwap
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
  event: "reset"
  data: StreamReset
  } | {
  event: "slow"
  data: StreamSlow
}

/** Every change of the network up to here was sent */
export type StreamHead = {
  network: "bsc" | "eth" | "polygon"
  /** Last indexed block; null before the first */
  block_number: string | null
  /** Time of that block */
  time: string | null
  /** Trades up to this block are final; null before the first */
  final_block: string | null
}

/** A trade as `/v1/swaps` lists it. It is final when a `head` says that its block is */
export type StreamSwap = {
  /** Of the block */
  time: string
  network: "bsc" | "eth" | "polygon"
  block_number: string
  tx_hash: string
  transaction_index: number
  /** Position of the trade within its transaction */
  position: number
  /** The account that signed; null if unknown */
  trader: string | null
  /** The account for which a settlement says that it acted */
  settled_for: string | null
  sell_token: SwapLeg
  buy_token: SwapLeg
  /** Null when no price is known */
  trade_volume_usd: string | null
  /** The source of the value: docs/internals/usd.md of the project */
  usd_source: "stablecoin" | "route-stablecoin" | "native" | "anchor" | null
  /** Marks on the value. `capped`: more than the pools held, or money that went round within the transaction; the value counts the rest. `partial`: the account also gave or got something else, or only a token that anybody could have made shows what it traded; then the tokens are the pools'; or a fee in coins, which no log shows, may have been taken from what it bought; or the value of a part of the trade is not known. `jit-liquidity`: the transaction added the liquidity that it swapped with, and removed it after. `amounts-differ`: an amount, or the price of the two, is more than a fifth off the pools' amounts. `old-price`: most of the money that sets the price was in pools without a trade for half an hour. `unconfirmed`: transfers into and out of a pool do not confirm its event; if they give amounts, these count. `closed-loop`: all value of the transaction went round; nobody outside of the pools gave or got more than 1 % of it, as in arbitrage and wash trading. `settlement`: an order that the event of a settlement tells, and that no pool moved, or not all of it; the rest counts as far as the order's owner paid or got it */
  flags: ("depegged" | "disagreement" | "capped" | "partial" | "jit-liquidity" | "amounts-differ" | "old-price" | "unconfirmed" | "closed-loop" | "settlement")[]
  /** The pools of the trade, in order; empty if not stored, and for an order that no pool has a part in. If several trades of a transaction share a hop, it is listed whole with the trade that has the largest part of it */
  hops: SwapHop[]
}

/** The trades of these blocks were removed; the ones that remain follow */
export type StreamRemoved = {
  network: "bsc" | "eth" | "polygon"
  from_block: string
  to_block: string
}

/** A token's minute as it is now */
export type StreamCandle = {
  /** When the interval begins */
  time: string
  /** First price, in USD for a whole token; null where it is not known */
  open: string | null
  /** Highest price, in USD for a whole token; null where it is not known */
  high: string | null
  /** Lowest price, in USD for a whole token; null where it is not known */
  low: string | null
  /** Last price, in USD for a whole token; null where it is not known */
  close: string | null
  /** Of a token over all its pools: whether the 24 hours before weigh its pools. `false`: a part of them is not indexed, or its pools have just begun to trade. Null without prices, or of hops alone */
  weighted: boolean | null
  /** Of the swaps whose value is known */
  volume_usd: string
  /** Swap events of pools; 0: none are left */
  swaps: number
  /** Those of them whose value is not known */
  unpriced_swaps: number
  network: "bsc" | "eth" | "polygon"
  /** With its EIP-55 checksum; for the coin its wrapper */
  token: string
}

/** The price of a token has changed */
export type StreamPrice = {
  network: "bsc" | "eth" | "polygon"
  /** With its EIP-55 checksum; for the coin its wrapper */
  token: string
  /** As `/v1/tokens` has it */
  price_usd: string | null
}

/** Forget the trades of these blocks, and read them from `/v1/swaps` */
export type StreamReset = {
  network: "bsc" | "eth" | "polygon"
  /** `resume`: what came after the id is not kept any more. `history`: blocks before the kept edge have changed. `network`: any of its rows may have changed, or it is no longer (or newly) indexed */
  reason: "resume" | "history" | "network"
  /** First block; null: all blocks */
  from_block: string | null
  /** Last block; null: all blocks */
  to_block: string | null
  /** For the parameters `from` and `to` of `/v1/swaps`; null: the blocks have no trades, or all blocks are meant */
  from: string | null
  to: string | null
}

/** The listener is too slow: more events wait than the server keeps, and the connection ends */
export type StreamSlow = {
  message: string
}

export type BatchAnswer = {
  responses: BatchResponse[]
}

export type BatchResponse = {
  status: number
  /** The response to this request alone */
  body: Record<string, unknown>
}

export type Batch = {
  requests: BatchRequest[]
}

export type BatchRequest = {
  /** Path and query of a GET under `/v1`; `limit` at most 100 */
  path: string
  /** With it, the request is a POST of this JSON */
  body?: Record<string, unknown>
}

export type Health = {
  status: "ok"
}

export type Status = {
  ready: boolean
  networks: NetworkStatus[]
  /** Days that are being filled: searches by trader or transaction are slower there */
  unindexed_days: string[]
}

export type NetworkStatus = {
  network: "bsc" | "eth" | "polygon"
  /** The start window is covered, the head is fresh and the most traded pools are read */
  ready: boolean
  /** The chain's head when the last block was indexed */
  chain_head: number | null
  /** The last block that was indexed */
  indexed_block: number | null
  indexed_block_time: string | null
  /** Blocks up to here cannot be rolled back */
  final_block: number | null
  lag_blocks: number | null
  /** Age of the last indexed block */
  lag_seconds: number | null
  /** The first block to cover; null until the node has reported it */
  start_block: number | null
  /** Block ranges whose swaps are stored */
  covered: BlockRange[]
  /** What is missing between the start and the last indexed block */
  gaps: BlockRange[]
  backfill: BackfillStatus
  /** Rows that an older version made by other rules: served until they are derived again, newest first, once nothing is missing */
  old_rows: {
    /** Final blocks since the start with such rows */
    blocks: number
    /** Time until none is left; null if unknown */
    eta_seconds: number | null
  } | null
  /** Why this network makes no progress */
  degraded: string | null
  /** Time since which blocks are read without proof: no endpoint serves receipts of whole blocks */
  unproven: string | null
  /** Blocks that are read without proof because their headers have unknown fields: the chain has forked, update dexfeed */
  unknown_headers: {
    /** The first of these blocks */
    from_block: number
    /** Names of the unknown fields */
    fields: string[]
    since: string
  } | null
  /** Pools with trades in the last day whose state is not read yet: quotes do not use them yet */
  pools_without_state: number
  /** Blocks that wait until keys of pools inside managers (Uniswap V4) are found in old logs; after ten minutes the network is ready without them */
  awaiting_keys: {
    /** How many blocks of the gaps */
    blocks: number
    /** How many pools */
    pools: number
    /** Since when the indexer has been looking for the first of these keys */
    since: string
  } | null
  /** Which venues to add next; null while nothing is counted (no whole blocks are read) */
  unread_venues: {
    /** Receipts that look like a swap, recently, in one block of eight */
    receipts: number
    /** Those of them that no known venue explains */
    unread_share: number
    /** The contracts that emitted these swaps, the most frequent first */
    venues: ({
      /** The contract that emitted the event */
      emitter: string
      /** First topic of that event */
      topic: string
      receipts: number
    })[]
  } | null
  /** Budgets of RPC endpoints that are too low to follow the head */
  budget_shortfall: string | null
  /** Requests to the RPC endpoints in the last minute, by the process that follows; empty if unknown */
  endpoints: EndpointUse[]
  /** Jobs of history; null if unknown */
  queue: {
    waiting: number
    /** Jobs that a worker has taken */
    taken: number
    /** Jobs that failed and wait for another try */
    failed: number
    /** Of all processes; null while nothing is missing */
    workers: number | null
  } | null
}

export type BlockRange = {
  from: number
  to: number
}

export type BackfillStatus = {
  /** Final blocks since the start whose swaps are stored */
  done_blocks: number
  /** Final blocks since the start */
  total_blocks: number
  /** Null when no gap is being filled */
  blocks_per_s: number | null
  /** Time until everything is stored, at that speed */
  eta_seconds: number | null
}

export type EndpointUse = {
  /** Place of the endpoint in <NETWORK>_RPC_URL, from 1 */
  endpoint: number
  /** Requests; a batch counts its items */
  items: number
  /** Of these, refused for their rate */
  refused: number
  /** Of these, without a reply for another reason */
  failed: number
  /** Budget a second, in requests or compute units, configured or learnt; null: no limit is known */
  budget_per_s: number | null
}

/** The parameters and the result of each operation. */
export interface Operations {
  /** The current swap price of a pair of tokens */
  getQuote: {
    parameters: {
      /** Contract address or symbol of the token to sell. If a symbol is not supported, use the contract address instead. The native coin has its symbol, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE and the zero address. */
      sellToken: string
      /** Contract address or symbol of the token to buy. If a symbol is not supported, use the contract address instead. The native coin has its symbol, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE and the zero address. */
      buyToken: string
      /** The blockchain network; upper case is accepted too. */
      network?: "bsc" | "eth" | "polygon"
    }
    result: QuoteResponse
  }
  /** The swap transactions of the last 24 hours */
  listSwaps: {
    parameters: {
      /** The blockchain network; upper case is accepted too. */
      network?: "bsc" | "eth" | "polygon"
      /** Rows of a page, 1 to 10000; without it the response is the whole list. */
      limit?: number | string
      /** Continues after a page: take it from the `next` link of the header `Link`. */
      cursor?: string
    }
    result: SwapTransactions
  }
  /** Trade volume and trading addresses of each day: today and the six days before */
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
      /** The beginning of a symbol or name, two of them with a slash between, or the address of a token or pool, or a pool's id; in any case */
      q: string
      /** The blockchain network; upper case is accepted too. */
      network?: "bsc" | "eth" | "polygon"
      /** Tokens, and pools, at most: 1 to 50; 10 without it. */
      limit?: number | string
    }
    result: SearchResult
  }
  /** Trades of all kept days, by filters */
  searchSwaps: {
    parameters: {
      /** The blockchain network; upper case is accepted too. */
      network?: "bsc" | "eth" | "polygon"
      /** Trades that sell or buy this token. The wrapped coin's address also finds the coin. Empty, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address: the coin */
      token?: string
      /** Trades that sell this token. The wrapped coin's address also finds the coin. Empty, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address: the coin */
      sell_token?: string
      /** Trades that buy this token. The wrapped coin's address also finds the coin. Empty, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address: the coin */
      buy_token?: string
      /** Trades that went through this pool: its contract, or the id of 32 bytes in its manager or vault, with or without their address */
      pool?: string
      /** Name of a DEX, as `/v1/protocols` lists them */
      protocol?: string
      /** The account that signed */
      trader?: string
      /** Trades of this transaction */
      tx_hash?: string
      /** Blocks of this moment or later: with Z or an offset, a date alone, or seconds since 1970 */
      from?: string
      /** Blocks before this moment: with Z or an offset, a date alone, or seconds since 1970 */
      to?: string
      /** Trades worth this or more */
      min_usd?: string
      /** Trades worth this or less */
      max_usd?: string
      /** Rows of a page at most, 1 to 1000; 100 without it. */
      limit?: number | string
      /** `desc` without it. */
      order?: "asc" | "desc"
      /** Another page of this list: `next` or `prev` of a page that has the same parameters. */
      cursor?: string
    }
    result: {
      /** The rows. A page may have fewer than `limit` rows, or none, while `next` or `prev` continues */
      data: Swap[]
      /** Cursor of the page after this one; null without one */
      next: string | null
      /** Cursor of the page before this one; null without one */
      prev: string | null
    }
  }
  /** A transaction: its trades with their hops, and why they are as they are */
  getTransaction: {
    parameters: {
      /** The blockchain network; upper case is accepted too. */
      network: "bsc" | "eth" | "polygon"
      /** The hash of the transaction */
      tx_hash: string
    }
    result: Transaction
  }
  /** Tokens with at least one trade in an indexed pool, and tokens on the curated list */
  listTokens: {
    parameters: {
      /** The blockchain network; upper case is accepted too. */
      network?: "bsc" | "eth" | "polygon"
      /** A contract address, or the beginning of a symbol or name; A to Z in any case */
      search?: string
      /** Only those on the curated list, or only others */
      listed?: "true" | "false"
      /** The order of the list; unknown values are last */
      order_by?: "volume" | "liquidity" | "price_change" | "age"
      /** At least this volume in 24 hours, in USD */
      min_volume?: string
      /** At least this liquidity, in USD */
      min_liquidity?: string
      /** Rows of a page at most, 1 to 1000; 100 without it. */
      limit?: number | string
      /** `asc` without it, `desc` with `order_by`. */
      order?: "asc" | "desc"
      /** Another page of this list: `next` or `prev` of a page that has the same parameters. */
      cursor?: string
    }
    result: {
      /** The rows. A page may have fewer than `limit` rows, or none, while `next` or `prev` continues */
      data: TokenFigures[]
      /** Cursor of the page after this one; null without one */
      next: string | null
      /** Cursor of the page before this one; null without one */
      prev: string | null
    }
  }
  /** A token */
  getToken: {
    parameters: {
      /** The blockchain network; upper case is accepted too. */
      network: "bsc" | "eth" | "polygon"
      /** The token's contract; for the coin, as in other parameters, that of its wrapper */
      address: string
    }
    result: TokenDetails
  }
  /** Verified pools that had at least one trade */
  listPools: {
    parameters: {
      /** The blockchain network; upper case is accepted too. */
      network?: "bsc" | "eth" | "polygon"
      /** Pools that exchange this token; some managers have pools of the coin itself. Empty, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address: the coin */
      token?: string
      /** Together with `token`: pools that exchange these two. Empty, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address: the coin */
      other_token?: string
      /** Name of a DEX, as `/v1/protocols` lists them */
      protocol?: string
      /** The order of the list; unknown values are last */
      order_by?: "volume" | "liquidity" | "price_change" | "age"
      /** At least this volume in 24 hours, in USD */
      min_volume?: string
      /** At least this liquidity, in USD */
      min_liquidity?: string
      /** Rows of a page at most, 1 to 1000; 100 without it. */
      limit?: number | string
      /** `asc` without it, `desc` with `order_by`. */
      order?: "asc" | "desc"
      /** Another page of this list: `next` or `prev` of a page that has the same parameters. */
      cursor?: string
    }
    result: {
      /** The rows. A page may have fewer than `limit` rows, or none, while `next` or `prev` continues */
      data: Pool[]
      /** Cursor of the page after this one; null without one */
      next: string | null
      /** Cursor of the page before this one; null without one */
      prev: string | null
    }
  }
  /** A pool */
  getPool: {
    parameters: {
      /** The blockchain network; upper case is accepted too. */
      network: "bsc" | "eth" | "polygon"
      /** The pool: its contract, or the id of 32 bytes in its manager or vault, with or without their address */
      address: string
    }
    result: Pool
  }
  /** The DEXes that have stored pools */
  listProtocols: {
    parameters: Record<string, never>
    result: Protocols
  }
  /** Open, high, low, close and volume of a token, over all its pools, in one pool, or against another token */
  listCandles: {
    parameters: {
      /** The blockchain network; upper case is accepted too. */
      network: "bsc" | "eth" | "polygon"
      /** The token whose price is shown; the coin has the price of its wrapper. Empty, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address: the coin */
      token: string
      /** Swaps of this pool alone: its contract, or the id of 32 bytes in its manager or vault, with or without their address */
      pool?: string
      /** Swaps against this token alone, over all pools of the two. Empty, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address: the coin */
      against?: string
      interval: "1m" | "5m" | "15m" | "1h" | "4h" | "1d"
      /** Intervals that begin at this moment or later: with Z or an offset, a date alone, or seconds since 1970 */
      from?: string
      /** Intervals that begin before this moment: with Z or an offset, a date alone, or seconds since 1970 */
      to?: string
      /** Rows of a page at most, 1 to 1000; 100 without it. */
      limit?: number | string
      /** `desc` without it. */
      order?: "asc" | "desc"
      /** Another page of this list: `next` or `prev` of a page that has the same parameters. */
      cursor?: string
    }
    result: {
      /** The rows. A page may have fewer than `limit` rows, or none, while `next` or `prev` continues */
      data: Candle[]
      /** Cursor of the page after this one; null without one */
      next: string | null
      /** Cursor of the page before this one; null without one */
      prev: string | null
    }
  }
  /** Trades, traders and volume by hour or day, of a network, a protocol, a pool or a token */
  listVolume: {
    parameters: {
      /** The blockchain network; upper case is accepted too. */
      network: "bsc" | "eth" | "polygon"
      interval: "1h" | "1d"
      /** Name of a DEX, as `/v1/protocols` lists them */
      protocol?: string
      /** Volume of this pool: its contract, or the id of 32 bytes in its manager or vault, with or without their address */
      pool?: string
      /** What this token was swapped for, in all pools; the coin counts as its wrapper. Empty, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address: the coin */
      token?: string
      /** Intervals that begin at this moment or later: with Z or an offset, a date alone, or seconds since 1970 */
      from?: string
      /** Intervals that begin before this moment: with Z or an offset, a date alone, or seconds since 1970 */
      to?: string
      /** Rows of a page at most, 1 to 1000; 100 without it. */
      limit?: number | string
      /** `desc` without it. */
      order?: "asc" | "desc"
      /** Another page of this list: `next` or `prev` of a page that has the same parameters. */
      cursor?: string
    }
    result: {
      /** The rows. A page may have fewer than `limit` rows, or none, while `next` or `prev` continues */
      data: VolumeInterval[]
      /** Cursor of the page after this one; null without one */
      next: string | null
      /** Cursor of the page before this one; null without one */
      prev: string | null
    }
  }
  /** Pools with marks of wash trading, on the days of `/api/trade_volume_usd_7d` */
  listWashFlags: {
    parameters: Record<string, never>
    result: WashFlags
  }
  /** What an amount of a token buys, or what it costs to buy an amount */
  quoteAmount: {
    parameters: {
      /** The blockchain network; upper case is accepted too. */
      network: "bsc" | "eth" | "polygon"
      /** Contract address or symbol of the token to sell. If a symbol is not supported, use the contract address instead. The native coin has its symbol, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE and the zero address, or is empty. */
      sell: string
      /** Contract address or symbol of the token to buy. If a symbol is not supported, use the contract address instead. The native coin has its symbol, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE and the zero address, or is empty. */
      buy: string
      /** Whole units of the token sold (`side=in`) or bought (`side=out`), with at most its decimals. Either this or `amount_raw` must be given */
      amount?: string
      /** The same in base units */
      amount_raw?: number | string
      /** `in` (default): the amount is sold exactly. `out`: the amount is bought, for the least input */
      side?: "in" | "out"
      /** Pools of each route at most; 3 without it */
      max_hops?: "1" | "2" | "3"
      /** Routes that share the amount at most; 4 without it */
      max_splits?: "1" | "2" | "3" | "4"
      /** Only pools of these DEXes, as `/v1/protocols` lists them, separated by commas */
      protocols?: string
      /** Without these pools, by their identifiers, separated by commas */
      exclude_pools?: string
      /** Gives `min_out` or `max_in`: how much worse the trade may become, in hundredths of a percent */
      slippage_bps?: string
    }
    result: AmountQuote
  }
  /** Up to 100 quotes at one block, all in the same market */
  quoteMany: {
    parameters: {
      /** The blockchain network; upper case is accepted too. */
      network: "bsc" | "eth" | "polygon"
      /** Each has the parameters of `/v1/quote` except `network`, as texts */
      quotes: (Record<string, unknown>)[]
    }
    result: QuoteAnswers
  }
  /** USD prices of up to 90 tokens, with their source and depth */
  getPrices: {
    parameters: {
      /** The blockchain network; upper case is accepted too. */
      network: "bsc" | "eth" | "polygon"
      /** Addresses, separated by commas; the zero address, or nothing between two commas, is the coin */
      tokens: string
      /** Prices at this past moment: by the trades of the two days before, by minutes that were over; no route or depth, and no flags but `unweighted`: with Z or an offset, a date alone, or seconds since 1970 */
      at?: string
    }
    result: TokenPrices
  }
  /** USD prices of up to 1000 tokens */
  findPrices: {
    parameters: {
      /** The blockchain network; upper case is accepted too. */
      network: "bsc" | "eth" | "polygon"
      /** Addresses; the zero address, or an empty text, is the coin */
      tokens: string[]
      /** Prices at this past moment: by the trades of the two days before, by minutes that were over; no route or depth, and no flags but `unweighted`: with Z or an offset, a date alone, or seconds since 1970 */
      at?: string
    }
    result: TokenPrices
  }
  /** Several reads in one request */
  batch: {
    parameters: Batch
    result: BatchAnswer
  }
  /** Whether the process runs */
  getLiveness: {
    parameters: Record<string, never>
    result: Health
  }
  /** Whether every network is covered over its start window and fresh, and its most traded pools are read */
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
  listProtocols: { method: 'GET', path: '/v1/protocols', inPath: [], isList: false },
  listCandles: { method: 'GET', path: '/v1/candles', inPath: [], isList: true },
  listVolume: { method: 'GET', path: '/v1/volume', inPath: [], isList: true },
  listWashFlags: { method: 'GET', path: '/v1/wash_flags', inPath: [], isList: false },
  quoteAmount: { method: 'GET', path: '/v1/quote', inPath: [], isList: false },
  quoteMany: { method: 'POST', path: '/v1/quotes', inPath: [], isList: false },
  getPrices: { method: 'GET', path: '/v1/prices', inPath: [], isList: false },
  findPrices: { method: 'POST', path: '/v1/prices', inPath: [], isList: false },
  batch: { method: 'POST', path: '/v1/batch', inPath: [], isList: false },
  getLiveness: { method: 'GET', path: '/livez', inPath: [], isList: false },
  getReadiness: { method: 'GET', path: '/readyz', inPath: [], isList: false },
  getStatus: { method: 'GET', path: '/status', inPath: [], isList: false },
  getOpenApiDocument: { method: 'GET', path: '/openapi.json', inPath: [], isList: false },
} as const

/** The parameters and the events of each stream. */
export interface Streams {
  /** Changes as they happen: trades, candles of a minute, prices */
  stream: {
    parameters: {
      /** The blockchain network; upper case is accepted too. */
      network?: "bsc" | "eth" | "polygon"
      /** Trades that sell or buy this token. The wrapped coin's address also finds the coin. Empty, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address: the coin */
      token?: string
      /** Trades that sell this token. The wrapped coin's address also finds the coin. Empty, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address: the coin */
      sell_token?: string
      /** Trades that buy this token. The wrapped coin's address also finds the coin. Empty, 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address: the coin */
      buy_token?: string
      /** Trades that went through this pool: its contract, or the id of 32 bytes in its manager or vault, with or without their address */
      pool?: string
      /** Name of a DEX, as `/v1/protocols` lists them */
      protocol?: string
      /** The account that signed */
      trader?: string
      /** Trades of this transaction */
      tx_hash?: string
      /** Blocks of this moment or later: with Z or an offset, a date alone, or seconds since 1970 */
      from?: string
      /** Blocks before this moment: with Z or an offset, a date alone, or seconds since 1970 */
      to?: string
      /** Trades worth this or more */
      min_usd?: string
      /** Trades worth this or less */
      max_usd?: string
      /** Which events, in addition to those that every stream has; default `swap`. */
      events?: string
      /** For clients that cannot send the header `Last-Event-ID`, which takes precedence. */
      last_event_id?: string
    }
    event: StreamEvent
  }
}

/** The path of each stream. */
export const STREAMS = {
  stream: { path: '/v1/stream' },
} as const
