import { openChain } from '@dexfeed/chain'
import type { Devnet } from '@dexfeed/devnet'
import type { Hex, PricedTrade } from '@dexfeed/dex'
import { Interface } from 'ethers'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { watchedTopics } from '../src/blocks/process-blocks.ts'
import { openExplainer } from '../src/explain/explain-transactions.ts'
import { deploymentOf } from './scene/run-indexer.ts'
import { testDevnet } from './scene/test-devnet.ts'

// The pools are real. An honest sale of UNI for WETH, or of USDC, has the same value whatever happens in unused fee
// tiers. The only reference pools are the honest ones: WETH/USDC 0.05 % and 0.3 %, WETH/DAI 0.3 % and USDC/DAI 0.01 %.

const POSITIONS = new Interface([
  'function createAndInitializePoolIfNecessary(address, address, uint24, uint160) payable returns (address)',
  'function mint((address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint256, uint256, uint256, uint256, address, uint256)) payable returns (uint256, uint128, uint256, uint256)',
  'function positions(uint256) view returns (uint96, address, address, address, uint24, int24, int24, uint128 liquidity, uint256, uint256, uint128, uint128)',
  'function decreaseLiquidity((uint256, uint128, uint256, uint256, uint256)) payable returns (uint256, uint256)',
  'function totalSupply() view returns (uint256)',
])
const ROUTER = new Interface([
  'function exactInputSingle((address, address, uint24, address, uint256, uint256, uint256, uint160)) payable returns (uint256)',
])
const TOKEN = new Interface(['function approve(address, uint256)'])
const FOREVER = 10n ** 12n
const MOST = 2n ** 255n
const GAS = '0x7a1200'

let devnet: Devnet<'eth'>
let snapshot: Hex

beforeAll(async () => {
  devnet = await testDevnet({ networks: ['eth'], historyDays: 0.02, historyBlocks: 60 })
  const { contracts, accounts } = devnet.chains.eth
  const approvals = contracts.tokens.flatMap(({ address }) =>
    [periphery().positionManager, periphery().swapRouter].map((spender) => ({
      from: accounts.deployer,
      to: address,
      data: TOKEN.encodeFunctionData('approve', [spender, MOST]),
    })),
  )
  await mine(approvals)
})

beforeEach(async () => {
  snapshot = await rpc('evm_snapshot', [])
  return async () => {
    await rpc('evm_revert', [snapshot])
  }
})

interface Call {
  from: string
  to: string
  data: string
}

function rpc<T>(method: string, params: readonly unknown[]): Promise<T> {
  return devnet.chains.eth.rpc.send<T>(method, params)
}

function periphery() {
  const { uniswapV3 } = devnet.chains.eth.contracts
  if (uniswapV3 === null) throw new Error('no Uniswap V3 on this chain')
  return uniswapV3
}

function token(symbol: string) {
  const found = devnet.chains.eth.contracts.tokens.find((devnetToken) => devnetToken.symbol === symbol)
  if (found === undefined) throw new Error(`no ${symbol}`)
  return found
}

/** Mines calls in one block, 12 seconds after the last one. All calls must succeed. */
async function mine(calls: readonly Call[]): Promise<Hex[]> {
  const hashes: Hex[] = []
  for (const call of calls) hashes.push(await rpc<Hex>('eth_sendTransaction', [{ ...call, gas: GAS }]))
  const { timestamp } = await rpc<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])
  await rpc('evm_mine', [Number(timestamp) + 12])
  for (const hash of hashes) {
    expect(await rpc('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
  }
  return hashes
}

function call(to: string, abi: Interface, method: string, ...args: unknown[]): Call {
  return { from: devnet.chains.eth.accounts.deployer, to, data: abi.encodeFunctionData(method, args) }
}

interface Tier {
  tokens: [string, string]
  fee: number
  spacing: number
  /** The factor by which the price is wrong. */
  factor: number
}

/**
 * Returns calls that create a tier's pool at a wrong price, with a position one spacing wide around it and a swap
 * through it.
 */
function liar({ tokens, fee, spacing, factor }: Tier, { usd, swap }: { usd: number; swap: number }) {
  const [side0, side1] = tokens.map(token).sort((a, b) => (a.address < b.address ? -1 : 1)) as [
    ReturnType<typeof token>,
    ReturnType<typeof token>,
  ]
  // The first token costs `factor` times its real price.
  const wrong = side0.symbol === tokens[0] ? factor : 1 / factor
  const price = (side0.usd / side1.usd) * 10 ** (side1.decimals - side0.decimals) * wrong
  const lower = Math.floor(Math.log(price) / Math.log(1.0001) / spacing) * spacing
  const sqrt = 1.0001 ** ((lower + spacing / 2) / 2)
  const units = ({ usd: one, decimals }: typeof side0) => BigInt(Math.floor((usd / one) * 10 ** decimals))
  const { positionManager, swapRouter } = periphery()
  const { deployer } = devnet.chains.eth.accounts
  const [paid, bought] = [token(tokens[1]), token(tokens[0])]
  const amountIn = BigInt(Math.floor((swap / paid.usd) * 10 ** paid.decimals))
  return {
    create: call(
      positionManager,
      POSITIONS,
      'createAndInitializePoolIfNecessary',
      ...[side0.address, side1.address, fee, BigInt(Math.floor(sqrt * 2 ** 96))],
    ),
    mint: call(positionManager, POSITIONS, 'mint', [
      ...[side0.address, side1.address, fee, lower, lower + spacing, units(side0), units(side1)],
      ...[0, 0, deployer, FOREVER],
    ]),
    swap: call(swapRouter, ROUTER, 'exactInputSingle', [
      ...[paid.address, bought.address, fee, deployer, FOREVER, amountIn, 0, 0],
    ]),
  }
}

/** Sells 100 UNI for WETH, or 1,000 USDC for USDT, in a separate block. */
async function honestSale(of = 'WETH'): Promise<PricedTrade> {
  const { deployer } = devnet.chains.eth.accounts
  const [paid, bought, fee, amount] =
    of === 'WETH' ? (['UNI', 'WETH', 3_000, 100n * 10n ** 18n] as const) : (['USDC', 'USDT', 100, 10n ** 9n] as const)
  const sale = [token(paid).address, token(bought).address, fee, deployer, FOREVER, amount, 0, 0]
  const [hash] = await mine([call(periphery().swapRouter, ROUTER, 'exactInputSingle', sale)])
  const all = deploymentOf(devnet, 'eth')
  const deployment = {
    ...all,
    stablecoins: [token('USDC').address, token('DAI').address],
    dexes: all.dexes.filter(({ kind }) => kind === 'uniswap-v3'),
  }
  const none = () => undefined
  const chain = openChain({
    network: 'eth',
    urls: [devnet.chains.eth.rpcUrl],
    pollMs: 100,
    topics: watchedTopics(deployment),
    log: { debug: none, info: none, warn: none, error: none },
  })
  try {
    const explainer = await openExplainer(chain, deployment)
    for await (const each of explainer.explain([hash ?? '0x'])) {
      if ('trades' in each && each.trades[0] !== undefined) return each.trades[0]
    }
    throw new Error('no trade')
  } finally {
    await chain.close()
  }
}

/** Returns the sale's value after an attack, divided by its value without one. */
async function bentBy(attack: () => Promise<unknown>, blocks: number, of = 'WETH'): Promise<number> {
  for (let block = 0; block < blocks; block++) await mine([])
  const calm = await honestSale(of)
  await rpc('evm_revert', [snapshot])
  snapshot = await rpc('evm_snapshot', [])
  await attack()
  const bent = await honestSale(of)
  expect([calm.flags, bent.flags, bent.source]).toEqual([0, 0, calm.source])
  return Number(bent.usdE8) / Number(calm.usdE8)
}

const WETH_USDC: Tier = { tokens: ['WETH', 'USDC'], fee: 100, spacing: 1, factor: 1.9 }

//   block n: an unused tier's pool is created, minted and traded with 1,000 USD, then burnt    n + 1: the sale
test.each([
  ['the coin at 1.9 times its price', WETH_USDC],
  ['a dollar at 0.9', { tokens: ['USDC', 'DAI'], fee: 500, spacing: 10, factor: 0.9 } satisfies Tier],
])('liquidity of one block in an unused tier moves no honest value: %s', async (_, tier) => {
  const { positionManager } = periphery()
  const { create, mint, swap } = liar(tier, { usd: 50_000_000, swap: 1_000 })
  const supply = await rpc<Hex>('eth_call', [call(positionManager, POSITIONS, 'totalSupply'), 'latest'])
  const id = BigInt(supply) + 1n
  await mine([create, mint])
  const held = await rpc<Hex>('eth_call', [call(positionManager, POSITIONS, 'positions', id), 'latest'])
  const { liquidity } = POSITIONS.decodeFunctionResult('positions', held)
  await rpc('evm_revert', [snapshot])
  snapshot = await rpc('evm_snapshot', [])
  const burn = call(positionManager, POSITIONS, 'decreaseLiquidity', [id, liquidity, 0, 0, FOREVER])
  const factor = await bentBy(() => mine([create, mint, swap, burn]), 1, tier.tokens[0])
  expect(Math.abs(factor - 1)).toBeLessThan(0.005)
})

test('nor does the state at the end of one block, whatever it is', async () => {
  const { create, mint, swap } = liar(WETH_USDC, { usd: 50_000_000, swap: 1_000 })
  const factor = await bentBy(() => mine([create, mint, swap]), 1)
  expect(Math.abs(factor - 1)).toBeLessThan(0.005)
})

test('nor do swaps that move every honest pool far for one block', async () => {
  const { deployer } = devnet.chains.eth.accounts
  const shove = (symbol: string, fee: number) => {
    const [paid, weth] = [token(symbol), token('WETH')]
    const amount = 60_000_000n * 10n ** BigInt(paid.decimals)
    const path = [paid.address, weth.address, fee, deployer, FOREVER, amount, 0, 0]
    return call(periphery().swapRouter, ROUTER, 'exactInputSingle', path)
  }
  const factor = await bentBy(() => mine([shove('USDC', 500), shove('USDC', 3_000), shove('DAI', 3_000)]), 1)
  expect(Math.abs(factor - 1)).toBeLessThan(0.005)
})

test('five lasting positions one spacing wide, of 1,050 USD and a little more, move no honest value', async () => {
  const tiers: Tier[] = [
    WETH_USDC,
    { ...WETH_USDC, fee: 10_000, spacing: 200 },
    { tokens: ['WETH', 'DAI'], fee: 100, spacing: 1, factor: 1.9 },
    { tokens: ['WETH', 'DAI'], fee: 500, spacing: 10, factor: 1.9 },
    { tokens: ['WETH', 'DAI'], fee: 10_000, spacing: 200, factor: 1.9 },
  ]
  const liars = tiers.map((tier) => liar(tier, { usd: 525 * Math.min(tier.spacing, 60), swap: 100 }))
  const factor = await bentBy(async () => {
    await mine(liars.flatMap(({ create, mint }) => [create, mint]))
    for (let block = 0; block < 12; block++) await mine(liars.map(({ swap }) => swap).slice(0, block < 2 ? 5 : 0))
  }, 13)
  expect(Math.abs(factor - 1)).toBeLessThan(0.005)
})

test('the prices of a calm world are those of its pools', async () => {
  const { usdE8, throughPools, sell, buy } = await honestSale()
  const ends = throughPools ?? { sell, buy }
  const weth = Number(usdE8) / 1e8 / (Number(ends.buy.amount) / 1e18)
  expect(weth / token('WETH').usd).toBeGreaterThan(0.9)
  expect(weth / token('WETH').usd).toBeLessThan(1.1)
})
