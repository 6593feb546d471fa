import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseDexConfig } from '@dexfeed/dex'
import { projectRoot } from '@dexfeed/service'
import { queryOnce, testDatabase } from '@dexfeed/test-setup'
import { expect, test } from 'vitest'
import { scriptedScene } from './scene/scripted-scene.ts'

/** Returns the configuration line from CONTRIBUTING.md, with the factory filled in. */
function documentedLine(factory: string): object {
  const text = readFileSync(join(projectRoot(), 'CONTRIBUTING.md'), 'utf8')
  const line = /^\{ "name": "my-fork".*\}$/m.exec(text)?.[0]
  if (line === undefined) throw new Error('CONTRIBUTING.md shows no line for a fork')
  return JSON.parse(line.replace('0x…', factory))
}

test('a fork is followed with the documented line of configuration, and not without it', async () => {
  const scene = await scriptedScene('bsc', 20)
  const fork = scene.deployment.dexes.find(({ kind }) => kind === 'uniswap-v2') ?? expect.fail()
  const { deployments, problems } = parseDexConfig(
    JSON.stringify({ bsc: { ...scene.deployment, dexes: [documentedLine(fork.factory)] } }),
  )
  expect(problems).toEqual([])
  const others = scene.deployment.dexes.filter((dex) => dex !== fork)
  const poolsWith = async (dexes: typeof others) => {
    const databaseUrl = await testDatabase()
    const indexer = await scene.index(databaseUrl, { deployment: { ...scene.deployment, dexes } })
    await indexer.caughtUp(scene.head())
    await indexer.stop()
    return queryOnce<{ dex: string }>(
      databaseUrl,
      'SELECT dex, count(*)::int AS pools FROM pool GROUP BY dex ORDER BY dex',
    )
  }
  const without = await poolsWith(others)
  const withLine = await poolsWith([...others, ...(deployments.bsc?.dexes ?? [])])
  expect(withLine.filter(({ dex }) => dex !== 'my-fork')).toEqual(without)
  expect(withLine).toHaveLength(without.length + 1)
})
