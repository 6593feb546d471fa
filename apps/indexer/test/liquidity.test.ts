import { createRandom } from '@dexfeed/devnet'
import { connectTo, testDatabase } from '@dexfeed/test-setup'
import { Interface } from 'ethers'
import { expect, inject, test } from 'vitest'
import { randomChunks, workOnChunks } from './scene/order-of-chunks.ts'
import { type ScriptedScene, scriptedScene } from './scene/scripted-scene.ts'

const BLOCKS = 80 * inject('scale')
const FINALITY_DEPTH = 12
const SEED = inject('seed')

const EVENTS = new Interface([
  'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
])

/** Returns what the logs of the chain's pools say, decoded by ethers. */
function plainEvents({ chain }: ScriptedScene): string[] {
  const pools = new Set(chain.market.pools.map(({ address }) => address))
  const lines: string[] = []
  for (const { number, timestamp, transactions } of chain.blocks) {
    for (const { hash, from, placed, index } of transactions) {
      for (const { address, topics, data, logIndex } of placed) {
        const event = pools.has(address) ? EVENTS.parseLog({ topics: [...topics], data }) : null
        const { tickLower, tickUpper, amount, amount0, amount1 } = event?.args.toObject() ?? {}
        if (event === null || amount === 0n) continue
        lines.push(
          [
            ...[timestamp, number, logIndex, index, hash, from, address, event.name === 'Mint'],
            ...[amount, tickLower, tickUpper, amount0, amount1],
          ].join(),
        )
      }
    }
  }
  return lines
}

async function storedEvents(databaseUrl: string): Promise<string[]> {
  const client = await connectTo(databaseUrl)
  const { rows } = await client.query<{ line: string }>(
    `SELECT concat_ws(',', extract(epoch FROM block_time)::bigint, block_number, log_index, transaction_index,
       '0x' || encode(tx_hash, 'hex'), '0x' || encode(account, 'hex'), '0x' || encode(pool, 'hex'), added,
       liquidity, tick_lower, tick_upper, amounts[1], amounts[2]) AS line
     FROM liquidity_event ORDER BY block_number, log_index`,
  )
  return rows.map(({ line }) => line.replace(',t,', ',true,').replace(',f,', ',false,'))
}

/** Deletes and changes final events, as faults of a database might. */
async function damage(databaseUrl: string): Promise<void> {
  const client = await connectTo(databaseUrl)
  const isFinal = 'block_number <= (SELECT final_number FROM network)'
  for (const change of [
    `DELETE FROM liquidity_event WHERE ${isFinal} AND block_number % 2 = 0`,
    `UPDATE liquidity_event SET amounts = '{1,2}' WHERE ${isFinal}`,
  ]) {
    expect((await client.query(change)).rowCount, change).toBeGreaterThan(0)
  }
}

//   history in chunks of any order, while the head grows, is replaced and the indexer restarts; then faults and repair
test('the stored liquidity events are those of the receipts', async () => {
  const random = createRandom(SEED)
  const scene = await scriptedScene('bsc', BLOCKS, { seed: SEED, finalityDepth: FINALITY_DEPTH })
  const databaseUrl = await testDatabase()
  const follow = () => scene.index(databaseUrl, { role: 'follow' })
  let follower = await follow()
  await follower.follows(scene.head())
  const chunks = randomChunks(BLOCKS - FINALITY_DEPTH, 'shuffled', random)
  const history = workOnChunks({ options: { ...scene, databaseUrl }, chunks, workers: 2, cuts: null })
  for (let step = 0; step < 6; step++) {
    if (step % 2 === 0) scene.mine(1 + random.integer(8))
    else scene.reorg(1 + random.integer(FINALITY_DEPTH - 2), FINALITY_DEPTH)
    await follower.follows(scene.head())
    if (step !== 3) continue
    await follower.stop()
    follower = await follow()
  }
  await history
  await follower.caughtUp(scene.head())
  await follower.stop()
  const plain = plainEvents(scene)
  expect(plain.length).toBeGreaterThan(5)
  expect(await storedEvents(databaseUrl)).toEqual(plain)
  await damage(databaseUrl)
  expect(await storedEvents(databaseUrl)).not.toEqual(plain)
  await scene.verify(databaseUrl, { repair: true })
  expect(await storedEvents(databaseUrl)).toEqual(plain)
}, 200_000)
