import { type Address, type Hex, ZERO_ADDRESS } from '@dexfeed/dex'
import type { Rpc } from '../node/rpc.ts'
import type { Session } from '../node/session.ts'
import type { Artifacts, DevnetAccounts, DevnetPool, DevnetToken, Venues } from './contracts.ts'
import {
  amountsPerLiquidity,
  liquidityWorth,
  type PlannedPosition,
  planPositions,
  sqrtPrice,
  toUnits,
  toX96,
} from './liquidity.ts'
import type { NetworkPlan, PlannedPool } from './network-plan.ts'

const V2_FEE = 3000
const FOREVER = 10n ** 12n
/** Positions per pool that the position manager mints. Each costs ten storage words. */
const MANAGED_POSITIONS = 2
/** Surplus of both amounts, because the position manager mints the smaller of the two liquidities that they allow. */
const AMOUNT_MARGIN = 1.01

export interface DeployContext {
  rpc: Rpc
  session: Session
  artifacts: Artifacts
  plan: NetworkPlan
  accounts: DevnetAccounts
  nextTime(): number
}

interface PoolDraft extends Omit<DevnetPool, 'address'> {
  factory: Address
  side0: DevnetToken
  side1: DevnetToken
}

/** Creates the planned pools with their first liquidity, in two blocks. */
export async function createPools(
  context: DeployContext,
  venues: Venues,
  tokens: readonly DevnetToken[],
): Promise<DevnetPool[]> {
  const { session, nextTime } = context
  const drafts = await draftPools(context, venues, tokens)
  for (const draft of drafts) {
    if (draft.tickSpacing === null) addPairLiquidity(context, venues, draft)
    else createConcentrated(context, draft)
  }
  await session.mine(nextTime())
  const addresses = await poolAddresses(context, drafts)
  const pools = drafts.map(({ factory: _, side0: __, side1: ___, ...draft }, index) => {
    const address = addresses[index]
    if (!address || address === ZERO_ADDRESS) throw new Error(`pool ${index} of ${draft.dex} was not created`)
    return { ...draft, address }
  })
  for (const [index, pool] of pools.entries()) {
    const draft = drafts[index]
    if (draft && pool.tickSpacing !== null) addPositions(context, venues, pool.address, draft)
    else approvePair(context, venues, pool.address)
  }
  await session.mine(nextTime())
  return pools
}

async function draftPools(context: DeployContext, venues: Venues, tokens: readonly DevnetToken[]) {
  const { plan } = context
  const spacings = await tickSpacings(context, venues)
  return plan.pools.map((pool): PoolDraft => {
    const [side0, side1] = sides(pool, tokens)
    const kind = plan.dexes.find(({ name }) => name === pool.dex)?.kind
    const factory = venues.factories[pool.dex]
    if (!kind || !factory) throw new Error(`pool of unknown dex ${pool.dex}`)
    const fee = pool.fee ?? V2_FEE
    const tickSpacing = kind === 'uniswap-v2' ? null : (spacings.get(`${pool.dex} ${fee}`) ?? null)
    if (kind !== 'uniswap-v2' && !tickSpacing) throw new Error(`${pool.dex} has no fee tier ${fee}`)
    const { dex, usd } = pool
    return { dex, usd, kind, fee, tickSpacing, token0: side0.address, token1: side1.address, factory, side0, side1 }
  })
}

function sides(pool: PlannedPool, tokens: readonly DevnetToken[]): [DevnetToken, DevnetToken] {
  const [first, second] = pool.pair.map((symbol) => tokens.find((token) => token.symbol === symbol))
  if (!first || !second) throw new Error(`pool of unknown tokens ${pool.pair.join('/')}`)
  return first.address < second.address ? [first, second] : [second, first]
}

async function tickSpacings({ rpc, artifacts, plan }: DeployContext, venues: Venues): Promise<Map<string, number>> {
  const tiers = plan.pools.flatMap(({ dex, fee }) => (fee === undefined ? [] : [{ dex, fee }]))
  const calls = tiers.map(({ dex, fee }) => {
    const data = artifacts.v3Factory.abi.encodeFunctionData('feeAmountTickSpacing', [fee])
    return { method: 'eth_call', params: [{ to: venues.factories[dex], data }, 'latest'] }
  })
  const answers = await rpc.batch<Hex>(calls)
  return new Map(tiers.map(({ dex, fee }, index) => [`${dex} ${fee}`, Number(answers[index])]))
}

function addPairLiquidity({ session, artifacts, accounts }: DeployContext, venues: Venues, draft: PoolDraft) {
  const [amount0, amount1] = [draft.side0, draft.side1].map(({ usd, decimals }) =>
    toUnits(draft.usd / 2 / usd, decimals),
  )
  const args = [draft.token0, draft.token1, amount0, amount1, 0, 0, accounts.deployer, FOREVER]
  const data = artifacts.v2Router.abi.encodeFunctionData('addLiquidity', args) as Hex
  session.queue({ from: accounts.deployer, to: venues.v2Router, data, gas: 5_000_000 })
}

function createConcentrated({ session, artifacts, accounts }: DeployContext, draft: PoolDraft) {
  const args = [draft.token0, draft.token1, draft.fee]
  const data = artifacts.v3Factory.abi.encodeFunctionData('createPool', args) as Hex
  session.queue({ from: accounts.deployer, to: draft.factory, data, gas: 8_000_000 })
}

async function poolAddresses({ rpc, artifacts }: DeployContext, drafts: readonly PoolDraft[]): Promise<Address[]> {
  const calls = drafts.map((draft) => {
    const data =
      draft.tickSpacing === null
        ? artifacts.v2Factory.abi.encodeFunctionData('getPair', [draft.token0, draft.token1])
        : artifacts.v3Factory.abi.encodeFunctionData('getPool', [draft.token0, draft.token1, draft.fee])
    return { method: 'eth_call', params: [{ to: draft.factory, data }, 'latest'] }
  })
  return (await rpc.batch<Hex>(calls)).map((word): Address => `0x${word.slice(-40)}`)
}

function addPositions(context: DeployContext, venues: Venues, pool: Address, draft: PoolDraft) {
  const { session, artifacts, accounts } = context
  const from = accounts.deployer
  const sqrt = sqrtPrice(draft.side0, draft.side1)
  const stable = Boolean(draft.side0.stable && draft.side1.stable)
  const initialize = artifacts.v3Pool.abi.encodeFunctionData('initialize', [toX96(sqrt)]) as Hex
  session.queue({ from, to: pool, data: initialize })
  for (const [index, position] of planPositions(sqrt, draft.tickSpacing ?? 1, draft.usd, stable).entries()) {
    const liquidity = liquidityWorth(position, sqrt, draft.side0, draft.side1)
    if (venues.uniswapV3 && index < MANAGED_POSITIONS) {
      const data = positionManagerMint(context, draft, { ...position, liquidity }, amountsPerLiquidity(position, sqrt))
      session.queue({ from, to: venues.uniswapV3.positionManager, data })
    } else {
      const args = [pool, position.tickLower, position.tickUpper, liquidity]
      const data = artifacts.devRouter.abi.encodeFunctionData('mint', args) as Hex
      session.queue({ from, to: venues.devRouter, data })
    }
  }
}

function positionManagerMint(
  { artifacts, accounts }: DeployContext,
  draft: PoolDraft,
  position: PlannedPosition & { liquidity: bigint },
  per: ReturnType<typeof amountsPerLiquidity>,
): Hex {
  const [amount0, amount1] = [per.amount0, per.amount1].map((amount) =>
    BigInt(Math.ceil(amount * Number(position.liquidity) * AMOUNT_MARGIN)),
  )
  const { token0, token1, fee } = draft
  const { tickLower, tickUpper } = position
  const to = accounts.deployer
  const args = [[token0, token1, fee, tickLower, tickUpper, amount0, amount1, 0, 0, to, FOREVER]]
  return artifacts.positionManager.abi.encodeFunctionData('mint', args) as Hex
}

function approvePair({ session, artifacts, accounts }: DeployContext, venues: Venues, pair: Address) {
  const data = artifacts.v2Pair.abi.encodeFunctionData('approve', [venues.v2Router, 2n ** 256n - 1n]) as Hex
  session.queue({ from: accounts.deployer, to: pair, data })
}
