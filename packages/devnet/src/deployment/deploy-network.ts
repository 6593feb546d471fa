import { type Address, type Hex, ZERO_ADDRESS } from '@dexfeed/dex'
import type { Artifacts, DevnetContracts, DevnetPool, DevnetToken, Venues } from './contracts.ts'
import { createPools, type DeployContext } from './create-pools.ts'
import { toUnits } from './liquidity.ts'

const MULTICALL3: Address = '0xca11bde05977b3631167028862be2a173976ca11'
/** USD value of each token that every trader gets. */
const HOLDING_USD = 1e10
const COINS_WRAPPED = 20_000_000
const DEPLOYER_COINS_WRAPPED = 500_000_000
const KEEPER_COINS_WRAPPED = 100_000_000
/** Price deviation beyond the pool's fee that is too small for arbitrage, in millionths. */
const TOLERANCE = 1_000

export async function deployNetwork(context: DeployContext): Promise<DevnetContracts> {
  const { session, nextTime } = context
  const venues = deployVenues(context)
  await session.mine(nextTime())
  await placePredeploys(context, venues)
  const tokens = deployTokens(context, venues)
  await session.mine(nextTime())
  handOut(context, venues, tokens)
  await session.mine(nextTime())
  const pools = await createPools(context, venues, tokens)
  const token0 = tokens[0]
  const token1 = tokens[1]
  if (!token0 || !token1) throw new Error('a network needs two tokens')
  const factory = Object.values(venues.factories)[0] ?? ZERO_ADDRESS
  const forged = [token0.address, token1.address].sort()
  const forger = session.deploy(context.accounts.deployer, context.artifacts.forger, [factory, ...forged])
  watchPools(context, venues, pools)
  await session.mine(nextTime())
  return { ...venues, tokens, pools, forger }
}

function deployVenues({ session, artifacts, plan, accounts }: DeployContext): Venues {
  const deploy = (name: Exclude<keyof Artifacts, 'multicall3Code'>, ...args: unknown[]) =>
    session.deploy(accounts.deployer, artifacts[name], args)
  const wrapped = deploy('weth9')
  const factories: Record<string, Address> = {}
  let v2Router: Address | undefined
  let uniswapV3: Venues['uniswapV3'] = null
  for (const { name, kind } of plan.dexes) {
    if (kind === 'uniswap-v2') {
      const factory = deploy('v2Factory', ZERO_ADDRESS)
      v2Router = deploy('v2Router', factory, wrapped)
      factories[name] = factory
    } else if (kind === 'uniswap-v3') {
      const factory = deploy('v3Factory')
      // The last argument would be the contract that draws pictures of positions, which is unused here.
      const positionManager = deploy('positionManager', factory, wrapped, ZERO_ADDRESS)
      const swapRouter = deploy('swapRouter', factory, wrapped)
      uniswapV3 = { positionManager, swapRouter, quoterV2: deploy('quoterV2', factory, wrapped) }
      factories[name] = factory
      const data = artifacts.v3Factory.abi.encodeFunctionData('enableFeeAmount', [100, 1]) as Hex
      session.queue({ from: accounts.deployer, to: factory, data })
    } else {
      const deployer = deploy('pancakePoolDeployer', artifacts.pancakePool.bytecode)
      const factory = deploy('pancakeFactory', deployer)
      const data = artifacts.pancakePoolDeployer.abi.encodeFunctionData('setFactoryAddress', [factory]) as Hex
      session.queue({ from: accounts.deployer, to: deployer, data })
      factories[name] = factory
    }
  }
  if (!v2Router) throw new Error('a network needs a V2 DEX')
  const devRouter = deploy('devRouter', wrapped)
  const priceKeeper = deploy('priceKeeper')
  const multicall3 = plan.multicall3 ? MULTICALL3 : null
  return { wrappedNative: wrapped, multicall3, factories, v2Router, uniswapV3, devRouter, priceKeeper }
}

/**
 * Sets the name and symbol of the wrapped coin, because WETH9 always calls itself Wrapped Ether. They are storage slots
 * 0 and 1.
 */
async function placePredeploys({ rpc, artifacts, plan }: DeployContext, venues: Venues): Promise<void> {
  const calls = [plan.wrapped.name, plan.wrapped.symbol].map((text, slot) => ({
    method: 'anvil_setStorageAt',
    params: [venues.wrappedNative, `0x${slot.toString(16)}`, shortString(text)],
  }))
  await rpc.batch(calls)
  if (venues.multicall3) await rpc.send('anvil_setCode', [venues.multicall3, artifacts.multicall3Code])
}

/** Returns the storage word of a Solidity string shorter than 32 bytes. */
function shortString(text: string): Hex {
  const bytes = Buffer.from(text)
  if (bytes.length > 31) throw new RangeError(`${text} does not fit into a storage word`)
  const word = Buffer.alloc(32)
  bytes.copy(word)
  word[31] = bytes.length * 2
  return `0x${word.toString('hex')}`
}

function deployTokens({ session, artifacts, plan, accounts }: DeployContext, venues: Venues): DevnetToken[] {
  const { wrapped } = plan
  const spenders = spendersOf(venues)
  const tokens = plan.tokens.map((token): DevnetToken => {
    const { name, symbol, decimals, taxBps = 0, bytes32Metadata = false } = token
    const args = [name, symbol, decimals, taxBps, bytes32Metadata, spenders]
    return { ...token, address: session.deploy(accounts.deployer, artifacts.devToken, args) }
  })
  return [{ ...wrapped, address: venues.wrappedNative, decimals: 18 }, ...tokens]
}

function spendersOf({ v2Router, uniswapV3, devRouter }: Venues): Address[] {
  return [v2Router, devRouter, ...(uniswapV3 ? [uniswapV3.positionManager, uniswapV3.swapRouter] : [])]
}

function handOut({ session, artifacts, accounts }: DeployContext, venues: Venues, tokens: readonly DevnetToken[]) {
  const { abi } = artifacts.weth9
  const wrap = (from: Address, coins: number) =>
    session.queue({ from, to: venues.wrappedNative, data: '0xd0e30db0', value: toUnits(coins, 18) })
  const holders = [accounts.deployer, venues.priceKeeper, ...accounts.traders]
  for (const { address, decimals, usd } of tokens.slice(1)) {
    const data = artifacts.devToken.abi.encodeFunctionData('mint', [holders, toUnits(HOLDING_USD / usd, decimals)])
    session.queue({ from: accounts.deployer, to: address, data: data as Hex })
  }
  wrap(accounts.deployer, DEPLOYER_COINS_WRAPPED)
  for (const trader of accounts.traders) wrap(trader, COINS_WRAPPED)
  for (const from of [accounts.deployer, ...accounts.traders]) {
    for (const spender of spendersOf(venues)) {
      const data = abi.encodeFunctionData('approve', [spender, 2n ** 256n - 1n]) as Hex
      session.queue({ from, to: venues.wrappedNative, data })
    }
  }
  const args = [venues.priceKeeper, toUnits(KEEPER_COINS_WRAPPED, 18)]
  const data = abi.encodeFunctionData('transfer', args) as Hex
  session.queue({ from: accounts.deployer, to: venues.wrappedNative, data })
}

function watchPools({ session, artifacts, accounts }: DeployContext, venues: Venues, pools: readonly DevnetPool[]) {
  // The price keeper compares square roots of prices, which move half as much.
  const watched = pools.map(({ address, tickSpacing, fee }) => {
    return [address, tickSpacing !== null, Math.round((fee + TOLERANCE) / 2)]
  })
  const data = artifacts.priceKeeper.abi.encodeFunctionData('watch', [watched]) as Hex
  session.queue({ from: accounts.deployer, to: venues.priceKeeper, data })
}
