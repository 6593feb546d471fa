import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Devnet, startDevnet } from '@dexfeed/devnet'
import { NETWORK_NAMES } from '@dexfeed/dex'
import { testDatabase } from '@dexfeed/test-setup'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectedDays, expectedSwaps } from './expected/answers.ts'
import { type ChainFacts, chainFacts } from './expected/chain-facts.ts'
import { bundlePrograms, type Programs, startPrograms } from './programs.ts'
import { makeUnusualTrades } from './unusual-trades.ts'

const HISTORY_BLOCKS = 120
const dataDir = mkdtempSync(join(tmpdir(), 'dexfeed-end-to-end-'))
const log = { info: () => undefined, warn: () => undefined }
let devnet: Devnet
let programs: Programs
let facts: ChainFacts[]

beforeAll(async () => {
  bundlePrograms()
  devnet = await startDevnet({ dataDir, log, historyBlocks: HISTORY_BLOCKS })
  programs = await startPrograms({ devnet, databaseUrl: await testDatabase() })
  facts = await readFacts()
  await programs.upToDate()
}, 120_000)

afterAll(async () => {
  await programs?.stop()
  await devnet?.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

const readFacts = () => Promise.all(NETWORK_NAMES.map((network) => chainFacts(devnet.chains[network])))
const now = () => Math.floor(Date.now() / 1000)

/** An answer, and what it should be: time goes on while it is given, so any second until then will do. */
async function answerAndExpected<T>(path: string, expected: (at: number) => T) {
  const from = now()
  const reply = await programs.get(path)
  const seconds = Array.from({ length: now() - from + 1 }, (_, second) => expected(from + second))
  const fitting = seconds.find((answer) => JSON.stringify(answer) === JSON.stringify(reply.body))
  return { ...reply, expected: fitting ?? seconds[0] }
}

async function expectSwapsAndVolumes() {
  const swaps = await answerAndExpected('/api/swaps_24h', (at) => expectedSwaps(facts, at))
  expect(swaps.body).toEqual(swaps.expected)
  const days = await answerAndExpected('/api/trade_volume_usd_7d', (at) => expectedDays(facts, at))
  expect(days.body).toEqual(days.expected)
}

test('history: swaps and volumes are those of an independent decode of all receipts', async () => {
  await expectSwapsAndVolumes()
})

test('live: they are so for blocks that come while it runs, with trades that bots do not make', async () => {
  await Promise.all(Object.values(devnet.chains).map(makeUnusualTrades))
  await Promise.all(Object.values(devnet.chains).map((chain) => chain.trade(3)))
  await programs.upToDate()
  facts = await readFacts()
  await expectSwapsAndVolumes()
})
