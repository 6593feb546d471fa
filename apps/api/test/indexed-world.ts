import { NETWORK_NAMES, NETWORKS, type NetworkName } from '@dexfeed/dex'
import {
  hexNumber,
  type SeedLiquidity,
  type SeedSwap,
  seedCreation,
  seedLiquidity,
  seedNetwork,
  seedPool,
  seedSwaps,
  seedTokens,
} from '@dexfeed/test-setup/seed'
import fc from 'fast-check'
import type { Client } from 'pg'
import { NOON } from './api-fixture.ts'

// Each network has a block every 5 minutes, so that a day is 288 blocks or 9 cells. The numbers of eth and bsc are
// close; the others are 5,000 blocks above each other.
const BLOCK_S = 300
const OFFSET = ofEach((_, place) => 1_000 + (place < 2 ? 7 * place : 5_000 * place))
const TOKENS = [hexNumber(0xa), hexNumber(0xb), hexNumber(0xc)] as const
export const LATE = hexNumber(0x1a7e)
const POOLS = [hexNumber(0xf01), hexNumber(0xf02)] as const

const timeOf = (network: NetworkName, block: number) => NOON + (block - OFFSET[network]) * BLOCK_S

interface Chain {
  head: number
  final: number
  reorgs: number
}

/** What may happen to a database during indexing. */
export type Step =
  | { kind: 'grow'; network: NetworkName; blocks: number; final: number }
  | { kind: 'reorg'; network: NetworkName; depth: number }
  | { kind: 'history' | 'repair'; network: NetworkName; back: number; blocks: number }
  | { kind: 'time'; seconds: number }
  | { kind: 'rename' | 'learn' | 'switch'; network: NetworkName }
  | { kind: 'restart' | 'damage' }

const network = fc.constantFrom(...NETWORK_NAMES)
const blocks = fc.integer({ min: 1, max: 70 })
export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('grow' as const), network, blocks, final: fc.nat(40) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reorg' as const), network, depth: fc.nat(40) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('history' as const, 'repair' as const),
      network,
      back: fc.nat(320),
      blocks,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('time' as const), seconds: fc.integer({ min: -9_000, max: 30_000 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('rename' as const, 'learn' as const, 'switch' as const), network }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('restart' as const, 'damage' as const) }) },
)

/** The rows of three networks as an indexer would write them, by plain SQL. */
export class IndexedWorld {
  readonly #owner: Client
  readonly #chains: Record<NetworkName, Chain>
  #salt = 0

  constructor(owner: Client) {
    this.#owner = owner
    this.#chains = ofEach((name) => ({ head: OFFSET[name] - 40, final: OFFSET[name] - 50, reorgs: 0 }))
  }

  async begin(): Promise<void> {
    for (const name of NETWORK_NAMES) {
      const { head, final } = this.#chains[name]
      await seedNetwork(this.#owner, {
        network: name,
        wrapped: TOKENS[0],
        start: { number: 1, time: timeOf(name, 1) },
        final,
        head: { number: head, time: timeOf(name, head) },
      })
      await seedTokens(
        this.#owner,
        name,
        TOKENS.map((address, at) => ({ address, symbol: `T${at}`, name: `é${at}`, decimals: 6 * at })),
      )
      await seedPool(this.#owner, { network: name, address: POOLS[0], token0: TOKENS[0], token1: TOKENS[1] })
      await seedPool(this.#owner, { network: name, address: POOLS[1], token0: TOKENS[2], token1: LATE })
      await this.rows(name, head - 90, head, false)
    }
  }

  /** Writes some rows into some of these blocks. */
  async rows(name: NetworkName, from: number, to: number, atHead: boolean): Promise<void> {
    const swaps: SeedSwap[] = []
    const moves: SeedLiquidity[] = []
    for (let block = Math.max(1, from); block <= to; block++) {
      const salt = this.#salt++
      if (salt % 5 === 0) await this.#createPool(name, block, salt)
      if (salt % 3 === 0) {
        const amounts = salt % 2 === 0 ? [BigInt(salt), 7n] : []
        const pool = POOLS[salt % 2] ?? POOLS[0]
        moves.push({ network: name, block, time: timeOf(name, block), logIndex: salt % 5, pool, amounts })
      }
      for (let transaction = 0; transaction < salt % 4; transaction++) {
        const [sell = LATE, buy = LATE] = [TOKENS[salt % 4], TOKENS[(salt + 1 + transaction) % 4]]
        swaps.push({
          network: name,
          block,
          time: timeOf(name, block),
          transaction: 2 * transaction,
          sell,
          buy,
          sellNative: sell === TOKENS[0] && salt % 3 === 0,
          txHash: hexNumber(1_000_000 * (1 + salt) + transaction, 64),
          sellAmount: BigInt(salt) ** 3n,
          usd: salt % 5 === 0 ? null : '1.25000000',
          flags: salt % 6 === 0 ? 2 : 0,
        })
      }
    }
    await seedSwaps(this.#owner, swaps, { atHead })
    await seedLiquidity(this.#owner, moves)
  }

  async #createPool(network: NetworkName, block: number, salt: number): Promise<void> {
    const pool = hexNumber(0x9001 + salt)
    await seedPool(this.#owner, { network, address: pool, token0: TOKENS[salt % 3] ?? LATE, token1: LATE })
    await seedCreation(this.#owner, { network, pool, block, time: timeOf(network, block) })
  }

  async #deletePools(chain: number, from: number, to: number): Promise<void> {
    await this.#owner.query('DELETE FROM pool_creation WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3', [
      ...[chain, from, to],
    ])
  }

  async move(name: NetworkName): Promise<void> {
    const { head, final, reorgs } = this.#chains[name]
    await this.#owner.query(
      `UPDATE network SET head_number = $2, head_hash = $3, head_time = to_timestamp($4), final_number = $5, reorgs = $6
       WHERE chain_id = $1`,
      [
        ...[NETWORKS[name].chainId, head, Buffer.from(hexNumber(head * 1000 + reorgs, 64).slice(2), 'hex')],
        ...[timeOf(name, head), final, reorgs],
      ],
    )
  }

  async take(step: Step): Promise<void> {
    await this.#owner.query('BEGIN')
    if (step.kind === 'grow') await this.#grow(step.network, step.blocks, step.final)
    if (step.kind === 'reorg') await this.#reorg(step.network, step.depth)
    if (step.kind === 'history' || step.kind === 'repair') {
      const to = this.#chains[step.network].head - step.back
      const chain = NETWORKS[step.network].chainId
      await this.#delete(step.network, to - step.blocks, to)
      await this.#deletePools(chain, to - step.blocks, to)
      await this.#touch(chain, to - step.blocks, to)
      await this.rows(step.network, to - step.blocks, to, false)
    }
    if (step.kind === 'rename') {
      await this.#owner.query("UPDATE token SET symbol = symbol || 'x' WHERE chain_id = $1 AND address = $2", [
        ...[NETWORKS[step.network].chainId, Buffer.from(TOKENS[1].slice(2), 'hex')],
      ])
      await this.#owner.query('UPDATE network SET list_version = floor(random() * 1e15) WHERE name = $1', [
        step.network,
      ])
    }
    if (step.kind === 'learn') {
      await this.#owner.query('INSERT INTO token VALUES ($1, $2, $3, $3, 3) ON CONFLICT DO NOTHING', [
        ...[NETWORKS[step.network].chainId, Buffer.from(LATE.slice(2), 'hex'), 'LATE'],
      ])
    }
    if (step.kind === 'switch')
      await this.#owner.query('UPDATE network SET active = NOT active WHERE name = $1', [step.network])
    await this.#owner.query('COMMIT')
  }

  async #grow(name: NetworkName, count: number, behind: number): Promise<void> {
    const chain = this.#chains[name]
    await this.rows(name, chain.head + 1, chain.head + count, true)
    chain.head += count
    chain.final = Math.max(chain.final, chain.head - behind)
    await this.move(name)
  }

  async #reorg(name: NetworkName, depth: number): Promise<void> {
    const chain = this.#chains[name]
    const ancestor = Math.max(chain.final, chain.head - depth)
    await this.#delete(name, ancestor + 1, chain.head)
    await this.#deletePools(NETWORKS[name].chainId, ancestor + 1, chain.head)
    chain.reorgs++
    chain.head = ancestor
    await this.#grow(name, 1 + (depth % 3), depth)
  }

  async #delete(name: NetworkName, from: number, to: number): Promise<void> {
    for (const table of ['swap', 'liquidity_event']) {
      await this.#owner.query(`DELETE FROM ${table} WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3`, [
        ...[NETWORKS[name].chainId, from, to],
      ])
    }
  }

  async #touch(chain: number, from: number, to: number): Promise<void> {
    await this.#owner.query(
      `INSERT INTO list_cell SELECT $1, cell, floor(random() * 1e15), now()
       FROM generate_series(greatest(0, $2::int) / 32, greatest(0, $3::int) / 32) AS cell
       ON CONFLICT (chain_id, cell) DO UPDATE SET version = excluded.version`,
      [chain, from, to],
    )
  }
}

/** Returns a value per network, by its name and place. */
function ofEach<T>(make: (name: NetworkName, place: number) => T): Record<NetworkName, T> {
  const entries = NETWORK_NAMES.map((name, place) => [name, make(name, place)] as const)
  return Object.fromEntries(entries) as Record<NetworkName, T>
}
