import type { Address, Hex } from '@dexfeed/dex'
import type { DevnetPool } from './contracts.ts'
import { liquidityWorth, randomPosition } from './liquidity.ts'
import { sqrtPrice, toUnits } from './prices.ts'
import type { DevTransaction } from './session.ts'
import type { BotContext } from './trader-bots.ts'

const FOREVER = 10n ** 12n
const MAX_OPEN_POSITIONS = 12
/** Share of a pair's first liquidity that is moved at once. */
const PAIR_SHARE = 0.002

export interface LiquidityBots {
  /** Adds liquidity somewhere. */
  provide(): DevTransaction
  /** Takes some out again. */
  withdraw(): DevTransaction
}

interface OpenPosition {
  owner: Address
  pool: Address
  tickLower: number
  tickUpper: number
  liquidity: bigint
}

/** Liquidity that comes and goes: V3 ranges of traders, shares of V2 pairs, the deployer's own V3 positions. */
export function createLiquidityBots(context: BotContext): LiquidityBots {
  const { contracts, artifacts, accounts, random, prices } = context
  const concentrated = contracts.pools.filter(({ tickSpacing }) => tickSpacing !== null)
  const pairs = contracts.pools.filter(({ tickSpacing }) => tickSpacing === null)
  const tokens = new Map(contracts.tokens.map((token) => [token.address, token]))
  const open: OpenPosition[] = []

  const side = (address: Address) => {
    const decimals = tokens.get(address)?.decimals ?? 18
    return { usd: prices.usd(address), decimals }
  }

  const provideRange = (): DevTransaction => {
    const pool = random.pick(concentrated)
    const [token0, token1] = [side(pool.token0), side(pool.token1)]
    const sqrt = sqrtPrice(token0, token1)
    const range = randomPosition(sqrt, pool.tickSpacing ?? 1, pool.usd * (0.001 + 0.01 * random.next()), random)
    const liquidity = liquidityWorth(range, sqrt, token0, token1)
    const { tickLower, tickUpper } = range
    const position = { owner: random.pick(accounts.traders), pool: pool.address, tickLower, tickUpper, liquidity }
    open.push(position)
    return moveRange('mint', position)
  }

  const moveRange = (method: 'mint' | 'burn', position: OpenPosition): DevTransaction => {
    const { owner, pool, tickLower, tickUpper, liquidity } = position
    const args = [pool, tickLower, tickUpper, liquidity]
    const data = artifacts.devRouter.abi.encodeFunctionData(method, args) as Hex
    return { from: owner, to: contracts.devRouter, data }
  }

  const providePair = (): DevTransaction => {
    const pair = random.pick(pairs)
    const amount = (token: Address) => {
      const { usd, decimals } = side(token)
      return toUnits((pair.usd * PAIR_SHARE) / 2 / usd, decimals)
    }
    const { token0, token1 } = pair
    const args = [token0, token1, amount(token0), amount(token1), 0, 0, accounts.deployer, FOREVER]
    const data = artifacts.v2Router.abi.encodeFunctionData('addLiquidity', args) as Hex
    return { from: random.pick(accounts.traders), to: contracts.v2Router, data }
  }

  const withdrawPair = (): DevTransaction => {
    const pair = random.pick(pairs)
    const { token0, token1 } = pair
    const args = [token0, token1, pairShare(pair), 0, 0, accounts.deployer, FOREVER]
    const data = artifacts.v2Router.abi.encodeFunctionData('removeLiquidity', args) as Hex
    return { from: accounts.deployer, to: contracts.v2Router, data }
  }

  /** A share of what the pair's liquidity tokens were at first: the square root of both amounts' product. */
  const pairShare = (pair: DevnetPool): bigint => {
    const [amount0, amount1] = [pair.token0, pair.token1].map((address) => {
      const token = tokens.get(address)
      return (pair.usd / 2 / (token?.usd ?? 1)) * 10 ** (token?.decimals ?? 18)
    })
    return BigInt(Math.floor(Math.sqrt((amount0 ?? 0) * (amount1 ?? 0)) * PAIR_SHARE))
  }

  return {
    provide: () => (open.length < MAX_OPEN_POSITIONS && random.next() < 0.75 ? provideRange() : providePair()),
    withdraw() {
      const [oldest] = open
      if (!oldest || random.next() < 0.25) return withdrawPair()
      open.shift()
      return moveRange('burn', oldest)
    },
  }
}
