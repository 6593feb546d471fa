import { LiveMarketFollower } from '@dexfeed/api/live-market'
import type { DevnetChain } from '@dexfeed/devnet'
import routerArtifact from '@dexfeed/devnet/contracts/DevRouter.json' with { type: 'json' }
import tokenArtifact from '@dexfeed/devnet/contracts/DevToken.json' with { type: 'json' }
import { type Address, bestRoute, type Hex, type QuotedHop, quotePrice } from '@dexfeed/dex'
import { deploymentOf, headOf, type RunningIndexer, runIndexer } from '@dexfeed/indexer/test/run-indexer'
import { testDevnet } from '@dexfeed/indexer/test/test-devnet'
import { type Database, openDatabase, openReader } from '@dexfeed/store'
import { closeAfter, testDatabase } from '@dexfeed/test-setup'
import { formatUnits, Interface } from 'ethers'
import { beforeAll, expect, test } from 'vitest'

//           .--- pools of the devnet ---.
//   WBNB -----+--- unlisted token ----------+----- USDT      the worse the token, the better its pools seem to pay
//             '--- another ... ------------'

const GAS = '0x989680'
const E18 = 10n ** 18n
const DEPTH = 1_000n * E18
const router = new Interface(routerArtifact.abi)
const token = new Interface(tokenArtifact.abi)
const abi = new Interface([
  'function createPair(address, address)',
  'function getPair(address, address) view returns (address)',
  'function mint(address)',
  'function transfer(address, uint256)',
  'function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256, uint256, address[], address, uint256)',
])
let chain: DevnetChain
let indexer: RunningIndexer
let database: Database
let market: LiveMarketFollower
let coin: Address
let stable: Address
let honest: Quote

beforeAll(async () => {
  const devnet = await testDevnet({ networks: ['bsc'], historyBlocks: 4 })
  chain = devnet.chains.bsc
  coin = chain.contracts.wrappedNative
  stable = chain.contracts.tokens.find(({ symbol }) => symbol === 'USDT')?.address ?? expect.fail('no USDT')
  const databaseUrl = await testDatabase()
  const { rpcUrl } = chain
  indexer = await runIndexer({ databaseUrl, network: 'bsc', rpcUrl, deployment: deploymentOf(devnet, 'bsc') })
  database = await openDatabase(databaseUrl, { applicationName: 'test-moves', readOnly: true })
  closeAfter(() => database.close())
  market = new LiveMarketFollower('bsc', openReader(database))
  honest = await quoteNow()
})

interface Quote {
  price: string
  through: Address[]
  /** What the swap pays at the same block. Null if it reverts. */
  executed: string | null
}

async function transact(from: Address | undefined, to: Address | undefined, data: string): Promise<Address> {
  const { rpc } = chain
  const hash = await rpc.send<Hex>('eth_sendTransaction', [{ from, data, gas: GAS, ...(to ? { to } : {}) }])
  await rpc.send('evm_mine', [])
  const receipt = await rpc.send<{ status: Hex; contractAddress: Address }>('eth_getTransactionReceipt', [hash])
  if (receipt.status !== '0x1') throw new Error(`transaction ${hash} failed`)
  return receipt.contractAddress
}

const send = (to: Address, data: string) => transact(chain.accounts.deployer, to, data)

async function call(to: Address, data: string): Promise<Hex> {
  return chain.rpc.send<Hex>('eth_call', [{ from: chain.accounts.traders[9], to, data, gas: GAS }, 'latest'])
}

/**
 * Deploys a token that no list names.
 *
 * @param taxBps in hundredths of a percent
 */
async function deployToken(taxBps: number): Promise<Address> {
  const { v2Router, devRouter } = chain.contracts
  const args = token.encodeDeploy(['Unlisted', 'U', 18, taxBps, false, [v2Router, devRouter]])
  const address = await transact(chain.accounts.deployer, undefined, tokenArtifact.bytecode + args.slice(2))
  return address.toLowerCase() as Address
}

/** Adds pairs that pay `percentMore` percent more than the others. */
async function offer(unlisted: Address, percentMore: bigint): Promise<void> {
  const factory = chain.deployment.dexes.find(({ kind }) => kind === 'uniswap-v2')?.factory as Address
  const price = BigInt(Math.round(Number(honest.price)))
  for (const [other, amount] of [
    [coin, DEPTH],
    [stable, (DEPTH * price * (100n + percentMore)) / 100n],
  ] as const) {
    await send(factory, abi.encodeFunctionData('createPair', [unlisted, other]))
    const pair: Address = `0x${(await call(factory, abi.encodeFunctionData('getPair', [unlisted, other]))).slice(26)}`
    await send(unlisted, token.encodeFunctionData('mint', [[pair], DEPTH]))
    await send(other, abi.encodeFunctionData('transfer', [pair, amount]))
    await send(pair, abi.encodeFunctionData('mint', [chain.accounts.deployer]))
  }
}

function swapData(hops: readonly Pick<QuotedHop, 'pool' | 'tokenIn' | 'tokenOut'>[], amountIn: bigint): string {
  const named = hops.map(({ pool, tokenIn, tokenOut }) => [pool.address, pool.tickSpacing !== null, tokenIn, tokenOut])
  return router.encodeFunctionData('swap', [[[amountIn, named]], 0n, false])
}

async function moveThrough(unlisted: Address, trader: number, isDirect = false): Promise<void> {
  const { v2Router, devRouter } = chain.contracts
  const from = chain.accounts.traders[trader] as Address
  if (isDirect) {
    const args = [E18 / 100n, 0n, [coin, unlisted, stable], from, 10n ** 12n]
    const name = 'swapExactTokensForTokensSupportingFeeOnTransferTokens'
    await transact(from, v2Router, abi.encodeFunctionData(name, args))
    return
  }
  const { market: now } = market.current ?? expect.fail('no market')
  const legs = [
    bestRoute(now, { sell: coin, buy: unlisted, amountIn: E18, maxHops: 1 }),
    bestRoute(now, { sell: unlisted, buy: stable, amountIn: E18, maxHops: 1 }),
  ]
  const hops = legs.flatMap((leg) => leg?.hops ?? expect.fail('no pool of the token'))
  await transact(from, devRouter, swapData(hops, E18 / 100n))
}

/** Returns the quote for 1.0 of the coin, as if no listed pool held 1,000 USD, and what that swap pays. */
async function quoteNow(): Promise<Quote> {
  await indexer.caughtUp(await headOf(chain))
  await market.refresh()
  market.current?.market.setPrices(new Map())
  return quoteOf()
}

async function deepQuote(): Promise<Quote> {
  const fresh = new LiveMarketFollower('bsc', openReader(database))
  await fresh.refresh()
  return quoteOf(fresh)
}

async function quoteOf(of = market): Promise<Quote> {
  const sides = { sell: { address: coin, decimals: 18 }, buy: { address: stable, decimals: 18 } }
  const quote = quotePrice(of.current?.market ?? expect.fail('no market'), sides) ?? expect.fail('no route')
  const data = swapData(quote.route, E18)
  const paid = await call(chain.contracts.devRouter, data).catch(() => null)
  return {
    price: quote.price,
    through: quote.route.slice(1).map(({ tokenIn }) => tokenIn),
    executed: paid && formatUnits(paid, 18).replace(/\.?0+$/, ''),
  }
}

async function expectHonest(): Promise<void> {
  const quote = await quoteNow()
  expect(quote).toEqual(honest)
  expect(quote.executed).toBe(quote.price)
}

test('a token is used after three traders moved it whole, and no longer after a reorganisation', async () => {
  const good = await deployToken(0)
  await offer(good, 5n)
  await expectHonest()
  await moveThrough(good, 1)
  await moveThrough(good, 2, true)
  await moveThrough(good, 2)
  await expectHonest()
  await moveThrough(good, 3)
  const quote = await quoteNow()
  expect(quote.through).toEqual([good])
  expect(Number(quote.price)).toBeGreaterThan(1.02 * Number(honest.price))
  expect(quote.executed).toBe(quote.price)
  expect(await deepQuote()).toEqual(honest)
  await chain.rpc.send('anvil_reorg', [1, []])
  await expectHonest()
})

test.each([false, true])(
  'a token that taxes its transfers is not used, after any kind of trade (pool to pool: %s)',
  async (isDirect) => {
    const taxed = await deployToken(1_000)
    await offer(taxed, 20n)
    await quoteNow()
    for (const trader of [1, 2, 3, 4]) await moveThrough(taxed, trader, isDirect)
    await expectHonest()
  },
)

test('a token that only its makers can sell is not used', async () => {
  const trap = await deployToken(0)
  await offer(trap, 40n)
  await quoteNow()
  for (const trader of [1, 2, 1, 2]) await moveThrough(trap, trader)
  // PUSH1 0 PUSH1 0 REVERT: every call reverts.
  await chain.rpc.send('anvil_setCode', [trap, '0x60006000fd'])
  await expectHonest()
})

test('a token that starts to tax is not used after the first swap that shows it', async () => {
  const turning = await deployToken(0)
  await offer(turning, 30n)
  await quoteNow()
  for (const trader of [1, 2, 3]) await moveThrough(turning, trader, trader === 2)
  const before = await quoteNow()
  expect(before.through).toEqual([turning])
  expect(before.executed).toBe(before.price)
  const code = await chain.rpc.send<Hex>('eth_getCode', [await deployToken(1_000), 'latest'])
  await chain.rpc.send('anvil_setCode', [turning, code])
  await moveThrough(turning, 5)
  await expectHonest()
  for (const trader of [1, 2, 3]) await moveThrough(turning, trader, true)
  await expectHonest()
})

test('a token that friends of its maker have moved, and only they can move, is not used beside listed ones', async () => {
  const gate = await deployToken(0)
  await offer(gate, 2_000n)
  await quoteNow()
  for (const friend of [1, 2, 3]) await moveThrough(gate, friend)
  expect((await quoteNow()).through).toEqual([gate])
  await chain.rpc.send('anvil_setCode', [gate, '0x60006000fd'])
  expect((await quoteNow()).executed).toBeNull()
  expect(await deepQuote()).toEqual(honest)
})
