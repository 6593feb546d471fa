import {
  type Address,
  dateOfDay,
  dayOf,
  type Hex,
  NETWORK_NAMES,
  NETWORKS,
  type NetworkName,
  type PoolState,
  ROW_RULES,
  type Token,
} from '@dexfeed/dex'
import type { Client } from 'pg'

/** The rows of tests are written by plain SQL, so that reading is tested independently of the store's writing. */
export interface SeedSwap {
  network: NetworkName
  block: number
  /** Seconds since 1970. */
  time: number
  transaction?: number
  position?: number
  txHash?: Hex
  trader?: Address
  sell: Address
  sellNative?: boolean
  sellAmount?: bigint
  buy: Address
  buyNative?: boolean
  buyAmount?: bigint
  /** With eight fractional digits. Null or absent if unpriced. */
  usd?: string | null
  flags?: number
}

export interface SeedNetwork {
  network: NetworkName
  active?: boolean
  wrapped: Address
  stablecoins?: readonly Address[]
  start: { number: number; time: number }
  head?: { number: number; time: number; hash?: Hex }
  final?: number
  /** Each entry is [from, to, time of from, time of to]. */
  covered?: readonly (readonly [number, number, number, number])[]
}

/** Returns an address, or with 64 digits a hash, that is easy to recognise. */
export function hexNumber(value: number | bigint, digits: 40 | 64 = 40): Hex {
  return `0x${BigInt(value).toString(16).padStart(digits, '0')}`
}

export async function seedNetwork(client: Client, seed: SeedNetwork): Promise<void> {
  const { chainId } = NETWORKS[seed.network]
  const head = seed.head ?? null
  await client.query(
    `INSERT INTO network (chain_id, name, active, genesis_hash, wrapped_native, start_block, start_time,
       head_number, head_hash, head_time, chain_head_number, chain_head_time, final_number, anchors, stablecoins)
     VALUES ($1, $2, $3, $4, $5, $6, to_timestamp($7), $8, $9, to_timestamp($10), $8, to_timestamp($10), $11, $12, $12)
     ON CONFLICT (chain_id) DO UPDATE SET active = excluded.active, start_block = excluded.start_block,
       start_time = excluded.start_time, head_number = excluded.head_number, head_hash = excluded.head_hash,
       head_time = excluded.head_time, chain_head_number = excluded.chain_head_number,
       chain_head_time = excluded.chain_head_time, final_number = excluded.final_number,
       anchors = excluded.anchors, stablecoins = excluded.stablecoins`,
    [
      ...[chainId, seed.network, seed.active ?? true, bytes(hexNumber(chainId, 64)), bytes(seed.wrapped)],
      ...[seed.start.number, seed.start.time],
      ...[head?.number, head && bytes(head.hash ?? hexNumber(head.number, 64)), head?.time],
      ...[seed.final ?? head?.number, (seed.stablecoins ?? []).map(bytes)],
    ],
  )
  await client.query('DELETE FROM covered_range WHERE chain_id = $1', [chainId])
  for (const [from, to, fromTime, toTime] of seed.covered ?? []) {
    await insert(client, 'covered_range', [chainId, from, to, timeOf(fromTime), timeOf(toTime), ROW_RULES])
  }
}

export async function seedTokens(
  client: Client,
  network: NetworkName,
  tokens: readonly (Token & { symbols?: readonly string[] })[],
): Promise<void> {
  const { chainId } = NETWORKS[network]
  for (const { address, symbol, name, decimals, symbols = [] } of tokens) {
    await insert(client, 'token', [chainId, bytes(address), symbol, name, decimals])
    for (const listed of symbols) await insert(client, 'listed_symbol', [chainId, listed, bytes(address)])
  }
}

/** Also creates partitions, but no day totals. Unless `atHead`, the list cells get a new version. */
export async function seedSwaps(client: Client, swaps: readonly SeedSwap[], { atHead = false } = {}): Promise<void> {
  for (const day of new Set(swaps.map((swap) => dayOf(swap.time)))) await seedPartition(client, day)
  const rows = swaps.map(({ transaction = 0, position = 0, flags = 0, ...swap }) => ({
    chain_id: NETWORKS[swap.network].chainId,
    block_number: swap.block,
    transaction_index: transaction,
    position,
    block_time: timeOf(swap.time),
    tx_hash: byteaText(swap.txHash ?? hashOf({ ...swap, transaction })),
    trader: byteaText(swap.trader ?? hexNumber(1)),
    sell_token: byteaText(swap.sell),
    sell_native: swap.sellNative ?? false,
    sell_amount: String(swap.sellAmount ?? 1n),
    buy_token: byteaText(swap.buy),
    buy_native: swap.buyNative ?? false,
    buy_amount: String(swap.buyAmount ?? 1n),
    volume_usd: swap.usd ?? null,
    flags,
    usd_source: swap.usd == null ? null : 0,
    parts: 0,
  }))
  const json = JSON.stringify(rows)
  await client.query('INSERT INTO swap SELECT * FROM json_populate_recordset(NULL::swap, $1)', [json])
  if (atHead) return
  await client.query(
    `INSERT INTO list_cell SELECT chain_id, block_number / 32, floor(random() * 9007199254740992)::bigint, now()
     FROM json_populate_recordset(NULL::swap, $1) GROUP BY 1, 2
     ON CONFLICT (chain_id, cell) DO UPDATE SET version = excluded.version`,
    [json],
  )
}

export async function seedDay(
  client: Client,
  of: { day: string; network: NetworkName; swaps?: number; unpriced?: number; flagged?: number; volumeUsd: string },
): Promise<void> {
  const { day, network, swaps = 1, unpriced = 0, flagged = 0, volumeUsd } = of
  await insert(client, 'day_total', [day, NETWORKS[network].chainId, swaps, unpriced, flagged, volumeUsd])
}

/** @param day with flagged pools as [address, volume, flags] */
export async function seedWashDay(
  client: Client,
  day: { day: string; network: NetworkName; volumeUsd: string; pools: readonly (readonly [Address, string, number])[] },
): Promise<void> {
  const { chainId } = NETWORKS[day.network]
  for (const [pool, volume, flags] of day.pools) {
    const counts = [20, 3, volume, volume, volume, 0, flags]
    await insert(client, 'pool_day_wash', [chainId, day.day, bytes(pool), ...counts])
  }
  await client.query(
    `INSERT INTO wash_day SELECT $1, $2, 20, $3, '', count(*), coalesce(sum(volume_usd), 0)
     FROM pool_day_wash WHERE chain_id = $1 AND day = $2::date`,
    [chainId, day.day, day.volumeUsd],
  )
}

export async function seedAddressCount(
  client: Client,
  day: string,
  addresses: number,
  networks: readonly NetworkName[] = ['eth'],
): Promise<void> {
  const bits = networks.reduce((sum, name) => sum + 2 ** NETWORK_NAMES.indexOf(name), 0)
  await insert(client, 'day_address_count (day, networks, addresses)', [day, bits, addresses])
}

export interface SeedPool {
  network: NetworkName
  address: Address
  token0: Address
  token1: Address
  /** In millionths. */
  fee?: number
  tickSpacing?: number
}

export async function seedPool(client: Client, pool: SeedPool): Promise<void> {
  const { network, address, token0, token1, fee = 3000, tickSpacing = null } = pool
  const dex = ['seeded', bytes(hexNumber(0xfac))]
  const key = [NETWORKS[network].chainId, bytes(address)]
  await insert(client, 'pool', [...key, ...dex, bytes(token0), bytes(token1), fee, tickSpacing])
}

export interface SeedCreation {
  network: NetworkName
  pool: Address
  block: number
  time: number
  txHash?: Hex
  creator?: Address
}

export async function seedCreation(client: Client, creation: SeedCreation): Promise<void> {
  const { network, pool, block, time, txHash = hexNumber(block, 64), creator = null } = creation
  const place = [NETWORKS[network].chainId, bytes(pool), block, timeOf(time), 0]
  await insert(client, 'pool_creation', [...place, bytes(txHash), creator && bytes(creator)])
}

/** Also increments the network's revision. */
export async function seedState(
  client: Client,
  at: { network: NetworkName; pool: Address; block: number; state: PoolState },
): Promise<void> {
  const { chainId } = NETWORKS[at.network]
  const pair = at.state.kind === 'pair' ? at.state : null
  const concentrated = at.state.kind === 'concentrated' ? at.state : null
  const formula = at.state.kind === 'formula' ? at.state : null
  await client.query(
    `WITH moved AS (UPDATE network SET revision = revision + 1 WHERE chain_id = $1 RETURNING revision)
     INSERT INTO pool_state SELECT $1, $2, $3, revision, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14 FROM moved
     ON CONFLICT (chain_id, pool, block_number) DO UPDATE SET revision = excluded.revision,
       reserve0 = excluded.reserve0, reserve1 = excluded.reserve1, sqrt_price_x96 = excluded.sqrt_price_x96,
       tick = excluded.tick, liquidity = excluded.liquidity, fee_zero_for_one = excluded.fee_zero_for_one,
       fee_one_for_zero = excluded.fee_one_for_zero, fee_exact = excluded.fee_exact,
       formula = excluded.formula, formula_values = excluded.formula_values, fresh_until = excluded.fresh_until`,
    [
      ...[chainId, bytes(at.pool), at.block, pair?.reserve0, pair?.reserve1],
      ...[concentrated?.sqrtPriceX96, concentrated?.tick, concentrated?.liquidity],
      ...[at.state.fee?.zeroForOne, at.state.fee?.oneForZero, at.state.fee?.exact],
      ...[formula?.formula, formula?.values?.join(' '), formula?.freshUntil],
    ],
  )
}

export async function seedTick(
  client: Client,
  at: { network: NetworkName; pool: Address; block: number; tick: number; gross: bigint; net: bigint },
): Promise<void> {
  await client.query(
    `INSERT INTO pool_tick SELECT chain_id, $2, $3, $4, revision, $5, $6 FROM network WHERE chain_id = $1`,
    [NETWORKS[at.network].chainId, bytes(at.pool), at.tick, at.block, at.gross, at.net],
  )
}

export async function seedMove(
  client: Client,
  at: { network: NetworkName; block: number; time: number; token: Address; trader: Address; whole?: boolean },
): Promise<void> {
  const { network, block, time, token, trader, whole = true } = at
  const place = [NETWORKS[network].chainId, block, 0]
  await insert(client, 'token_move', [...place, bytes(token), timeOf(time), bytes(trader), whole])
}

export interface SeedLiquidity {
  network: NetworkName
  block: number
  time: number
  logIndex?: number
  pool: Address
  account?: Address | null
  isAdded?: boolean
  /** By coin of the pool; absent if unknown. */
  amounts?: readonly bigint[]
  usd?: string | null
  range?: { tickLower: number; tickUpper: number; liquidity: bigint }
}

/** Writes liquidity events, each in a transaction of its own. */
export async function seedLiquidity(client: Client, events: readonly SeedLiquidity[]): Promise<void> {
  for (const { network, block, time, logIndex = 0, pool, account = hexNumber(1), range, ...event } of events) {
    await insert(client, 'liquidity_event', [
      ...[timeOf(time), block, NETWORKS[network].chainId, logIndex, logIndex, range?.tickLower, range?.tickUpper],
      ...[event.isAdded ?? true, bytes(hexNumber(BigInt(block) * 1_000n + BigInt(logIndex), 64))],
      ...[account && bytes(account), bytes(pool), event.amounts ?? [], range?.liquidity, event.usd ?? null],
    ])
  }
}

async function insert(client: Client, table: string, values: readonly unknown[]): Promise<void> {
  await client.query(`INSERT INTO ${table} VALUES (${values.map((_, n) => `$${n + 1}`)})`, [...values])
}

async function seedPartition(client: Client, day: number): Promise<void> {
  const date = dateOfDay(day)
  const name = `swap_${date.replaceAll('-', '')}`
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF swap (PRIMARY KEY (chain_id, block_number, transaction_index, position))
     FOR VALUES FROM ('${date} 00:00+00') TO ('${dateOfDay(day + 1)} 00:00+00')`,
  )
}

function hashOf({ network, block, transaction = 0 }: SeedSwap): Hex {
  return hexNumber((BigInt(NETWORKS[network].chainId) << 128n) + (BigInt(block) << 32n) + BigInt(transaction), 64)
}

function timeOf(seconds: number): Date {
  return new Date(seconds * 1000)
}

function bytes(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}

function byteaText(hex: Hex): string {
  return `\\x${hex.slice(2)}`
}
