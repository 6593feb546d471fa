import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Devnet } from '@dexfeed/devnet'
import { parseDexConfig } from '@dexfeed/dex'
import { projectRoot } from '@dexfeed/service'
import { queryOnce, testDatabase } from '@dexfeed/test-setup'
import { beforeAll, expect, test } from 'vitest'
import { headOf, runIndexer } from './scene/run-indexer.ts'
import { testDevnet } from './scene/test-devnet.ts'

let devnet: Devnet<'bsc'>

beforeAll(async () => {
  devnet = await testDevnet({ networks: ['bsc'], historyBlocks: 4 })
})

/** Returns the configuration line from CONTRIBUTING.md, with the factory filled in. */
function documentedLine(factory: string): object {
  const text = readFileSync(join(projectRoot(), 'CONTRIBUTING.md'), 'utf8')
  const line = /^\{ "name": "my-fork".*\}$/m.exec(text)?.[0]
  if (line === undefined) throw new Error('CONTRIBUTING.md shows no line for a fork')
  return JSON.parse(line.replace('0x…', factory))
}

/** Returns the number of rows by the DEX of their pool, if only these DEXes are configured. */
async function poolsByDex(dexes: readonly object[]): Promise<Record<string, number>> {
  const config = JSON.parse(readFileSync(devnet.dexConfigFile, 'utf8'))
  const { deployments, problems } = parseDexConfig(JSON.stringify({ bsc: { ...config.bsc, dexes } }))
  expect(problems).toEqual([])
  const deployment = deployments.bsc
  if (deployment === undefined) throw new Error('no deployment')
  const databaseUrl = await testDatabase()
  const indexer = await runIndexer({ databaseUrl, network: 'bsc', rpcUrl: devnet.chains.bsc.rpcUrl, deployment })
  await indexer.caughtUp(await headOf(devnet.chains.bsc))
  await indexer.stop()
  const rows = await queryOnce<{ dex: string; pools: number }>(
    databaseUrl,
    'SELECT dex, count(*)::int AS pools FROM pool GROUP BY dex',
  )
  return Object.fromEntries(rows.map(({ dex, pools }) => [dex, pools]))
}

test('a fork is followed with the documented line of configuration, and not without it', async () => {
  const all: { name: string; kind: string; factory: string }[] = JSON.parse(readFileSync(devnet.dexConfigFile, 'utf8'))
    .bsc.dexes
  const fork = all.find(({ kind }) => kind === 'uniswap-v2')
  if (fork === undefined) throw new Error('no pairs on this chain')
  const others = all.filter((dex) => dex !== fork)
  const without = await poolsByDex(others)
  expect(without['my-fork']).toBeUndefined()
  const withLine = await poolsByDex([...others, documentedLine(fork.factory)])
  expect(withLine['my-fork']).toBeGreaterThan(0)
  expect({ ...without, 'my-fork': withLine['my-fork'] }).toEqual(withLine)
}, 120_000)
