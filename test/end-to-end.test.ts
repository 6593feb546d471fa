import type { Devnet } from '@dexfeed/devnet'
import { NETWORK_NAMES } from '@dexfeed/dex'
import { run as verify } from '@dexfeed/indexer/commands/verify'
import { environmentOf } from '@dexfeed/indexer/test/programs'
import { testDevnet } from '@dexfeed/indexer/test/test-devnet'
import { testDatabase } from '@dexfeed/test-setup'
import { runCommand } from '@dexfeed/test-setup/run-command'
import { beforeAll, expect, inject, test } from 'vitest'
import { expectPrices } from './compare-prices.ts'
import { type ChainFacts, chainFacts } from './expected/chain-facts.ts'
import { expectedDays, expectedSwaps } from './expected/responses.ts'
import { type Programs, startPrograms } from './programs.ts'
import { makeUnusualTrades } from './unusual-trades.ts'

const IS_LONG = inject('scale') > 1
/** With fewer blocks, the prices of rarely traded pools would be too old. */
const HISTORY_BLOCKS = IS_LONG ? 70 : 40
const PAIRS = IS_LONG ? 300 : 12
const LIVE_BLOCKS = 6
/** A day more than is indexed, because the first values need earlier prices. */
const HISTORY_DAYS = 8
let devnet: Devnet
let databaseUrl: string
let programs: Programs
let facts: ChainFacts[]

beforeAll(async () => {
  devnet = await testDevnet({ historyDays: HISTORY_DAYS, historyBlocks: HISTORY_BLOCKS })
  databaseUrl = await testDatabase()
  programs = await startPrograms({ devnet, databaseUrl })
  facts = await readFacts()
  await programs.upToDate()
})

const readFacts = () => Promise.all(NETWORK_NAMES.map((network) => chainFacts(devnet.chains[network])))
const factsOf = (network: string) => facts.find((some) => some.network === network) ?? expect.fail(network)
const now = () => Math.floor(Date.now() / 1000)

/** Returns a response, and of those expected at each second of the request the one that matches. */
async function responseAndExpected<T>(path: string, expected: (at: number) => T) {
  const from = now()
  const reply = await programs.get(path)
  const seconds = Array.from({ length: now() - from + 1 }, (_, second) => expected(from + second))
  const fitting = seconds.find((expected) => JSON.stringify(expected) === JSON.stringify(reply.body))
  return { ...reply, expected: fitting ?? seconds[0] }
}

async function expectSwapsAndVolumes() {
  const indexed = NETWORK_NAMES.map((network) => `${network}=${factsOf(network).blocks.at(-1)?.number}`).join(', ')
  const swaps = await responseAndExpected('/api/swaps_24h', (at) => expectedSwaps(facts, at))
  expect(swaps.body).toEqual(swaps.expected)
  expect(swaps.headers.get('x-data-complete')).toBe('true')
  expect(swaps.headers.get('x-indexed-block')).toBe(indexed)
  const days = await responseAndExpected('/api/trade_volume_usd_7d', (at) => expectedDays(facts, at))
  expect(days.body).toEqual(days.expected)
  expect(days.headers.get('x-data-complete')).toBe('true')
}

test('of the history, swaps and volumes match an independent decode of all receipts', async () => {
  await expectSwapsAndVolumes()
})

test('they also match for blocks that come while it runs, and for trades that bots do not make', async () => {
  await Promise.all(Object.values(devnet.chains).map(makeUnusualTrades))
  await Promise.all(Object.values(devnet.chains).map((chain) => chain.trade(LIVE_BLOCKS)))
  await programs.upToDate()
  facts = await readFacts()
  await expectSwapsAndVolumes()
})

test.each(NETWORK_NAMES)('the states of the pools of %s match their contracts', async (network) => {
  const [rpcUrl, dexConfigFile] = [devnet.chains.bsc.rpcUrl, devnet.dexConfigFile]
  const env = Object.fromEntries(
    Object.values(devnet.chains).map((chain) => [`${chain.network.toUpperCase()}_RPC_URL`, chain.rpcUrl]),
  )
  const options = { place: { databaseUrl, redisUrl: null }, rpcUrl, dexConfigFile, env }
  const { exitCode, stdout } = await runCommand(verify, ['--network', network, '--states'], environmentOf(options))
  expect(stdout).toMatch(/^.* and [1-9]\d* pool states compared, equal\n$/)
  expect(exitCode).toBe(0)
})

test.each(NETWORK_NAMES)('the compared trades of %s contain every kind', (network) => {
  const { trades, blocks, pools } = factsOf(network)
  const count = (is: (trade: ChainFacts['trades'][number]) => boolean) => trades.filter(is).length
  const kinds = {
    direct: count(({ shape }) => shape === 'one hop'),
    routed: count(({ shape, hops }) => shape === 'route' && hops.length > 2),
    unsettled: count(({ shape }) => shape === 'hop of many'),
    coinsSold: count(({ sell }) => sell.native),
    coinsBought: count(({ buy }) => buy.native),
    unpriced: count(({ usdE8 }) => usdE8 === null),
    priced: count(({ usdE8 }) => usdE8 !== null),
  }
  expect(Object.values(kinds), JSON.stringify(kinds)).not.toContain(0)
  const emitters = new Set(
    blocks.flatMap((block) => block.transactions.flatMap(({ logs }) => logs.map((log) => log.address))),
  )
  expect(emitters).toContain(devnet.chains[network].contracts.forger)
  expect([...pools.keys()]).not.toContain(devnet.chains[network].contracts.forger)
})

test.each(['eth', 'bsc'])(
  'the compared trades of %s contain some whose ends differ from what went through their pools',
  (network) => {
    const { trades } = factsOf(network)
    const kinds = {
      gaveMore: trades.filter(({ sell, through }) => sell.amount > through.sell.amount),
      gotLess: trades.filter(({ buy, through }) => buy.amount < through.buy.amount),
    }
    expect(Object.values(kinds).map(({ length }) => length)).not.toContain(0)
  },
)

test.each(NETWORK_NAMES)('prices on %s match the best of all routes on the chain to the wei', async (network) => {
  const chain = devnet.chains[network]
  await expectPrices({ chain, facts: factsOf(network), get: programs.get, count: PAIRS, seed: inject('seed') })
})

test('Ctrl-C and SIGTERM end both programs with code 0, and nothing listens afterwards', async () => {
  expect(await programs.stop()).toEqual({ codes: [0, 0], open: [] })
})
