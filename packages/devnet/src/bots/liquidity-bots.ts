import type { Address, Hex } from '@dexfeed/dex'
import type { DevnetPool } from '../deployment/contracts.ts'
import { liquidityWorth, randomPosition, sqrtPrice } from '../deployment/liquidity.ts'
import type { DevTransaction } from '../node/session.ts'
import { amountWorth, type BotContext, tokenNow } from './bot-context.ts'

const FOREVER = 10n ** 12n
const MAX_OPEN_POSITIONS = 40
const PAIR_SHARE = 0.002

export interface LiquidityBots {
  provide(): DevTransaction
  withdraw(): DevTransaction
  /** Collects a position's fees, which emits a Burn without liquidity. */
  collect(): DevTransaction
}

export function createLiquidityBots(context: BotContext): LiquidityBots {
  const { random } = context
  const ranges = createRangeBots(context)
  const pairs = createPairBots(context)
  return {
    provide: () => (random.next() < 0.75 ? ranges.provide() : undefined) ?? pairs.provide(),
    withdraw: () => (random.next() < 0.75 ? ranges.withdraw() : undefined) ?? pairs.withdraw(),
    collect: () => ranges.collect() ?? pairs.provide(),
  }
}

interface OpenPosition {
  owner: Address
  pool: Address
  tickLower: number
  tickUpper: number
  liquidity: bigint
}

/**
 * Removes each position as a whole, so that ticks can become uninitialised. Returns undefined if there is nothing to
 * do.
 */
function createRangeBots(context: BotContext) {
  const { contracts, artifacts, accounts, random } = context
  const pools = contracts.pools.filter(({ tickSpacing }) => tickSpacing !== null)
  const open: OpenPosition[] = []

  const move = (method: 'mint' | 'burn', position: OpenPosition, liquidity: bigint): DevTransaction => {
    const args = [position.pool, position.tickLower, position.tickUpper, liquidity]
    const data = artifacts.devRouter.abi.encodeFunctionData(method, args) as Hex
    return { from: position.owner, to: contracts.devRouter, data }
  }

  return {
    provide(): DevTransaction | undefined {
      if (open.length >= MAX_OPEN_POSITIONS) return undefined
      const { address, token0, token1, tickSpacing, usd } = random.pick(pools)
      const side0 = tokenNow(context, token0)
      const side1 = tokenNow(context, token1)
      const sqrt = sqrtPrice(side0, side1)
      const range = randomPosition(sqrt, tickSpacing ?? 1, usd * (0.001 + 0.01 * random.next()), random)
      const liquidity = liquidityWorth(range, sqrt, side0, side1)
      const { tickLower, tickUpper } = range
      const position = { owner: random.pick(accounts.traders), pool: address, tickLower, tickUpper, liquidity }
      open.push(position)
      return move('mint', position, liquidity)
    },
    withdraw(): DevTransaction | undefined {
      const oldest = open.shift()
      return oldest && move('burn', oldest, oldest.liquidity)
    },
    collect(): DevTransaction | undefined {
      const [oldest] = open
      return oldest && move('burn', oldest, 0n)
    },
  }
}

/** The deployer owns all shares, even those that traders pay for. */
function createPairBots(context: BotContext) {
  const { contracts, artifacts, accounts, random } = context
  const { abi } = artifacts.v2Router
  const pairs = contracts.pools.filter(({ tickSpacing }) => tickSpacing === null)

  /** The first shares of a pair are the square root of the product of its amounts. */
  const share = (pair: DevnetPool): bigint => {
    const units = (token: DevnetPool['token0']) => Number(amountWorth(context, token, pair.usd / 2))
    return BigInt(Math.floor(Math.sqrt(units(pair.token0) * units(pair.token1)) * PAIR_SHARE))
  }

  return {
    provide(): DevTransaction {
      const { token0, token1, usd } = random.pick(pairs)
      const amounts = [token0, token1].map((token) => amountWorth(context, token, (usd * PAIR_SHARE) / 2))
      const args = [token0, token1, ...amounts, 0, 0, accounts.deployer, FOREVER]
      const data = abi.encodeFunctionData('addLiquidity', args) as Hex
      return { from: random.pick(accounts.traders), to: contracts.v2Router, data }
    },
    withdraw(): DevTransaction {
      const pair = random.pick(pairs)
      const args = [pair.token0, pair.token1, share(pair), 0, 0, accounts.deployer, FOREVER]
      const data = abi.encodeFunctionData('removeLiquidity', args) as Hex
      return { from: accounts.deployer, to: contracts.v2Router, data }
    },
  }
}
